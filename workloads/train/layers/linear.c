/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = weight x + bias, x being all numbers of an example. Weights: {out, in}. */
#include "workloads/train/layers/affine.h"

static egc_status plan(egc_node *node, egc_error *err)
{
    (void)err;
    const egc_shape weight = {2, {node->spec.width, egc_shape_count(&node->in)}};
    node->out = (egc_shape){1, {node->spec.width}};
    egc_affine_plan(node, &weight, (double)egc_shape_count(&weight));
    return EGC_OK;
}

/* Input and weight stay row-major. oneDNN would rather block the weight, but moving the many
 * weights costs more than moving the few inputs of one batch. */
static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_affine plain;
    egc_status status = egc_affine_describe(node, &plain, err);
    if (status)
        return status;
    dnnl_inner_product_desc_t desc;
    status =
        egc_graph_check(dnnl_inner_product_forward_desc_init(
                            &desc, graph->training ? dnnl_forward_training : dnnl_forward_inference,
                            &plain.src, &plain.weight, &plain.bias, &plain.dst),
                        "describe a linear layer", err);
    return status ? status : egc_affine_forward(node, graph, &desc, err);
}

static egc_status backward_data(egc_node *node, egc_graph *graph, const egc_affine *plain,
                                egc_error *err)
{
    dnnl_inner_product_desc_t desc;
    egc_status status = egc_graph_check(
        dnnl_inner_product_backward_data_desc_init(&desc, &plain->src, &plain->weight, &plain->dst),
        "describe a linear layer's input gradient", err);
    return status ? status : egc_affine_backward_data(node, graph, &desc, err);
}

static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_affine plain;
    egc_status status = egc_affine_describe(node, &plain, err);
    if (status)
        return status;
    dnnl_inner_product_desc_t desc;
    status = egc_graph_check(dnnl_inner_product_backward_weights_desc_init(
                                 &desc, &plain.src, &plain.weight, &plain.bias, &plain.dst),
                             "describe a linear layer's weight gradient", err);
    if (!status)
        status = egc_affine_backward_weights(node, graph, &desc, err);
    if (!status && node->needs_input_grad)
        status = backward_data(node, graph, &plain, err);
    return status;
}

const egc_layer_kind egc_layer_linear = {
    .name = "linear",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
