/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One layer of long short-term memory (Hochreiter, Schmidhuber 1997; forget gate: Gers,
 * Schmidhuber, Cummins 2000), step by step along each stream:
 *
 *     i, f, g, o = four parts of weight_ih x + weight_hh h + bias
 *     c' = sigmoid(f) c + sigmoid(i) tanh(g),   h' = sigmoid(o) tanh(c')
 *
 * h' is the output and the next step's h. Weights: {4 width, in} and {4 width, width}, bias
 * {4 width}, the gates one after the other in this order, as PyTorch has them (whose two biases are
 * one here). The gradient goes back through the steps of a batch and no further. */
#include <math.h>
#include <string.h>

#include "workloads/train/layers/layer.h"

enum { INPUT, HIDDEN, BIAS };

enum { OUTPUT, CELL };

enum { GATES = 4 };

static egc_status plan(egc_node *node, egc_error *err)
{
    size_t sequence = node->sequences.sequence;
    if (node->in.rank != 1 || sequence == 0 || node->batch % sequence != 0)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "an lstm needs sequences of features");
    size_t width = node->spec.width, in = node->in.dims[0];
    node->out = (egc_shape){1, {width}};
    const egc_shape shapes[] = {{2, {GATES * width, in}}, {2, {GATES * width, width}}};
    static const char *const names[] = {"weight_ih", "weight_hh"};
    for (int i = INPUT; i <= HIDDEN; i++) {
        double flops = 2 * (double)egc_shape_count(&shapes[i]);
        egc_layer_add_parameter(node, names[i], &shapes[i], flops, 2 * flops)->deviation =
            1 / sqrt(3 * (double)width); /* as PyTorch's: uniform within 1 / sqrt(width) */
    }
    double outputs = (double)(GATES * width);
    egc_layer_add_parameter(node, "bias", &(egc_shape){1, {GATES * width}}, outputs, outputs);
    return EGC_OK;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* oneDNN's words: row-major tensors of one layer in one direction, with the weights of our flat
 * vector, where inputs lie innermost. */
typedef struct lstm {
    dnnl_memory_desc_t src, dst, state, weight[2], bias;
} lstm;

static egc_status describe_weight(size_t in, size_t width, dnnl_memory_desc_t *out, egc_error *err)
{
    const dnnl_dims_t dims = {1, 1, (dnnl_dim_t)in, GATES, (dnnl_dim_t)width};
    return egc_graph_check(dnnl_memory_desc_init_by_tag(out, 5, dims, dnnl_f32, dnnl_ldgoi),
                           "describe the weights of an lstm", err);
}

static egc_status describe(const egc_node *node, lstm *out, egc_error *err)
{
    size_t width = node->spec.width, in = node->in.dims[0];
    dnnl_dim_t steps = (dnnl_dim_t)node->sequences.sequence;
    dnnl_dim_t streams = (dnnl_dim_t)node->batch / steps;
    const dnnl_dims_t src = {steps, streams, (dnnl_dim_t)in};
    const dnnl_dims_t dst = {steps, streams, (dnnl_dim_t)width};
    const dnnl_dims_t state = {1, 1, streams, (dnnl_dim_t)width};
    const dnnl_dims_t bias = {1, 1, GATES, (dnnl_dim_t)width};
    egc_status status = egc_graph_desc_plain(src, 3, &out->src, err);
    if (!status)
        status = egc_graph_desc_plain(dst, 3, &out->dst, err);
    if (!status)
        status = egc_graph_desc_plain(state, 4, &out->state, err);
    if (!status)
        status = egc_graph_desc_plain(bias, 4, &out->bias, err);
    if (!status)
        status = describe_weight(in, width, &out->weight[INPUT], err);
    return status ? status : describe_weight(width, width, &out->weight[HIDDEN], err);
}

/* `tensor` in a row-major layout and with the rank that oneDNN's LSTM has it in. */
static egc_status view_steps(egc_node *node, egc_graph *graph, egc_phase phase,
                             const egc_shape *shape, egc_tensor *tensor,
                             const dnnl_memory_desc_t *as, egc_tensor **out, egc_error *err)
{
    dnnl_memory_desc_t plain;
    egc_status status = egc_layer_desc(node, shape, &plain, err);
    if (!status)
        status = egc_graph_convert(graph, phase, tensor, &plain, &tensor, err);
    return status ? status : egc_graph_view(graph, tensor, as, out, err);
}

/* ---- forward --------------------------------------------------------------------------------- */

static egc_status make_tensors(egc_node *node, egc_graph *graph, const lstm *plain, egc_error *err)
{
    const dnnl_memory_desc_t *descs[] = {&plain->weight[INPUT], &plain->weight[HIDDEN],
                                         &plain->bias};
    egc_status status = EGC_OK;
    for (int i = INPUT; i <= BIAS && !status; i++) {
        egc_parameter *parameter = &node->parameters[i];
        status = egc_graph_outside_tensor(graph, descs[i], &parameter->value, err);
        if (!status)
            status = egc_graph_outside_tensor(graph, descs[i], &parameter->grad, err);
    }
    for (int i = OUTPUT; i <= CELL && !status; i++) {
        status = egc_graph_tensor(graph, &plain->state, &node->state_in[i], err);
        if (!status)
            status = egc_graph_tensor(graph, &plain->state, &node->state_out[i], err);
    }
    return status;
}

static egc_status describe_forward(egc_node *node, egc_graph *graph, const lstm *plain,
                                   egc_error *err)
{
    const dnnl_memory_desc_t input = egc_graph_desc_any(&plain->weight[INPUT]),
                             hidden = egc_graph_desc_any(&plain->weight[HIDDEN]);
    dnnl_rnn_desc_t desc;
    egc_status status = egc_graph_check(
        dnnl_lstm_forward_desc_init(
            &desc, graph->training ? dnnl_forward_training : dnnl_forward_inference,
            dnnl_unidirectional_left2right, &plain->src, &plain->state, &plain->state, &input,
            &hidden, &plain->bias, &plain->dst, &plain->state, &plain->state, 0),
        "describe an lstm", err);
    return status ? status : egc_graph_describe(graph, &desc, NULL, &node->op, err);
}

/* The output as the rest of the network has it, dst as oneDNN does, and the workspace. */
static egc_status make_output(egc_node *node, egc_graph *graph, const lstm *plain, egc_tensor **dst,
                              egc_error *err)
{
    dnnl_memory_desc_t out;
    egc_status status = egc_layer_desc(node, &node->out, &out, err);
    if (!status)
        status = egc_graph_tensor(graph, &out, &node->output, err);
    if (!status)
        status = egc_graph_view(graph, node->output, &plain->dst, dst, err);
    if (!status && graph->training)
        status = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_WORKSPACE),
                                  &node->workspace, err);
    return status;
}

static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    lstm plain;
    egc_tensor *src, *dst, *input, *hidden;
    const egc_parameter *parameters = node->parameters;
    egc_status status = describe(node, &plain, err);
    if (!status)
        status = make_tensors(node, graph, &plain, err);
    if (!status)
        status = describe_forward(node, graph, &plain, err);
    if (!status)
        status = view_steps(node, graph, EGC_PHASE_FORWARD, &node->in, node->input, &plain.src,
                            &src, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_FORWARD, parameters[INPUT].value,
                                   egc_graph_op_desc(node->op, DNNL_ARG_WEIGHTS_LAYER), &input, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_FORWARD, parameters[HIDDEN].value,
                                   egc_graph_op_desc(node->op, DNNL_ARG_WEIGHTS_ITER), &hidden, err);
    if (!status)
        status = make_output(node, graph, &plain, &dst, err);
    if (status)
        return status;
    const egc_binding bindings[] = {
        {DNNL_ARG_SRC_LAYER, src},
        {DNNL_ARG_SRC_ITER, node->state_in[OUTPUT]},
        {DNNL_ARG_SRC_ITER_C, node->state_in[CELL]},
        {DNNL_ARG_WEIGHTS_LAYER, input},
        {DNNL_ARG_WEIGHTS_ITER, hidden},
        {DNNL_ARG_BIAS, parameters[BIAS].value},
        {DNNL_ARG_DST_LAYER, dst},
        {DNNL_ARG_DST_ITER, node->state_out[OUTPUT]},
        {DNNL_ARG_DST_ITER_C, node->state_out[CELL]},
        {graph->training ? DNNL_ARG_WORKSPACE : 0, node->workspace},
        {0},
    };
    return egc_graph_append(graph, EGC_PHASE_FORWARD, node->op, bindings, err);
}

/* ---- backward -------------------------------------------------------------------------------- */

static egc_status describe_backward(egc_node *node, egc_graph *graph, const lstm *plain,
                                    egc_op **out, egc_error *err)
{
    const dnnl_memory_desc_t input = egc_graph_desc_any(&plain->weight[INPUT]),
                             hidden = egc_graph_desc_any(&plain->weight[HIDDEN]);
    const dnnl_memory_desc_t *state = &plain->state, *bias = &plain->bias;
    dnnl_rnn_desc_t desc;
    egc_status status = egc_graph_check(
        dnnl_lstm_backward_desc_init(&desc, dnnl_backward, dnnl_unidirectional_left2right,
                                     &plain->src, state, state, &input, &hidden, bias, &plain->dst,
                                     state, state, &plain->src, state, state, &input, &hidden, bias,
                                     &plain->dst, state, state, 0),
        "describe an lstm's gradient", err);
    return status ? status : egc_graph_describe(graph, &desc, node->op, out, err);
}

/* oneDNN adds to the gradients of the parameters. */
static void clear(const egc_graph *graph, void *data)
{
    (void)graph;
    const egc_tensor *tensor = data;
    memset(tensor->data, 0, dnnl_memory_desc_get_size(&tensor->desc));
}

/* Tensors of the parameters as the primitive reads and writes them. */
typedef struct weights {
    egc_tensor *value[3], *grad[3];
} weights;

static egc_status make_weights(egc_node *node, egc_graph *graph, const egc_op *op, weights *out,
                               egc_error *err)
{
    static const int value_args[] = {DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_BIAS};
    static const int grad_args[] = {DNNL_ARG_DIFF_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_ITER,
                                    DNNL_ARG_DIFF_BIAS};
    egc_status status = EGC_OK;
    for (int i = INPUT; i <= BIAS && !status; i++) {
        const egc_parameter *parameter = &node->parameters[i];
        status = egc_graph_convert(graph, EGC_PHASE_BACKWARD, parameter->value,
                                   egc_graph_op_desc(op, value_args[i]), &out->value[i], err);
        if (!status)
            status = egc_graph_receive(graph, parameter->grad, egc_graph_op_desc(op, grad_args[i]),
                                       &out->grad[i], err);
        if (!status)
            status = egc_graph_append_call(graph, EGC_PHASE_BACKWARD, clear, out->grad[i], err);
    }
    return status;
}

/* What the primitive wants besides: nothing comes back from behind the last step, and what would go
 * back in front of the first is dropped. */
typedef struct ends {
    egc_tensor *src, *dst, *src_grad, *dst_grad;
    egc_tensor *nothing, *dropped[EGC_NODE_STATES];
} ends;

static egc_status make_ends(egc_node *node, egc_graph *graph, const lstm *plain, ends *out,
                            egc_error *err)
{
    dnnl_memory_desc_t in;
    egc_status status = view_steps(node, graph, EGC_PHASE_BACKWARD, &node->in, node->input,
                                   &plain->src, &out->src, err);
    if (!status)
        status = egc_graph_view(graph, node->output, &plain->dst, &out->dst, err);
    if (!status)
        status = view_steps(node, graph, EGC_PHASE_BACKWARD, &node->out, node->output_grad,
                            &plain->dst, &out->dst_grad, err);
    if (!status)
        status = egc_layer_desc(node, &node->in, &in, err);
    if (!status)
        status = egc_graph_tensor(graph, &in, &node->input_grad, err);
    if (!status)
        status = egc_graph_view(graph, node->input_grad, &plain->src, &out->src_grad, err);
    if (!status)
        status = egc_graph_tensor(graph, &plain->state, &out->nothing, err);
    for (int i = OUTPUT; i <= CELL && !status; i++)
        status = egc_graph_tensor(graph, &plain->state, &out->dropped[i], err);
    return status;
}

static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    lstm plain;
    egc_op *op;
    weights w;
    ends e;
    egc_status status = describe(node, &plain, err);
    if (!status)
        status = describe_backward(node, graph, &plain, &op, err);
    if (!status)
        status = make_ends(node, graph, &plain, &e, err);
    if (!status)
        status = make_weights(node, graph, op, &w, err);
    if (status)
        return status;
    const egc_binding bindings[] = {
        {DNNL_ARG_SRC_LAYER, e.src},
        {DNNL_ARG_SRC_ITER, node->state_in[OUTPUT]},
        {DNNL_ARG_SRC_ITER_C, node->state_in[CELL]},
        {DNNL_ARG_WEIGHTS_LAYER, w.value[INPUT]},
        {DNNL_ARG_WEIGHTS_ITER, w.value[HIDDEN]},
        {DNNL_ARG_BIAS, w.value[BIAS]},
        {DNNL_ARG_DST_LAYER, e.dst},
        {DNNL_ARG_DST_ITER, node->state_out[OUTPUT]},
        {DNNL_ARG_DST_ITER_C, node->state_out[CELL]},
        {DNNL_ARG_WORKSPACE, node->workspace},
        {DNNL_ARG_DIFF_DST_LAYER, e.dst_grad},
        {DNNL_ARG_DIFF_DST_ITER, e.nothing},
        {DNNL_ARG_DIFF_DST_ITER_C, e.nothing},
        {DNNL_ARG_DIFF_SRC_LAYER, e.src_grad},
        {DNNL_ARG_DIFF_SRC_ITER, e.dropped[OUTPUT]},
        {DNNL_ARG_DIFF_SRC_ITER_C, e.dropped[CELL]},
        {DNNL_ARG_DIFF_WEIGHTS_LAYER, w.grad[INPUT]},
        {DNNL_ARG_DIFF_WEIGHTS_ITER, w.grad[HIDDEN]},
        {DNNL_ARG_DIFF_BIAS, w.grad[BIAS]},
        {0},
    };
    status = egc_graph_append(graph, EGC_PHASE_BACKWARD, op, bindings, err);
    for (int i = INPUT; i <= BIAS && !status; i++)
        status =
            egc_graph_deliver(graph, EGC_PHASE_BACKWARD, w.grad[i], node->parameters[i].grad, err);
    return status;
}

const egc_layer_kind egc_layer_lstm = {
    .name = "lstm",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
