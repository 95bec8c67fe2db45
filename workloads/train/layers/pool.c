/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pools by oneDNN: max_pool gives the largest value of each window, windows lying side by side and
 * the rest at the border being ignored; global_pool gives the mean of each channel. */
#include "workloads/train/layers/layer.h"

/* oneDNN's kind of pool, and its windows {height, width} in pixels. */
typedef struct pool {
    dnnl_alg_kind_t kind;
    dnnl_dims_t size, strides, padding;
} pool;

static pool max_windows(const egc_node *node)
{
    dnnl_dim_t size = (dnnl_dim_t)node->spec.kernel;
    return (pool){.kind = dnnl_pooling_max, .size = {size, size}, .strides = {size, size}};
}

/* One window over the whole image. */
static pool global_window(const egc_node *node)
{
    return (pool){.kind = dnnl_pooling_avg_exclude_padding,
                  .size = {(dnnl_dim_t)node->in.dims[1], (dnnl_dim_t)node->in.dims[2]},
                  .strides = {1, 1}};
}

static pool pool_of(const egc_node *node)
{
    return node->spec.kind == &egc_layer_max_pool ? max_windows(node) : global_window(node);
}

static egc_status infer_max_shapes(egc_node *node, egc_error *err)
{
    egc_status status = egc_layer_check_window(node, 0, err);
    if (status)
        return status;
    node->out = (egc_shape){3, {node->in.dims[0]}};
    for (int i = 1; i < 3; i++)
        node->out.dims[i] = node->in.dims[i] / node->spec.kernel;
    return EGC_OK;
}

static egc_status infer_global_shapes(egc_node *node, egc_error *err)
{
    node->out = (egc_shape){3, {node->in.dims[0], 1, 1}};
    return egc_layer_check_image(node, err);
}

/* In training a maximum keeps its position in the workspace. */
static egc_binding workspace_binding(const egc_node *node, const egc_graph *graph)
{
    bool kept = graph->training && node->spec.kind == &egc_layer_max_pool;
    return (egc_binding){kept ? DNNL_ARG_WORKSPACE : 0, node->workspace};
}

static void forward(egc_node *node, egc_graph *graph)
{
    const pool p = pool_of(node);
    const dnnl_memory_desc_t plain = egc_layer_desc(node, graph, &node->out),
                             dst = egc_graph_desc_any(&plain);
    dnnl_pooling_desc_t desc;
    egc_graph_check(graph,
                    dnnl_pooling_forward_desc_init(&desc, egc_graph_forward_kind(graph), p.kind,
                                                   &node->input->desc, &dst, p.strides, p.size,
                                                   p.padding, NULL),
                    "describe a pool");
    node->op = egc_graph_describe(graph, &desc, NULL);
    node->output = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_DST));
    if (workspace_binding(node, graph).arg)
        node->workspace = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_WORKSPACE));
    egc_graph_append(graph, EGC_PHASE_FORWARD, node->op,
                     EGC_BINDINGS({DNNL_ARG_SRC, node->input}, {DNNL_ARG_DST, node->output},
                                  workspace_binding(node, graph)));
}

static void backward(egc_node *node, egc_graph *graph)
{
    const pool p = pool_of(node);
    dnnl_pooling_desc_t desc;
    egc_graph_check(graph,
                    dnnl_pooling_backward_desc_init(&desc, p.kind, &node->input->desc,
                                                    &node->output->desc, p.strides, p.size,
                                                    p.padding, NULL),
                    "describe a pool's gradient");
    egc_op *op = egc_graph_describe(graph, &desc, node->op);
    egc_tensor *diff_dst = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad,
                                             egc_graph_op_desc(op, DNNL_ARG_DIFF_DST));
    node->input_grad = egc_graph_tensor(graph, egc_graph_op_desc(op, DNNL_ARG_DIFF_SRC));
    egc_graph_append(graph, EGC_PHASE_BACKWARD, op,
                     EGC_BINDINGS({DNNL_ARG_DIFF_DST, diff_dst},
                                  {DNNL_ARG_DIFF_SRC, node->input_grad},
                                  workspace_binding(node, graph)));
}

const egc_layer_kind egc_layer_max_pool = {
    .name = "max_pool",
    .infer_shapes = infer_max_shapes,
    .forward = forward,
    .backward = backward,
};

const egc_layer_kind egc_layer_global_pool = {
    .name = "global_pool",
    .infer_shapes = infer_global_shapes,
    .forward = forward,
    .backward = backward,
};
