/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a skip connection ends: y = x + what the matching fork saw. If the layers in between made
 * the images smaller and deeper, the skip takes every stride-th row and column, and channels the
 * fork did not have get nothing added: the parameter-free shortcut, option A, of He, Zhang, Ren,
 * Sun 2016 (arXiv:1512.03385). */
#include "workloads/train/layers/join.h"

static egc_status fail_shapes(const egc_node *node, const size_t *from, const size_t *to,
                              egc_error *err)
{
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "a join with stride %zu does not fit %zu x %zu x %zu from its fork to "
                    "%zu x %zu x %zu",
                    node->spec.stride, from[0], from[1], from[2], to[0], to[1], to[2]);
}

static egc_status plan(egc_node *node, egc_error *err)
{
    const size_t *from = node->partner->in.dims, *to = node->in.dims;
    if (node->in.rank != 3 || node->partner->in.rank != 3)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "a layer of kind join needs channels x height x width on both ways");
    if (from[0] > to[0])
        return fail_shapes(node, from, to, err);
    for (int i = 1; i < 3; i++)
        if ((from[i] - 1) / node->spec.stride + 1 != to[i])
            return fail_shapes(node, from, to, err);
    node->out = node->in;
    return EGC_OK;
}

/* The channels of a tensor behind the layers, `wide`, that the fork has as well. */
static egc_status view_shared_channels(const egc_node *join, egc_graph *graph,
                                       const egc_tensor *wide, egc_tensor **out, egc_error *err)
{
    const dnnl_dims_t origin = {0};
    dnnl_dims_t dims;
    for (int i = 0; i < wide->desc.ndims; i++)
        dims[i] = wide->desc.dims[i];
    dims[1] = (dnnl_dim_t)join->partner->in.dims[0];
    dnnl_memory_desc_t desc;
    egc_status status =
        egc_graph_check(dnnl_memory_desc_init_submemory(&desc, &wide->desc, dims, origin),
                        "describe the channels of a skip connection", err);
    return status ? status : egc_graph_view(graph, wide, &desc, out, err);
}

/* Every stride-th row and column of a tensor in front of the layers, `large`. Strides count the
 * floats from one row or column to the next, whether channels are blocked or not. */
static egc_status view_strided(const egc_node *join, egc_graph *graph, const egc_tensor *large,
                               egc_tensor **out, egc_error *err)
{
    dnnl_memory_desc_t desc = large->desc;
    for (int i = 2; i < 4; i++) {
        desc.dims[i] = desc.padded_dims[i] = (dnnl_dim_t)join->in.dims[i - 1];
        desc.format_desc.blocking.strides[i] *= (dnnl_dim_t)join->spec.stride;
    }
    return egc_graph_view(graph, large, &desc, out, err);
}

static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_tensor *skip, *sum;
    egc_status status = egc_graph_own(graph, EGC_PHASE_FORWARD, node->input, &node->output, err);
    if (!status)
        status = view_strided(node, graph, node->partner->output, &skip, err);
    if (!status)
        status = view_shared_channels(node, graph, node->output, &sum, err);
    return status ? status : egc_graph_add(graph, EGC_PHASE_FORWARD, skip, sum, err);
}

/* The same gradient goes both ways, so neither may write over it. */
static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    (void)graph, (void)err;
    node->output_grad->kept = true;
    node->input_grad = node->output_grad;
    return EGC_OK;
}

egc_status egc_join_return(const egc_node *join, egc_graph *graph, egc_tensor *grad, egc_error *err)
{
    egc_tensor *skip, *sum;
    egc_status status = view_shared_channels(join, graph, join->output_grad, &skip, err);
    if (!status)
        status = view_strided(join, graph, grad, &sum, err);
    return status ? status : egc_graph_add(graph, EGC_PHASE_BACKWARD, skip, sum, err);
}

const egc_layer_kind egc_layer_join = {
    .name = "join",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
