/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = x - log(sum of exp x), over the outputs of an example. */
#include "workloads/train/layers/layer.h"

static egc_status plan(egc_node *node, egc_error *err)
{
    if (node->in.rank != 1)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "the outputs of a network must be a list, as a linear layer makes them; "
                        "got %d dimensions",
                        node->in.rank);
    node->out = node->in;
    return EGC_OK;
}

static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    dnnl_logsoftmax_desc_t desc;
    egc_status status =
        egc_graph_check(dnnl_logsoftmax_forward_desc_init(
                            &desc, graph->training ? dnnl_forward_training : dnnl_forward_inference,
                            &node->input->desc, 1),
                        "describe a log-softmax", err);
    if (!status)
        status = egc_graph_describe(graph, &desc, NULL, &node->op, err);
    if (!status)
        status = egc_graph_tensor(graph, &node->input->desc, &node->output, err);
    if (status)
        return status;
    const egc_binding bindings[] = {{DNNL_ARG_SRC, node->input}, {DNNL_ARG_DST, node->output}, {0}};
    return egc_graph_append(graph, EGC_PHASE_FORWARD, node->op, bindings, err);
}

static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_op *op;
    const dnnl_memory_desc_t *layout = &node->output->desc;
    dnnl_logsoftmax_desc_t desc;
    egc_status status =
        egc_graph_check(dnnl_logsoftmax_backward_desc_init(&desc, layout, layout, 1),
                        "describe a log-softmax's gradient", err);
    if (!status)
        status = egc_graph_describe(graph, &desc, node->op, &op, err);
    if (!status)
        status = egc_graph_tensor(graph, layout, &node->input_grad, err);
    if (status)
        return status;
    const egc_binding bindings[] = {{DNNL_ARG_DST, node->output},
                                    {DNNL_ARG_DIFF_DST, node->output_grad},
                                    {DNNL_ARG_DIFF_SRC, node->input_grad},
                                    {0}};
    return egc_graph_append(graph, EGC_PHASE_BACKWARD, op, bindings, err);
}

const egc_layer_kind egc_layer_log_softmax = {
    .name = "log_softmax",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
