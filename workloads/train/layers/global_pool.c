/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mean of each channel over its image. */
#include "workloads/train/layers/pool.h"

static egc_status plan(egc_node *node, egc_error *err)
{
    if (node->in.rank != 3)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "a layer of kind global_pool needs channels x height x width, got %zu "
                        "features",
                        egc_shape_count(&node->in));
    node->out = (egc_shape){3, {node->in.dims[0], 1, 1}};
    return EGC_OK;
}

/* One window over the whole image. */
static egc_pool pool_of(const egc_node *node)
{
    return (egc_pool){
        .kind = dnnl_pooling_avg_exclude_padding,
        .size = {(dnnl_dim_t)node->in.dims[1], (dnnl_dim_t)node->in.dims[2]},
        .strides = {1, 1},
    };
}

static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_pool pool = pool_of(node);
    return egc_pool_forward(node, &pool, graph, err);
}

static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_pool pool = pool_of(node);
    return egc_pool_backward(node, &pool, graph, err);
}

const egc_layer_kind egc_layer_global_pool = {
    .name = "global_pool",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
