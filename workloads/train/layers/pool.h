/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What pools share: oneDNN's pooling over windows of any kind. */
#ifndef EGC_WORKLOADS_TRAIN_LAYERS_POOL_H
#define EGC_WORKLOADS_TRAIN_LAYERS_POOL_H

#include "workloads/train/layers/layer.h"

typedef struct egc_pool {
    dnnl_alg_kind_t kind;
    dnnl_dims_t size, strides, padding;
} egc_pool;

/* As the members of egc_layer_kind. */
egc_status egc_pool_forward(egc_node *node, const egc_pool *pool, egc_graph *graph, egc_error *err);
egc_status egc_pool_backward(egc_node *node, const egc_pool *pool, egc_graph *graph,
                             egc_error *err);

#endif
