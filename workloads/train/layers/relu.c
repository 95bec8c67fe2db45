/* SPDX-License-Identifier: GPL-3.0-or-later */
/* max(x, 0), in place where nobody else needs x. The backward pass looks at the output: it is
 * positive where the input is. */
#include "workloads/train/layers/layer.h"

static egc_status plan(egc_node *node, egc_error *err)
{
    (void)err;
    node->out = node->in;
    return EGC_OK;
}

static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    dnnl_eltwise_desc_t desc;
    egc_status status =
        egc_graph_check(dnnl_eltwise_forward_desc_init(
                            &desc, graph->training ? dnnl_forward_training : dnnl_forward_inference,
                            dnnl_eltwise_relu_use_dst_for_bwd, &node->input->desc, 0, 0),
                        "describe a relu", err);
    if (!status)
        status = egc_graph_describe(graph, &desc, NULL, &node->op, err);
    node->output = node->input;
    if (!status && node->input->kept)
        status = egc_graph_tensor(graph, &node->input->desc, &node->output, err);
    if (status)
        return status;
    node->output->kept = graph->training;
    const egc_binding bindings[] = {{DNNL_ARG_SRC, node->input}, {DNNL_ARG_DST, node->output}, {0}};
    return egc_graph_append(graph, EGC_PHASE_FORWARD, node->op, bindings, err);
}

static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_op *op;
    dnnl_eltwise_desc_t desc;
    const dnnl_memory_desc_t *layout = &node->output->desc;
    egc_status status =
        egc_graph_check(dnnl_eltwise_backward_desc_init(&desc, dnnl_eltwise_relu_use_dst_for_bwd,
                                                        layout, layout, 0, 0),
                        "describe a relu's gradient", err);
    if (!status)
        status = egc_graph_describe(graph, &desc, node->op, &op, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad, layout,
                                   &node->input_grad, err);
    if (!status)
        status = egc_graph_own(graph, EGC_PHASE_BACKWARD, node->input_grad, &node->input_grad, err);
    if (status)
        return status;
    const egc_binding bindings[] = {{DNNL_ARG_DST, node->output},
                                    {DNNL_ARG_DIFF_DST, node->input_grad},
                                    {DNNL_ARG_DIFF_SRC, node->input_grad},
                                    {0}};
    return egc_graph_append(graph, EGC_PHASE_BACKWARD, op, bindings, err);
}

const egc_layer_kind egc_layer_relu = {
    .name = "relu",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
