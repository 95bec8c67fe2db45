/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convolution with square kernels: y[o] = bias[o] + sum over i of weight[o, i] * x[i], where * is
 * the cross-correlation that deep learning calls convolution. Weights: {out, in, kernel, kernel}.
 */
#include "workloads/train/layers/affine.h"

static egc_status infer_shapes(egc_node *node, egc_error *err)
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
    egc_affine_add_parameters(node, &weight, positions * (double)egc_shape_count(&weight));
    return EGC_OK;
}

/* Arguments of the three descriptions: tensors in any layout, and the positions of the windows. */
typedef struct convolution {
    dnnl_memory_desc_t src, weight, bias, dst;
    dnnl_dims_t strides, padding;
} convolution;

static convolution describe(const egc_node *node, egc_graph *graph)
{
    const egc_affine plain = egc_affine_describe(node, graph);
    dnnl_dim_t stride = (dnnl_dim_t)node->spec.stride, padding = (dnnl_dim_t)node->spec.padding;
    return (convolution){.src = egc_graph_desc_any(&plain.src),
                         .weight = egc_graph_desc_any(&plain.weight),
                         .bias = plain.bias,
                         .dst = egc_graph_desc_any(&plain.dst),
                         .strides = {stride, stride},
                         .padding = {padding, padding}};
}

static void forward(egc_node *node, egc_graph *graph)
{
    const convolution c = describe(node, graph);
    dnnl_convolution_desc_t desc;
    egc_graph_check(graph,
                    dnnl_convolution_forward_desc_init(&desc, egc_graph_forward_kind(graph),
                                                       dnnl_convolution_direct, &c.src, &c.weight,
                                                       &c.bias, &c.dst, c.strides, c.padding, NULL),
                    "describe a convolution");
    egc_affine_forward(node, graph, &desc);
}

static void backward(egc_node *node, egc_graph *graph)
{
    const convolution c = describe(node, graph);
    dnnl_convolution_desc_t desc;
    egc_graph_check(graph,
                    dnnl_convolution_backward_weights_desc_init(&desc, dnnl_convolution_direct,
                                                                &c.src, &c.weight, &c.bias, &c.dst,
                                                                c.strides, c.padding, NULL),
                    "describe a convolution's weight gradient");
    egc_affine_backward_weights(node, graph, &desc);
    if (!node->needs_input_grad)
        return;
    egc_graph_check(graph,
                    dnnl_convolution_backward_data_desc_init(&desc, dnnl_convolution_direct, &c.src,
                                                             &c.weight, &c.dst, c.strides,
                                                             c.padding, NULL),
                    "describe a convolution's input gradient");
    egc_affine_backward_data(node, graph, &desc);
}

const egc_layer_kind egc_layer_conv = {
    .name = "conv",
    .infer_shapes = infer_shapes,
    .forward = forward,
    .backward = backward,
};
