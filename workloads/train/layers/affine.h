/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common part of convolutions and linear layers: a weight, an optional bias, and primitives with
 * the same arguments. The file of such a layer only describes its three primitives. */
#ifndef EGC_WORKLOADS_TRAIN_LAYERS_AFFINE_H
#define EGC_WORKLOADS_TRAIN_LAYERS_AFFINE_H

#include "workloads/train/layers/layer.h"

/* Row-major descriptors of the tensors of an affine layer. Without a bias its descriptor is zeroed,
 * which oneDNN takes for none. */
typedef struct egc_affine {
    dnnl_memory_desc_t src, weight, bias, dst;
} egc_affine;

/* Gives node a weight of this shape and, unless spec.no_bias, a bias of one number for each output
 * channel. multiply_adds is the cost of one example. */
void egc_affine_add_parameters(egc_node *node, const egc_shape *weight, double multiply_adds);

egc_affine egc_affine_describe(const egc_node *node, egc_graph *graph);

/* Append the primitives that the operation descriptor describes. */
void egc_affine_forward(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc);
void egc_affine_backward_data(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc);
void egc_affine_backward_weights(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc);

#endif
