/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = weight * x + bias for any product * of oneDNN: parameters and their initial values (He,
 * Zhang, Ren, Sun 2015), and the arguments of the forward and the two backward primitives. */
#include "workloads/train/layers/affine.h"

#include <math.h>

enum { WEIGHT, BIAS };

/* He, Zhang, Ren, Sun 2015: variance 2 / fan-in before a relu, which halves the variance of its
 * input. Without a relu, 1 / fan-in keeps the variance: a max-pool in between already makes values
 * larger, and large initial logits make the first steps diverge. A normalisation cancels any
 * factor; before one it is 2 / fan-in too, as in He et al.'s residual networks. */
static double initial_deviation(const egc_node *node, const egc_shape *weight)
{
    double fan_in = (double)(egc_shape_count(weight) / weight->dims[0]);
    return sqrt((node->feeds_relu ? 2 : 1) / fan_in);
}

/* Work is counted as multiplications and additions of the affine layers, as is usual. Backward
 * does the work of forward once for the weights and, if needed, once for the input. */
void egc_affine_add_parameters(egc_node *node, const egc_shape *weight, double multiply_adds)
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

/* The weight of a linear layer after images has the same bytes as one with the image's dimensions,
 * which oneDNN requires. */
static dnnl_memory_desc_t describe_weight(const egc_node *node, egc_graph *graph)
{
    const egc_layer *weight = &node->parameters[WEIGHT].layer;
    bool flattens = weight->shape[2] == 0 && node->in.rank > 1;
    const size_t *inputs = flattens ? node->in.dims : weight->shape + 1;
    dnnl_dims_t dims = {(dnnl_dim_t)weight->shape[0]};
    for (int i = 0; i < node->in.rank; i++)
        dims[i + 1] = (dnnl_dim_t)inputs[i];
    return egc_graph_desc_plain(graph, dims, node->in.rank + 1);
}

egc_affine egc_affine_describe(const egc_node *node, egc_graph *graph)
{
    egc_affine affine = {.src = egc_layer_desc(node, graph, &node->in),
                         .weight = describe_weight(node, graph),
                         .dst = egc_layer_desc(node, graph, &node->out)};
    if (!node->spec.no_bias)
        affine.bias = egc_graph_desc_plain(graph, (dnnl_dims_t){(dnnl_dim_t)node->spec.width}, 1);
    return affine;
}

/* An empty binding, which ends the list, where there is no bias. */
static egc_binding bias_binding(const egc_node *node, int arg)
{
    const egc_parameter *bias = &node->parameters[BIAS];
    if (node->spec.no_bias)
        return (egc_binding){0};
    return (egc_binding){arg, arg == DNNL_ARG_BIAS ? bias->value : bias->grad};
}

void egc_affine_forward(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc)
{
    const egc_affine affine = egc_affine_describe(node, graph);
    const dnnl_memory_desc_t *descs[] = {&affine.weight, &affine.bias};
    for (int i = 0; i < node->n_parameters; i++)
        egc_layer_add_tensors(node, graph, i, descs[i]);
    node->op = egc_graph_describe(graph, desc, NULL);
    egc_tensor *src = egc_graph_convert(graph, EGC_PHASE_FORWARD, node->input,
                                        egc_graph_op_desc(node->op, DNNL_ARG_SRC));
    egc_tensor *weight = egc_graph_convert(graph, EGC_PHASE_FORWARD, node->parameters[WEIGHT].value,
                                           egc_graph_op_desc(node->op, DNNL_ARG_WEIGHTS));
    node->output = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_DST));
    egc_graph_append(graph, EGC_PHASE_FORWARD, node->op,
                     EGC_BINDINGS({DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weight},
                                  {DNNL_ARG_DST, node->output}, bias_binding(node, DNNL_ARG_BIAS)));
}

void egc_affine_backward_data(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc)
{
    egc_op *op = egc_graph_describe(graph, desc, node->op);
    egc_tensor *diff_dst = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad,
                                             egc_graph_op_desc(op, DNNL_ARG_DIFF_DST));
    egc_tensor *weight =
        egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->parameters[WEIGHT].value,
                          egc_graph_op_desc(op, DNNL_ARG_WEIGHTS));
    node->input_grad = egc_graph_tensor(graph, egc_graph_op_desc(op, DNNL_ARG_DIFF_SRC));
    egc_graph_append(graph, EGC_PHASE_BACKWARD, op,
                     EGC_BINDINGS({DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_WEIGHTS, weight},
                                  {DNNL_ARG_DIFF_SRC, node->input_grad}));
}

void egc_affine_backward_weights(egc_node *node, egc_graph *graph, const_dnnl_op_desc_t desc)
{
    egc_tensor *grad = node->parameters[WEIGHT].grad;
    egc_op *op = egc_graph_describe(graph, desc, node->op);
    egc_tensor *src = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->input,
                                        egc_graph_op_desc(op, DNNL_ARG_SRC));
    egc_tensor *diff_dst = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad,
                                             egc_graph_op_desc(op, DNNL_ARG_DIFF_DST));
    egc_tensor *diff_weight =
        egc_graph_receive(graph, grad, egc_graph_op_desc(op, DNNL_ARG_DIFF_WEIGHTS));
    egc_graph_append(graph, EGC_PHASE_BACKWARD, op,
                     EGC_BINDINGS({DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, diff_dst},
                                  {DNNL_ARG_DIFF_WEIGHTS, diff_weight},
                                  bias_binding(node, DNNL_ARG_DIFF_BIAS)));
    egc_graph_deliver(graph, EGC_PHASE_BACKWARD, diff_weight, grad);
}
