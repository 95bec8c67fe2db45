/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Skip connections. A fork passes its input x on to the next layer and to the matching join, which
 * adds it to its own input: y = x' + x. If the layers in between made images smaller and deeper,
 * the skip takes every stride-th row and column, and channels the fork does not have get nothing
 * added: the parameter-free shortcut, option A, of He, Zhang, Ren, Sun 2016 (arXiv:1512.03385). */
#include "workloads/train/layers/layer.h"

static egc_status fail_shapes(const egc_node *node, const size_t *from, const size_t *to,
                              egc_error *err)
{
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "a join with stride %zu does not fit %zu x %zu x %zu from its fork to "
                    "%zu x %zu x %zu",
                    node->spec.stride, from[0], from[1], from[2], to[0], to[1], to[2]);
}

static egc_status infer_join_shapes(egc_node *node, egc_error *err)
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
    return egc_layer_keep_shape(node, err);
}

/* The channels of `wide`, a tensor at the join, that the fork has as well. */
static egc_tensor *view_shared_channels(const egc_node *join, egc_graph *graph,
                                        const egc_tensor *wide)
{
    const dnnl_dims_t origin = {0};
    dnnl_dims_t dims;
    for (int i = 0; i < wide->desc.ndims; i++)
        dims[i] = wide->desc.dims[i];
    dims[1] = (dnnl_dim_t)join->partner->in.dims[0];
    dnnl_memory_desc_t desc;
    egc_graph_check(graph, dnnl_memory_desc_init_submemory(&desc, &wide->desc, dims, origin),
                    "describe the channels of a skip connection");
    return egc_graph_view(graph, wide, &desc);
}

/* Every stride-th row and column of `large`, a tensor at the fork. Strides count the floats from
 * one row or column to the next, whether channels are blocked or not. */
static egc_tensor *view_strided(const egc_node *join, egc_graph *graph, const egc_tensor *large)
{
    dnnl_memory_desc_t desc = large->desc;
    for (int i = 2; i < 4; i++) {
        desc.dims[i] = desc.padded_dims[i] = (dnnl_dim_t)join->in.dims[i - 1];
        desc.format_desc.blocking.strides[i] *= (dnnl_dim_t)join->spec.stride;
    }
    return egc_graph_view(graph, large, &desc);
}

static void join_forward(egc_node *node, egc_graph *graph)
{
    node->output = egc_graph_own(graph, EGC_PHASE_FORWARD, node->input);
    egc_tensor *skip = view_strided(node, graph, node->partner->output);
    egc_graph_add(graph, EGC_PHASE_FORWARD, skip, view_shared_channels(node, graph, node->output));
}

/* The same gradient goes both ways, so neither may write over it. */
static void join_backward(egc_node *node, egc_graph *graph)
{
    (void)graph;
    node->output_grad->kept = true;
    node->input_grad = node->output_grad;
}

const egc_layer_kind egc_layer_join = {
    .name = "join",
    .infer_shapes = infer_join_shapes,
    .forward = join_forward,
    .backward = join_backward,
};

/* Nothing moves on the way forward. */
static void fork_forward(egc_node *node, egc_graph *graph)
{
    (void)graph;
    node->input->kept = true;
    node->output = node->input;
}

/* Adds the gradient that comes back through the skip connection to that of the next layer. */
static void fork_backward(egc_node *node, egc_graph *graph)
{
    const egc_node *join = node->partner;
    node->input_grad = egc_graph_own(graph, EGC_PHASE_BACKWARD, node->output_grad);
    egc_tensor *skip = view_shared_channels(join, graph, join->output_grad);
    egc_graph_add(graph, EGC_PHASE_BACKWARD, skip, view_strided(join, graph, node->input_grad));
}

const egc_layer_kind egc_layer_fork = {
    .name = "fork",
    .infer_shapes = egc_layer_keep_shape,
    .forward = fork_forward,
    .backward = fork_backward,
};
