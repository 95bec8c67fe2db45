/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/layers/affine.h"

#include <math.h>

enum { WEIGHT, BIAS };

/* He, Zhang, Ren, Sun 2015: variance 2 / fan-in in front of a relu, which halves what passes. Where
 * none follows, 1 / fan-in keeps the size: a max-pool in between already makes values larger, and
 * logits that start large make the first steps diverge. A normalisation undoes any factor; in front
 * of one it is 2 / fan-in too, as in He et al.'s residual networks. */
static double initial_deviation(const egc_node *node, const egc_shape *weight)
{
    double fan_in = (double)(egc_shape_count(weight) / weight->dims[0]);
    return sqrt((node->feeds_relu ? 2 : 1) / fan_in);
}

/* Work is counted as multiplications and additions of the affine layers, as is usual. Backward
 * does the work of forward once for the weights and once for the input, if that is needed. */
void egc_affine_plan(egc_node *node, const egc_shape *weight, double multiply_adds)
{
    const egc_shape bias = {1, {weight->dims[0]}};
    double flops = 2 * multiply_adds;
    double outputs = (double)egc_shape_count(&node->out);
    egc_layer_add_parameter(node, "weight", weight, flops,
                           node->needs_input_grad ? 2 * flops : flops)
        ->deviation = initial_deviation(node, weight);
    if (!node->spec.no_bias)
        egc_layer_add_parameter(node, "bias", &bias, outputs, outputs);
}

/* A weight of a linear layer after images has the same bytes as one with the image's dimensions,
 * which is what oneDNN wants to see. */
static egc_status describe_weight(const egc_node *node, dnnl_memory_desc_t *out, egc_error *err)
{
    const egc_layer *weight = &node->parameters[WEIGHT].layer;
    bool flattens = weight->shape[2] == 0 && node->in.rank > 1;
    const size_t *inputs = flattens ? node->in.dims : weight->shape + 1;
    dnnl_dims_t dims = {(dnnl_dim_t)weight->shape[0]};
    for (int i = 0; i < node->in.rank; i++)
        dims[i + 1] = (dnnl_dim_t)inputs[i];
    return egc_graph_desc_plain(dims, node->in.rank + 1, out, err);
}

egc_status egc_affine_describe(const egc_node *node, egc_affine *out, egc_error *err)
{
    const dnnl_dims_t width = {(dnnl_dim_t)node->spec.width};
    *out = (egc_affine){0};
    egc_status status = egc_layer_desc(node, &node->in, &out->src, err);
    if (!status)
        status = describe_weight(node, &out->weight, err);
    if (!status && !node->spec.no_bias)
        status = egc_graph_desc_plain(width, 1, &out->bias, err);
    if (!status)
        status = egc_layer_desc(node, &node->out, &out->dst, err);
    return status;
}

static egc_status make_outside_tensors(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_affine affine;
    egc_status status = egc_affine_describe(node, &affine, err);
    const dnnl_memory_desc_t *descs[] = {&affine.weight, &affine.bias};
    for (int i = 0; i < node->n_parameters && !status; i++) {
        egc_parameter *parameter = &node->parameters[i];
        status = egc_graph_outside_tensor(graph, descs[i], &parameter->value, err);
        if (!status)
            status = egc_graph_outside_tensor(graph, descs[i], &parameter->grad, err);
    }
    return status;
}

/* An empty binding, which ends the list, where there is no bias. */
static egc_binding bias_binding(const egc_node *node, int arg)
{
    const egc_parameter *bias = &node->parameters[BIAS];
    if (node->spec.no_bias)
        return (egc_binding){0};
    return (egc_binding){arg, arg == DNNL_ARG_BIAS ? bias->value : bias->grad};
}

egc_status egc_affine_forward(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc,
                              egc_error *err)
{
    egc_tensor *src, *weight;
    egc_status status = make_outside_tensors(node, graph, err);
    if (!status)
        status = egc_graph_describe(graph, desc, NULL, &node->op, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_FORWARD, node->input,
                                   egc_graph_op_desc(node->op, DNNL_ARG_SRC), &src, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_FORWARD, node->parameters[WEIGHT].value,
                                   egc_graph_op_desc(node->op, DNNL_ARG_WEIGHTS), &weight, err);
    if (!status)
        status = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_DST), &node->output, err);
    if (status)
        return status;
    const egc_binding bindings[] = {{DNNL_ARG_SRC, src},
                                    {DNNL_ARG_WEIGHTS, weight},
                                    {DNNL_ARG_DST, node->output},
                                    bias_binding(node, DNNL_ARG_BIAS),
                                    {0}};
    return egc_graph_append(graph, EGC_PHASE_FORWARD, node->op, bindings, err);
}

egc_status egc_affine_backward_data(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc,
                                    egc_error *err)
{
    egc_op *op;
    egc_tensor *diff_dst, *weight;
    egc_status status = egc_graph_describe(graph, desc, node->op, &op, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad,
                                   egc_graph_op_desc(op, DNNL_ARG_DIFF_DST), &diff_dst, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->parameters[WEIGHT].value,
                                   egc_graph_op_desc(op, DNNL_ARG_WEIGHTS), &weight, err);
    if (!status)
        status =
            egc_graph_tensor(graph, egc_graph_op_desc(op, DNNL_ARG_DIFF_SRC), &node->input_grad, err);
    if (status)
        return status;
    const egc_binding bindings[] = {{DNNL_ARG_DIFF_DST, diff_dst},
                                    {DNNL_ARG_WEIGHTS, weight},
                                    {DNNL_ARG_DIFF_SRC, node->input_grad},
                                    {0}};
    return egc_graph_append(graph, EGC_PHASE_BACKWARD, op, bindings, err);
}

egc_status egc_affine_backward_weights(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc,
                                       egc_error *err)
{
    egc_op *op;
    egc_tensor *src, *diff_dst, *diff_weight;
    egc_tensor *grad = node->parameters[WEIGHT].grad;
    egc_status status = egc_graph_describe(graph, desc, node->op, &op, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->input,
                                   egc_graph_op_desc(op, DNNL_ARG_SRC), &src, err);
    if (!status)
        status = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad,
                                   egc_graph_op_desc(op, DNNL_ARG_DIFF_DST), &diff_dst, err);
    if (!status)
        status = egc_graph_receive(graph, grad, egc_graph_op_desc(op, DNNL_ARG_DIFF_WEIGHTS),
                                   &diff_weight, err);
    if (status)
        return status;
    const egc_binding bindings[] = {{DNNL_ARG_SRC, src},
                                    {DNNL_ARG_DIFF_DST, diff_dst},
                                    {DNNL_ARG_DIFF_WEIGHTS, diff_weight},
                                    bias_binding(node, DNNL_ARG_DIFF_BIAS),
                                    {0}};
    status = egc_graph_append(graph, EGC_PHASE_BACKWARD, op, bindings, err);
    return status ? status : egc_graph_deliver(graph, EGC_PHASE_BACKWARD, diff_weight, grad, err);
}
