/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = weight (x - mean) / sqrt(variance + 1e-5) + bias, for each channel (Ioffe, Szegedy 2015,
 * arXiv:1502.03167). In training mean and variance are those of the batch, and the gradient goes
 * through them; else they are given (egc_network_set_moments). With spec.relu, max(y, 0). */
#include "workloads/train/layers/layer.h"

enum { WEIGHT, BIAS };

#define EPSILON 1e-5f

static egc_status infer_shapes(egc_node *node, egc_error *err)
{
    egc_status status = egc_layer_check_image(node, err);
    if (status)
        return status;
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

static void make_channel_tensors(egc_node *node, egc_graph *graph)
{
    const dnnl_dims_t channels = {(dnnl_dim_t)node->in.dims[0]};
    const dnnl_memory_desc_t desc = egc_graph_desc_plain(graph, channels, 1);
    for (int i = 0; i < node->n_parameters; i++)
        egc_layer_add_tensors(node, graph, i, &desc);
    node->moments.mean = egc_graph_tensor(graph, &desc);
    node->moments.variance = egc_graph_tensor(graph, &desc);
    for (size_t i = 0; i < node->moments.channels && !graph->status; i++)
        node->moments.variance->data[i] = 1;
}

/* The workspace holds which outputs the relu let through. */
static void forward(egc_node *node, egc_graph *graph)
{
    make_channel_tensors(node, graph);
    dnnl_batch_normalization_desc_t desc;
    egc_graph_check(graph,
                    dnnl_batch_normalization_forward_desc_init(&desc, egc_graph_forward_kind(graph),
                                                               &node->input->desc, EPSILON,
                                                               flags_of(node, graph)),
                    "describe a batch normalisation");
    node->op = egc_graph_describe(graph, &desc, NULL);
    node->output = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_DST));
    bool has_workspace = graph->training && node->spec.relu;
    if (has_workspace)
        node->workspace = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_WORKSPACE));
    egc_graph_append(
        graph, EGC_PHASE_FORWARD, node->op,
        EGC_BINDINGS({DNNL_ARG_SRC, node->input}, {DNNL_ARG_SCALE, node->parameters[WEIGHT].value},
                     {DNNL_ARG_SHIFT, node->parameters[BIAS].value},
                     {DNNL_ARG_MEAN, node->moments.mean},
                     {DNNL_ARG_VARIANCE, node->moments.variance}, {DNNL_ARG_DST, node->output},
                     {has_workspace ? DNNL_ARG_WORKSPACE : 0, node->workspace}));
}

static void backward(egc_node *node, egc_graph *graph)
{
    const dnnl_memory_desc_t *layout = &node->input->desc;
    dnnl_batch_normalization_desc_t desc;
    egc_graph_check(graph,
                    dnnl_batch_normalization_backward_desc_init(
                        &desc, dnnl_backward, layout, layout, EPSILON, flags_of(node, graph)),
                    "describe a batch normalisation's gradient");
    egc_op *op = egc_graph_describe(graph, &desc, node->op);
    egc_tensor *diff_dst = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad, layout);
    node->input_grad = egc_graph_tensor(graph, layout);
    egc_graph_append(
        graph, EGC_PHASE_BACKWARD, op,
        EGC_BINDINGS({DNNL_ARG_SRC, node->input}, {DNNL_ARG_SCALE, node->parameters[WEIGHT].value},
                     {DNNL_ARG_SHIFT, node->parameters[BIAS].value},
                     {DNNL_ARG_MEAN, node->moments.mean},
                     {DNNL_ARG_VARIANCE, node->moments.variance}, {DNNL_ARG_DIFF_DST, diff_dst},
                     {DNNL_ARG_DIFF_SRC, node->input_grad},
                     {DNNL_ARG_DIFF_SCALE, node->parameters[WEIGHT].grad},
                     {DNNL_ARG_DIFF_SHIFT, node->parameters[BIAS].grad},
                     {node->spec.relu ? DNNL_ARG_WORKSPACE : 0, node->workspace}));
}

const egc_layer_kind egc_layer_batch_norm = {
    .name = "batch_norm",
    .infer_shapes = infer_shapes,
    .forward = forward,
    .backward = backward,
};
