/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convolution with square kernels: y[o] = bias[o] + sum over i of weight[o, i] * x[i], where * is
 * the cross-correlation that deep learning calls convolution. Weights: {out, in, kernel, kernel}.
 */
#include "workloads/train/layers/affine.h"

static egc_status plan(egc_node *node, egc_error *err)
{
    const egc_layer_spec *spec = &node->spec;
    egc_status status = egc_layer_check_window(node, spec->padding, err);
    if (status)
        return status;
    node->out = (egc_shape){3, {spec->width}};
    for (int i = 1; i < 3; i++)
        node->out.dims[i] =
            (node->in.dims[i] + 2 * spec->padding - spec->kernel) / spec->stride + 1;
    const egc_shape weight = {4, {spec->width, node->in.dims[0], spec->kernel, spec->kernel}};
    double positions = (double)(node->out.dims[1] * node->out.dims[2]);
    egc_affine_plan(node, &weight, positions * (double)egc_shape_count(&weight));
    return EGC_OK;
}

/* Where the windows lie, in oneDNN's words. */
typedef struct windows {
    dnnl_dims_t strides, padding;
} windows;

static windows windows_of(const egc_node *node)
{
    dnnl_dim_t stride = (dnnl_dim_t)node->spec.stride, padding = (dnnl_dim_t)node->spec.padding;
    return (windows){{stride, stride}, {padding, padding}};
}

static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_affine plain;
    egc_status status = egc_affine_describe(node, &plain, err);
    if (status)
        return status;
    const dnnl_memory_desc_t src = egc_graph_desc_any(&plain.src), weight = egc_graph_desc_any(&plain.weight),
                             dst = egc_graph_desc_any(&plain.dst);
    windows w = windows_of(node);
    dnnl_convolution_desc_t desc;
    status = egc_graph_check(
        dnnl_convolution_forward_desc_init(
            &desc, graph->training ? dnnl_forward_training : dnnl_forward_inference,
            dnnl_convolution_direct, &src, &weight, &plain.bias, &dst, w.strides, w.padding, NULL),
        "describe a convolution", err);
    return status ? status : egc_affine_forward(node, graph, &desc, err);
}

static egc_status backward_data(egc_node *node, egc_graph *graph, const egc_affine *plain,
                                egc_error *err)
{
    const dnnl_memory_desc_t src = egc_graph_desc_any(&plain->src), weight = egc_graph_desc_any(&plain->weight),
                             dst = egc_graph_desc_any(&plain->dst);
    windows w = windows_of(node);
    dnnl_convolution_desc_t desc;
    egc_status status = egc_graph_check(
        dnnl_convolution_backward_data_desc_init(&desc, dnnl_convolution_direct, &src, &weight,
                                                 &dst, w.strides, w.padding, NULL),
        "describe a convolution's input gradient", err);
    return status ? status : egc_affine_backward_data(node, graph, &desc, err);
}

static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_affine plain;
    egc_status status = egc_affine_describe(node, &plain, err);
    if (status)
        return status;
    const dnnl_memory_desc_t src = egc_graph_desc_any(&plain.src), weight = egc_graph_desc_any(&plain.weight),
                             dst = egc_graph_desc_any(&plain.dst);
    windows w = windows_of(node);
    dnnl_convolution_desc_t desc;
    status = egc_graph_check(
        dnnl_convolution_backward_weights_desc_init(&desc, dnnl_convolution_direct, &src, &weight,
                                                    &plain.bias, &dst, w.strides, w.padding, NULL),
        "describe a convolution's weight gradient", err);
    if (!status)
        status = egc_affine_backward_weights(node, graph, &desc, err);
    if (!status && node->needs_input_grad)
        status = backward_data(node, graph, &plain, err);
    return status;
}

const egc_layer_kind egc_layer_conv = {
    .name = "conv",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
