/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The largest of each window; windows lie side by side, and what is left at the border is not
 * looked at. */
#include "workloads/train/layers/pool.h"

static egc_status plan(egc_node *node, egc_error *err)
{
    egc_status status = egc_layer_check_window(node, 0, err);
    if (status)
        return status;
    node->out = (egc_shape){3, {node->in.dims[0]}};
    for (int i = 1; i < 3; i++)
        node->out.dims[i] = node->in.dims[i] / node->spec.kernel;
    return EGC_OK;
}

static egc_pool pool_of(const egc_node *node)
{
    dnnl_dim_t size = (dnnl_dim_t)node->spec.kernel;
    return (egc_pool){.kind = dnnl_pooling_max, .size = {size, size}, .strides = {size, size}};
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

const egc_layer_kind egc_layer_max_pool = {
    .name = "max_pool",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
