/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = weight (x - mean) / sqrt(variance + 1e-5) + bias, for each channel (Ioffe, Szegedy 2015,
 * arXiv:1502.03167). In training mean and variance are those of the batch, and the gradient goes
 * through them; else they are given (egc_network_set_moments). With spec.relu, max(y, 0). */
#include "workloads/train/layers/layer.h"

enum { WEIGHT, BIAS };

#define EPSILON 1e-5f

static egc_status plan(egc_node *node, egc_error *err)
{
    if (node->in.rank != 3)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "a layer of kind batch_norm needs channels x height x width, got %zu "
                        "features",
                        egc_shape_count(&node->in));
    node->out = node->in;
    const egc_shape channels = {1, {node->in.dims[0]}};
    egc_layer_add_parameter(node, "weight", &channels, 0, 0)->start = 1;
    egc_layer_add_parameter(node, "bias", &channels, 0, 0);
    node->moments.channels = node->in.dims[0];
    node->moments.count = node->batch * node->in.dims[1] * node->in.dims[2];
    return EGC_OK;
}

static unsigned flags_of(const egc_node *node, const egc_graph *graph)
{
    unsigned flags = dnnl_use_scale | dnnl_use_shift;
    if (node->spec.relu)
        flags |= dnnl_fuse_norm_relu;
    if (!graph->training)
        flags |= dnnl_use_global_stats;
    return flags;
}

static egc_status make_channel_tensors(egc_node *node, egc_graph *graph, egc_error *err)
{
    const dnnl_dims_t channels = {(dnnl_dim_t)node->in.dims[0]};
    dnnl_memory_desc_t desc;
    egc_status status = egc_graph_desc_plain(channels, 1, &desc, err);
    for (int i = 0; i < node->n_parameters && !status; i++) {
        egc_parameter *parameter = &node->parameters[i];
        status = egc_graph_outside_tensor(graph, &desc, &parameter->value, err);
        if (!status)
            status = egc_graph_outside_tensor(graph, &desc, &parameter->grad, err);
    }
    if (!status)
        status = egc_graph_tensor(graph, &desc, &node->moments.mean, err);
    if (!status)
        status = egc_graph_tensor(graph, &desc, &node->moments.variance, err);
    for (size_t i = 0; i < node->moments.channels && !status; i++)
        node->moments.variance->data[i] = 1;
    return status;
}

static egc_status describe_forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    dnnl_batch_normalization_desc_t desc;
    egc_status status =
        egc_graph_check(dnnl_batch_normalization_forward_desc_init(
                            &desc, graph->training ? dnnl_forward_training : dnnl_forward_inference,
                            &node->input->desc, EPSILON, flags_of(node, graph)),
                        "describe a batch normalisation", err);
    return status ? status : egc_graph_describe(graph, &desc, NULL, &node->op, err);
}

/* The workspace remembers which outputs the relu let through. */
static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_status status = make_channel_tensors(node, graph, err);
    if (!status)
        status = describe_forward(node, graph, err);
    if (!status)
        status = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_DST), &node->output, err);
    bool remembers = graph->training && node->spec.relu;
    if (!status && remembers)
        status = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_WORKSPACE),
                                  &node->workspace, err);
    if (status)
        return status;
    const egc_binding bindings[] = {{DNNL_ARG_SRC, node->input},
                                    {DNNL_ARG_SCALE, node->parameters[WEIGHT].value},
                                    {DNNL_ARG_SHIFT, node->parameters[BIAS].value},
                                    {DNNL_ARG_MEAN, node->moments.mean},
                                    {DNNL_ARG_VARIANCE, node->moments.variance},
                                    {DNNL_ARG_DST, node->output},
                                    {remembers ? DNNL_ARG_WORKSPACE : 0, node->workspace},
                                    {0}};
    return egc_graph_append(graph, EGC_PHASE_FORWARD, node->op, bindings, err);
}

static egc_status describe_backward(egc_node *node, egc_graph *graph, egc_op **out, egc_error *err)
{
    const dnnl_memory_desc_t *layout = &node->input->desc;
    dnnl_batch_normalization_desc_t desc;
    egc_status status =
        egc_graph_check(dnnl_batch_normalization_backward_desc_init(
                            &desc, dnnl_backward, layout, layout, EPSILON, flags_of(node, graph)),
                        "describe a batch normalisation's gradient", err);
    return status ? status : egc_graph_describe(graph, &desc, node->op, out, err);
}

static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_op *op;
    egc_tensor *diff_dst;
    const dnnl_memory_desc_t *layout = &node->input->desc;
    egc_status status = describe_backward(node, graph, &op, err);
    if (!status)
        status =
            egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad, layout, &diff_dst, err);
    if (!status)
        status = egc_graph_tensor(graph, layout, &node->input_grad, err);
    if (status)
        return status;
    const egc_binding bindings[] = {{DNNL_ARG_SRC, node->input},
                                    {DNNL_ARG_SCALE, node->parameters[WEIGHT].value},
                                    {DNNL_ARG_SHIFT, node->parameters[BIAS].value},
                                    {DNNL_ARG_MEAN, node->moments.mean},
                                    {DNNL_ARG_VARIANCE, node->moments.variance},
                                    {DNNL_ARG_DIFF_DST, diff_dst},
                                    {DNNL_ARG_DIFF_SRC, node->input_grad},
                                    {DNNL_ARG_DIFF_SCALE, node->parameters[WEIGHT].grad},
                                    {DNNL_ARG_DIFF_SHIFT, node->parameters[BIAS].grad},
                                    {node->spec.relu ? DNNL_ARG_WORKSPACE : 0, node->workspace},
                                    {0}};
    return egc_graph_append(graph, EGC_PHASE_BACKWARD, op, bindings, err);
}

const egc_layer_kind egc_layer_batch_norm = {
    .name = "batch_norm",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
