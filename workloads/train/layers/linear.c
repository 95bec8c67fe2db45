/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = weight x + bias, x being all numbers of an example. Weights: {out, in}. */
#include "workloads/train/layers/affine.h"

static egc_status infer_shapes(egc_node *node, egc_error *err)
{
    (void)err;
    const egc_shape weight = {2, {node->spec.width, egc_shape_count(&node->in)}};
    node->out = (egc_shape){1, {node->spec.width}};
    egc_affine_add_parameters(node, &weight, (double)egc_shape_count(&weight));
    return EGC_OK;
}

/* Input and weight stay row-major. oneDNN would rather block the weight, but moving the many
 * weights costs more than moving the few inputs of one batch. */
static void forward(egc_node *node, egc_graph *graph)
{
    const egc_affine a = egc_affine_describe(node, graph);
    dnnl_inner_product_desc_t desc;
    egc_graph_check(graph,
                    dnnl_inner_product_forward_desc_init(&desc, egc_graph_forward_kind(graph),
                                                         &a.src, &a.weight, &a.bias, &a.dst),
                    "describe a linear layer");
    egc_affine_forward(node, graph, &desc);
}

static void backward(egc_node *node, egc_graph *graph)
{
    const egc_affine a = egc_affine_describe(node, graph);
    dnnl_inner_product_desc_t desc;
    egc_graph_check(
        graph,
        dnnl_inner_product_backward_weights_desc_init(&desc, &a.src, &a.weight, &a.bias, &a.dst),
        "describe a linear layer's weight gradient");
    egc_affine_backward_weights(node, graph, &desc);
    if (!node->needs_input_grad)
        return;
    egc_graph_check(graph,
                    dnnl_inner_product_backward_data_desc_init(&desc, &a.src, &a.weight, &a.dst),
                    "describe a linear layer's input gradient");
    egc_affine_backward_data(node, graph, &desc);
}

const egc_layer_kind egc_layer_linear = {
    .name = "linear",
    .infer_shapes = infer_shapes,
    .forward = forward,
    .backward = backward,
};
