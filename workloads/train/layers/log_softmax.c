/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = x - log(sum of exp x), over the outputs of an example. */
#include "workloads/train/layers/layer.h"

static egc_status infer_shapes(egc_node *node, egc_error *err)
{
    if (node->in.rank != 1)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "the outputs of a network must be a list, as a linear layer makes them; "
                        "got %d dimensions",
                        node->in.rank);
    return egc_layer_keep_shape(node, err);
}

static void forward(egc_node *node, egc_graph *graph)
{
    dnnl_logsoftmax_desc_t desc;
    egc_graph_check(graph,
                    dnnl_logsoftmax_forward_desc_init(&desc, egc_graph_forward_kind(graph),
                                                      &node->input->desc, 1),
                    "describe a log-softmax");
    node->op = egc_graph_describe(graph, &desc, NULL);
    node->output = egc_graph_tensor(graph, &node->input->desc);
    egc_graph_append(graph, EGC_PHASE_FORWARD, node->op,
                     EGC_BINDINGS({DNNL_ARG_SRC, node->input}, {DNNL_ARG_DST, node->output}));
}

static void backward(egc_node *node, egc_graph *graph)
{
    const dnnl_memory_desc_t *layout = &node->output->desc;
    dnnl_logsoftmax_desc_t desc;
    egc_graph_check(graph, dnnl_logsoftmax_backward_desc_init(&desc, layout, layout, 1),
                    "describe a log-softmax's gradient");
    egc_op *op = egc_graph_describe(graph, &desc, node->op);
    node->input_grad = egc_graph_tensor(graph, layout);
    egc_graph_append(graph, EGC_PHASE_BACKWARD, op,
                     EGC_BINDINGS({DNNL_ARG_DST, node->output},
                                  {DNNL_ARG_DIFF_DST, node->output_grad},
                                  {DNNL_ARG_DIFF_SRC, node->input_grad}));
}

const egc_layer_kind egc_layer_log_softmax = {
    .name = "log_softmax",
    .infer_shapes = infer_shapes,
    .forward = forward,
    .backward = backward,
};
