/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The largest of each window; windows lie side by side, and what is left at the border is not
 * looked at. The workspace remembers where the largest was. */
#include "workloads/train/layers/layer.h"

static egc_status plan(egc_node *node, egc_error *err)
{
    egc_status status = egc_node_check_window(node, 0, err);
    if (status)
        return status;
    node->out = (egc_shape){3, {node->in.dims[0]}};
    for (int i = 1; i < 3; i++)
        node->out.dims[i] = node->in.dims[i] / node->spec.kernel;
    return EGC_OK;
}

/* The windows in oneDNN's words. */
typedef struct windows {
    dnnl_dims_t size, padding;
} windows;

static windows windows_of(const egc_node *node)
{
    dnnl_dim_t size = (dnnl_dim_t)node->spec.kernel;
    return (windows){.size = {size, size}};
}

static egc_status describe_forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    dnnl_memory_desc_t dst;
    egc_status status = egc_node_desc(node, &node->out, &dst, err);
    if (status)
        return status;
    dst = egc_desc_any(&dst);
    windows w = windows_of(node);
    dnnl_pooling_desc_t desc;
    status = egc_graph_check(
        dnnl_pooling_forward_desc_init(
            &desc, graph->training ? dnnl_forward_training : dnnl_forward_inference,
            dnnl_pooling_max, &node->input->desc, &dst, w.size, w.size, w.padding, NULL),
        "describe a pool", err);
    return status ? status : egc_graph_describe(graph, &desc, NULL, &node->op, err);
}

static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_status status = describe_forward(node, graph, err);
    if (!status)
        status = egc_graph_tensor(graph, egc_op_desc(node->op, DNNL_ARG_DST), &node->output, err);
    if (!status && graph->training)
        status = egc_graph_tensor(graph, egc_op_desc(node->op, DNNL_ARG_WORKSPACE),
                                  &node->workspace, err);
    if (status)
        return status;
    const egc_binding bindings[] = {
        {DNNL_ARG_SRC, node->input},
        {DNNL_ARG_DST, node->output},
        {graph->training ? DNNL_ARG_WORKSPACE : 0, node->workspace},
        {0},
    };
    return egc_graph_append(graph, EGC_PHASE_FORWARD, node->op, bindings, err);
}

static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_op *op;
    egc_tensor *diff_dst;
    windows w = windows_of(node);
    dnnl_pooling_desc_t desc;
    egc_status status = egc_graph_check(
        dnnl_pooling_backward_desc_init(&desc, dnnl_pooling_max, &node->input->desc,
                                        &node->output->desc, w.size, w.size, w.padding, NULL),
        "describe a pool's gradient", err);
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
    const egc_binding bindings[] = {{DNNL_ARG_DIFF_DST, diff_dst},
                                    {DNNL_ARG_WORKSPACE, node->workspace},
                                    {DNNL_ARG_DIFF_SRC, node->input_grad},
                                    {0}};
    return egc_graph_append(graph, EGC_PHASE_BACKWARD, op, bindings, err);
}

const egc_layer_kind egc_layer_max_pool = {
    .name = "max_pool",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
