/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mean of each channel over its image. */
#include "workloads/train/layers/layer.h"

static egc_status plan(egc_node *node, egc_error *err)
{
    if (node->in.rank != 3)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "a layer of kind global_pool needs channels x height x width, got %zu "
                        "features",
                        egc_shape_count(&node->in));
    node->out = (egc_shape){3, {node->in.dims[0], 1, 1}};
    return EGC_OK;
}

/* One window over the whole image, in oneDNN's words. */
typedef struct window {
    dnnl_dims_t size, strides, padding;
} window;

static window window_of(const egc_node *node)
{
    return (window){
        .size = {(dnnl_dim_t)node->in.dims[1], (dnnl_dim_t)node->in.dims[2]},
        .strides = {1, 1},
    };
}

static egc_status describe_forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    dnnl_memory_desc_t dst;
    egc_status status = egc_node_desc(node, &node->out, &dst, err);
    if (status)
        return status;
    dst = egc_desc_any(&dst);
    window w = window_of(node);
    dnnl_pooling_desc_t desc;
    status =
        egc_graph_check(dnnl_pooling_forward_desc_init(
                            &desc, graph->training ? dnnl_forward_training : dnnl_forward_inference,
                            dnnl_pooling_avg_exclude_padding, &node->input->desc, &dst, w.strides,
                            w.size, w.padding, NULL),
                        "describe a global pool", err);
    return status ? status : egc_graph_describe(graph, &desc, NULL, &node->op, err);
}

static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_status status = describe_forward(node, graph, err);
    if (!status)
        status = egc_graph_tensor(graph, egc_op_desc(node->op, DNNL_ARG_DST), &node->output, err);
    if (status)
        return status;
    const egc_binding bindings[] = {{DNNL_ARG_SRC, node->input}, {DNNL_ARG_DST, node->output}, {0}};
    return egc_graph_append(graph, EGC_PHASE_FORWARD, node->op, bindings, err);
}

static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_op *op;
    egc_tensor *diff_dst;
    window w = window_of(node);
    dnnl_pooling_desc_t desc;
    egc_status status = egc_graph_check(
        dnnl_pooling_backward_desc_init(&desc, dnnl_pooling_avg_exclude_padding, &node->input->desc,
                                        &node->output->desc, w.strides, w.size, w.padding, NULL),
        "describe a global pool's gradient", err);
    if (!status)
        status = egc_graph_describe(graph, &desc, node->op, &op, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad,
                                   egc_op_desc(op, DNNL_ARG_DIFF_DST), &diff_dst, err);
    if (!status)
        status =
            egc_graph_tensor(graph, egc_op_desc(op, DNNL_ARG_DIFF_SRC), &node->input_grad, err);
    if (status)
        return status;
    const egc_binding bindings[] = {
        {DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, node->input_grad}, {0}};
    return egc_graph_append(graph, EGC_PHASE_BACKWARD, op, bindings, err);
}

const egc_layer_kind egc_layer_global_pool = {
    .name = "global_pool",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
