/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/layers/pool.h"

static egc_status describe_forward(egc_node *node, const egc_pool *pool, egc_graph *graph,
                                   egc_error *err)
{
    dnnl_memory_desc_t dst;
    egc_status status = egc_layer_desc(node, &node->out, &dst, err);
    if (status)
        return status;
    dst = egc_graph_desc_any(&dst);
    dnnl_pooling_desc_t desc;
    status = egc_graph_check(
        dnnl_pooling_forward_desc_init(
            &desc, graph->training ? dnnl_forward_training : dnnl_forward_inference, pool->kind,
            &node->input->desc, &dst, pool->strides, pool->size, pool->padding, NULL),
        "describe a pool", err);
    return status ? status : egc_graph_describe(graph, &desc, NULL, &node->op, err);
}

/* In training a maximum remembers where it was. */
static bool has_workspace(const egc_pool *pool, const egc_graph *graph)
{
    return graph->training && pool->kind == dnnl_pooling_max;
}

egc_status egc_pool_forward(egc_node *node, const egc_pool *pool, egc_graph *graph, egc_error *err)
{
    egc_status status = describe_forward(node, pool, graph, err);
    if (!status)
        status = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_DST), &node->output, err);
    if (!status && has_workspace(pool, graph))
        status = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_WORKSPACE),
                                  &node->workspace, err);
    if (status)
        return status;
    const egc_binding bindings[] = {
        {DNNL_ARG_SRC, node->input},
        {DNNL_ARG_DST, node->output},
        {has_workspace(pool, graph) ? DNNL_ARG_WORKSPACE : 0, node->workspace},
        {0},
    };
    return egc_graph_append(graph, EGC_PHASE_FORWARD, node->op, bindings, err);
}

egc_status egc_pool_backward(egc_node *node, const egc_pool *pool, egc_graph *graph, egc_error *err)
{
    egc_op *op;
    egc_tensor *diff_dst;
    dnnl_pooling_desc_t desc;
    egc_status status = egc_graph_check(
        dnnl_pooling_backward_desc_init(&desc, pool->kind, &node->input->desc, &node->output->desc,
                                        pool->strides, pool->size, pool->padding, NULL),
        "describe a pool's gradient", err);
    if (!status)
        status = egc_graph_describe(graph, &desc, node->op, &op, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad,
                                   egc_graph_op_desc(op, DNNL_ARG_DIFF_DST), &diff_dst, err);
    if (!status)
        status =
            egc_graph_tensor(graph, egc_graph_op_desc(op, DNNL_ARG_DIFF_SRC), &node->input_grad, err);
    if (status)
        return status;
    const egc_binding bindings[] = {
        {DNNL_ARG_DIFF_DST, diff_dst},
        {DNNL_ARG_DIFF_SRC, node->input_grad},
        {has_workspace(pool, graph) ? DNNL_ARG_WORKSPACE : 0, node->workspace},
        {0},
    };
    return egc_graph_append(graph, EGC_PHASE_BACKWARD, op, bindings, err);
}
