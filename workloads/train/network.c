/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Infers the shapes of all layers, builds their graph, and runs it: loss forward, its gradient
 * backward. */
#include "workloads/train/network.h"

#include <string.h>

#include "base/mem.h"

/* ---- shapes, and ranges of the flat vector --------------------------------------------------- */

static egc_layer_spec complete_spec(const egc_layer_spec *spec, const egc_network_config *config)
{
    egc_layer_spec complete = *spec;
    if (complete.width == EGC_WIDTH_CLASSES)
        complete.width = config->classes;
    if (complete.width == EGC_WIDTH_CHOSEN)
        complete.width = config->width;
    if (complete.stride == 0)
        complete.stride = 1;
    return complete;
}

/* Matches a join with the last open fork. Until then a fork's partner is the fork around it. */
static egc_status match_join(egc_node *node, egc_node **open, egc_error *err)
{
    if (node->spec.kind == &egc_layer_fork) {
        node->partner = *open;
        *open = node;
    }
    if (node->spec.kind != &egc_layer_join)
        return EGC_OK;
    if (!*open)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "there is no fork in front of a join");
    node->partner = *open;
    *open = (*open)->partner;
    node->partner->partner = node;
    return EGC_OK;
}

static egc_status infer_node(egc_network *network, egc_node *node, const egc_shape *in,
                             egc_node **open, egc_error *err)
{
    node->in = *in;
    node->batch = network->batch;
    node->needs_input_grad = network->n_params > 0;
    egc_status status = match_join(node, open, err);
    if (!status)
        status = node->spec.kind->infer_shapes(node, err);
    if (status) {
        const char *name = node->spec.name ? node->spec.name : node->spec.kind->name;
        egc_error_prefix(err, "layer %zu (%s)", (size_t)(node - network->nodes) + 1, name);
        return status;
    }
    for (int i = 0; i < node->n_parameters; i++) {
        node->parameters[i].first = network->n_params;
        network->n_params += node->parameters[i].layer.count;
    }
    return EGC_OK;
}

static bool leads_to_relu(const egc_layer_kind *next)
{
    return next == &egc_layer_relu || next == &egc_layer_batch_norm;
}

static egc_status infer_shapes(egc_network *network, const egc_network_config *config,
                               egc_error *err)
{
    static const egc_layer_spec head = {.kind = &egc_layer_log_softmax};
    size_t n_layers = 0;
    while (config->layers[n_layers].kind)
        n_layers++;
    network->n_nodes = n_layers + 1;
    network->nodes = egc_calloc(network->n_nodes, sizeof *network->nodes);
    if (!network->nodes)
        return egc_fail_memory(err, network->n_nodes * sizeof *network->nodes);

    const egc_shape *in = &config->example;
    egc_node *open = NULL;
    for (size_t i = 0; i < network->n_nodes; i++) {
        egc_node *node = &network->nodes[i];
        node->spec = complete_spec(i < n_layers ? &config->layers[i] : &head, config);
        node->sequences = (egc_sequences){config->sequence, config->classes, config->dropout};
        node->place = i;
        node->feeds_relu = i < n_layers && leads_to_relu(config->layers[i + 1].kind);
        egc_status status = infer_node(network, node, in, &open, err);
        if (status)
            return status;
        in = &node->out;
    }
    if (open)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "layer %zu (fork): there is no join behind it",
                        (size_t)(open - network->nodes) + 1);
    return EGC_OK;
}

/* ---- building: primitives -------------------------------------------------------------------- */

static void build_forward(egc_network *network)
{
    egc_graph *graph = &network->graph;
    const dnnl_memory_desc_t desc = egc_layer_desc(network->nodes, graph, &network->nodes->in);
    egc_tensor *x = egc_graph_tensor(graph, &desc);
    network->examples = x->data;
    for (size_t i = 0; i < network->n_nodes && !graph->status; i++) {
        egc_node *node = &network->nodes[i];
        node->input = x;
        node->spec.kind->forward(node, graph);
        x = node->output;
    }
}

/* From the loss down to the first layer with parameters. */
static void build_backward(egc_network *network)
{
    egc_graph *graph = &network->graph;
    const egc_node *head = &network->nodes[network->n_nodes - 1];
    egc_tensor *grad = egc_graph_tensor(graph, &head->output->desc);
    bool more = network->n_params > 0;
    for (size_t i = network->n_nodes; more && i > 0 && !graph->status; i--) {
        egc_node *node = &network->nodes[i - 1];
        node->output_grad = grad;
        node->spec.kind->backward(node, graph);
        grad = node->input_grad;
        more = node->needs_input_grad;
    }
}

static egc_status build(egc_network *network, bool training, egc_error *err)
{
    egc_graph_init(&network->graph, training, err);
    if (!network->graph.status)
        build_forward(network);
    if (!network->graph.status && training)
        build_backward(network);
    return network->graph.status;
}

egc_status egc_network_new(const egc_network_config *config, egc_network **out, egc_error *err)
{
    egc_network *network = egc_calloc(1, sizeof *network);
    if (!network)
        return egc_fail_memory(err, sizeof *network);
    network->batch = config->batch;
    network->classes = config->classes;
    network->labels = egc_calloc(config->batch, sizeof *network->labels);
    egc_status status = network->labels
                            ? infer_shapes(network, config, err)
                            : egc_fail_memory(err, config->batch * sizeof *network->labels);
    if (!status)
        status = build(network, config->training, err);
    if (status) {
        egc_network_free(network);
        return status;
    }
    *out = network;
    return EGC_OK;
}

void egc_network_free(egc_network *network)
{
    if (!network)
        return;
    egc_graph_fini(&network->graph);
    egc_free(network->nodes);
    egc_free(network->labels);
    egc_free(network);
}

/* ---- running --------------------------------------------------------------------------------- */

size_t egc_network_parameters(const egc_network *network)
{
    size_t count = 0;
    for (size_t i = 0; i < network->n_nodes; i++)
        count += (size_t)network->nodes[i].n_parameters;
    return count;
}

const egc_parameter *egc_network_parameter(const egc_network *network, size_t i)
{
    const egc_node *node = network->nodes;
    for (; i >= (size_t)node->n_parameters; node++)
        i -= (size_t)node->n_parameters;
    return &node->parameters[i];
}

static size_t count_of(const egc_tensor *tensor)
{
    return dnnl_memory_desc_get_size(&tensor->desc) / sizeof(float);
}

/* A recurrent state before the first step of a batch, and after the last. */
typedef struct state_tensors {
    egc_tensor *in, *out;
} state_tensors;

/* The i-th recurrent state of all layers; NULL after the last. */
static state_tensors state_of(const egc_network *network, size_t i)
{
    for (size_t n = 0; n < network->n_nodes; n++)
        for (int j = 0; j < EGC_NODE_STATES && network->nodes[n].state_in[j]; j++)
            if (i-- == 0)
                return (state_tensors){network->nodes[n].state_in[j],
                                       network->nodes[n].state_out[j]};
    return (state_tensors){NULL, NULL};
}

size_t egc_network_state_size(const egc_network *network)
{
    size_t size = 0;
    for (size_t i = 0; state_of(network, i).in; i++)
        size += count_of(state_of(network, i).in);
    return size;
}

void egc_network_set_state(egc_network *network, const float *state)
{
    egc_tensor *in;
    for (size_t i = 0; (in = state_of(network, i).in); i++)
        if (state) {
            memcpy(in->data, state, count_of(in) * sizeof *state);
            state += count_of(in);
        } else
            memset(in->data, 0, count_of(in) * sizeof *state);
}

void egc_network_get_state(const egc_network *network, float *state)
{
    const egc_tensor *out;
    for (size_t i = 0; (out = state_of(network, i).out); i++) {
        memcpy(state, out->data, count_of(out) * sizeof *state);
        state += count_of(out);
    }
}

void egc_network_keep_state(egc_network *network)
{
    for (size_t i = 0; state_of(network, i).in; i++) {
        state_tensors state = state_of(network, i);
        memcpy(state.in->data, state.out->data, count_of(state.in) * sizeof(float));
    }
}

/* Points every parameter at its range of the flat vectors; either may be NULL. */
static egc_status attach(egc_network *network, float *values, float *grads, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = 0; i < network->n_nodes; i++) {
        egc_node *node = &network->nodes[i];
        for (int j = 0; j < node->n_parameters && !status; j++) {
            egc_parameter *parameter = &node->parameters[j];
            if (values)
                status = egc_graph_attach(parameter->value, values + parameter->first, err);
            if (grads && !status)
                status = egc_graph_attach(parameter->grad, grads + parameter->first, err);
        }
    }
    return status;
}

static bool is_most_probable(const float *log_probability, size_t classes, size_t label)
{
    for (size_t i = 0; i < classes; i++)
        if (i != label && !(log_probability[i] < log_probability[label]))
            return false;
    return true;
}

egc_status egc_network_forward(egc_network *network, const float *parameters, size_t count,
                               egc_network_outcome *out, egc_error *err)
{
    /* oneDNN takes tensors that it only reads as void * too. */
    egc_status status = attach(network, (float *)parameters, NULL, err);
    if (!status)
        status = egc_graph_run(&network->graph, EGC_PHASE_FORWARD, err);
    if (status)
        return status;
    const float *row = network->nodes[network->n_nodes - 1].output->data;
    *out = (egc_network_outcome){0};
    for (size_t i = 0; i < count; i++, row += network->classes) {
        size_t label = (size_t)network->labels[i];
        out->loss -= (double)row[label];
        out->correct += is_most_probable(row, network->classes, label);
    }
    return EGC_OK;
}

egc_status egc_network_backward(egc_network *network, float *gradient, egc_error *err)
{
    egc_status status = attach(network, NULL, gradient, err);
    if (status)
        return status;
    float *row = network->nodes[network->n_nodes - 1].output_grad->data;
    memset(row, 0, network->batch * network->classes * sizeof *row);
    for (size_t i = 0; i < network->batch; i++, row += network->classes)
        row[network->labels[i]] = -1.0f / (float)network->batch;
    return egc_graph_run(&network->graph, EGC_PHASE_BACKWARD, err);
}

/* ---- moments --------------------------------------------------------------------------------- */

size_t egc_network_moments(const egc_network *network)
{
    size_t count = 0;
    for (size_t i = 0; i < network->n_nodes; i++)
        count += 2 * network->nodes[i].moments.channels;
    return count;
}

void egc_network_get_moments(const egc_network *network, float *out)
{
    for (size_t i = 0; i < network->n_nodes; i++) {
        const egc_moments *moments = &network->nodes[i].moments;
        const size_t channels = moments->channels, count = moments->count;
        const bool is_estimate = network->graph.training && count > 1;
        const float unbiased = is_estimate ? (float)count / (float)(count - 1) : 1;
        for (size_t j = 0; j < channels; j++) {
            out[j] = moments->mean->data[j];
            out[channels + j] = unbiased * moments->variance->data[j];
        }
        out += 2 * channels;
    }
}

void egc_network_set_moments(egc_network *network, const float *moments)
{
    for (size_t i = 0; i < network->n_nodes; i++) {
        const egc_moments *to = &network->nodes[i].moments;
        const size_t channels = to->channels;
        if (channels == 0)
            continue;
        memcpy(to->mean->data, moments, channels * sizeof *moments);
        memcpy(to->variance->data, moments + channels, channels * sizeof *moments);
        moments += 2 * channels;
    }
}
