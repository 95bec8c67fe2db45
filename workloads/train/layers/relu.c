/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = max(x, 0), in place unless another layer needs x. The backward pass reads y, which is
 * positive where x is. */
#include "workloads/train/layers/layer.h"

static void forward(egc_node *node, egc_graph *graph)
{
    dnnl_eltwise_desc_t desc;
    egc_graph_check(graph,
                    dnnl_eltwise_forward_desc_init(&desc, egc_graph_forward_kind(graph),
                                                   dnnl_eltwise_relu_use_dst_for_bwd,
                                                   &node->input->desc, 0, 0),
                    "describe a relu");
    node->op = egc_graph_describe(graph, &desc, NULL);
    node->output = node->input->kept ? egc_graph_tensor(graph, &node->input->desc) : node->input;
    node->output->kept = graph->training;
    egc_graph_append(graph, EGC_PHASE_FORWARD, node->op,
                     EGC_BINDINGS({DNNL_ARG_SRC, node->input}, {DNNL_ARG_DST, node->output}));
}

static void backward(egc_node *node, egc_graph *graph)
{
    dnnl_eltwise_desc_t desc;
    const dnnl_memory_desc_t *layout = &node->output->desc;
    egc_graph_check(graph,
                    dnnl_eltwise_backward_desc_init(&desc, dnnl_eltwise_relu_use_dst_for_bwd,
                                                    layout, layout, 0, 0),
                    "describe a relu's gradient");
    egc_op *op = egc_graph_describe(graph, &desc, node->op);
    egc_tensor *grad = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad, layout);
    node->input_grad = grad = egc_graph_own(graph, EGC_PHASE_BACKWARD, grad);
    egc_graph_append(graph, EGC_PHASE_BACKWARD, op,
                     EGC_BINDINGS({DNNL_ARG_DST, node->output}, {DNNL_ARG_DIFF_DST, grad},
                                  {DNNL_ARG_DIFF_SRC, grad}));
}

const egc_layer_kind egc_layer_relu = {
    .name = "relu",
    .infer_shapes = egc_layer_keep_shape,
    .forward = forward,
    .backward = backward,
};
