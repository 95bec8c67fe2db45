/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What convolutions and linear layers share: a weight, a bias if it is wanted, and primitives with
 * the same arguments. A file of such a layer only describes its three primitives. */
#ifndef EGC_WORKLOADS_TRAIN_LAYERS_AFFINE_H
#define EGC_WORKLOADS_TRAIN_LAYERS_AFFINE_H

#include "workloads/train/layers/layer.h"

/* Row-major descriptors of the tensors of an affine layer. Without a bias its descriptor is zeroed,
 * which oneDNN takes for none. */
typedef struct egc_affine {
    dnnl_memory_desc_t src, weight, bias, dst;
} egc_affine;

/* Gives node a weight of this shape and a bias of one number for each output channel, unless
 * spec.no_bias. multiply_adds is
 * how many one example costs. */
void egc_affine_plan(egc_node *node, const egc_shape *weight, double multiply_adds);

egc_status egc_affine_describe(const egc_node *node, egc_affine *out,
                               egc_error *err) EGC_MUST_CHECK;

/* Append the primitives that the operation descriptor describes. */
egc_status egc_affine_forward(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc,
                              egc_error *err) EGC_MUST_CHECK;
egc_status egc_affine_backward_data(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc,
                                    egc_error *err) EGC_MUST_CHECK;
egc_status egc_affine_backward_weights(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc,
                                       egc_error *err) EGC_MUST_CHECK;

#endif
