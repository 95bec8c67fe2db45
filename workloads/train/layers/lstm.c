/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One layer of long short-term memory (Hochreiter, Schmidhuber 1997; forget gate: Gers,
 * Schmidhuber, Cummins 2000), step by step along each stream:
 *
 *     i, f, g, o = four parts of weight_ih x + weight_hh h + bias
 *     c' = sigmoid(f) c + sigmoid(i) tanh(g),   h' = sigmoid(o) tanh(c')
 *
 * h' is the output and the next step's h. Weights: {4 width, in} and {4 width, width}, bias
 * {4 width}, the gates one after the other in this order, as PyTorch has them (whose two biases are
 * one here). The gradient goes back through the steps of a batch and no further. */
#include <math.h>
#include <string.h>

#include "workloads/train/layers/layer.h"

enum { INPUT, HIDDEN, BIAS };

enum { OUTPUT, CELL };

enum { GATES = 4 };

static egc_status infer_shapes(egc_node *node, egc_error *err)
{
    size_t sequence = node->sequences.sequence;
    if (node->in.rank != 1 || sequence == 0 || node->batch % sequence != 0)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "an lstm needs sequences of features");
    size_t width = node->spec.width, in = node->in.dims[0];
    node->out = (egc_shape){1, {width}};
    const egc_shape shapes[] = {{2, {GATES * width, in}}, {2, {GATES * width, width}}};
    static const char *const names[] = {"weight_ih", "weight_hh"};
    for (int i = INPUT; i <= HIDDEN; i++) {
        double flops = 2 * (double)egc_shape_count(&shapes[i]);
        egc_layer_add_parameter(node, names[i], &shapes[i], flops, 2 * flops)->deviation =
            1 / sqrt(3 * (double)width); /* as PyTorch's: uniform within 1 / sqrt(width) */
    }
    double outputs = (double)(GATES * width);
    egc_layer_add_parameter(node, "bias", &(egc_shape){1, {GATES * width}}, outputs, outputs);
    return EGC_OK;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Row-major tensors of a oneDNN LSTM of one layer in one direction, and its weights: in the layout
 * of our flat vector, where inputs lie innermost, and in any layout. */
typedef struct lstm {
    dnnl_memory_desc_t src, dst, state, bias, weight[2], any[2];
} lstm;

static dnnl_memory_desc_t describe_weight(egc_graph *graph, size_t in, size_t width)
{
    const dnnl_dims_t dims = {1, 1, (dnnl_dim_t)in, GATES, (dnnl_dim_t)width};
    dnnl_memory_desc_t desc = {0};
    egc_graph_check(graph, dnnl_memory_desc_init_by_tag(&desc, 5, dims, dnnl_f32, dnnl_ldgoi),
                    "describe the weights of an lstm");
    return desc;
}

static lstm describe(const egc_node *node, egc_graph *graph)
{
    size_t width_in = node->in.dims[0], width_out = node->spec.width;
    dnnl_dim_t steps = (dnnl_dim_t)node->sequences.sequence, in = (dnnl_dim_t)width_in;
    dnnl_dim_t streams = (dnnl_dim_t)node->batch / steps, width = (dnnl_dim_t)width_out;
    lstm out = {
        .src = egc_graph_desc_plain(graph, (dnnl_dims_t){steps, streams, in}, 3),
        .dst = egc_graph_desc_plain(graph, (dnnl_dims_t){steps, streams, width}, 3),
        .state = egc_graph_desc_plain(graph, (dnnl_dims_t){1, 1, streams, width}, 4),
        .bias = egc_graph_desc_plain(graph, (dnnl_dims_t){1, 1, GATES, width}, 4),
        .weight = {describe_weight(graph, width_in, width_out),
                   describe_weight(graph, width_out, width_out)},
    };
    for (int i = INPUT; i <= HIDDEN; i++)
        out.any[i] = egc_graph_desc_any(&out.weight[i]);
    return out;
}

/* `tensor` in a row-major layout, seen with the rank of oneDNN's LSTM. */
static egc_tensor *view_steps(egc_node *node, egc_graph *graph, egc_phase phase,
                              const egc_shape *shape, egc_tensor *tensor,
                              const dnnl_memory_desc_t *as)
{
    const dnnl_memory_desc_t plain = egc_layer_desc(node, graph, shape);
    return egc_graph_view(graph, egc_graph_convert(graph, phase, tensor, &plain), as);
}

/* ---- forward --------------------------------------------------------------------------------- */

static void make_tensors(egc_node *node, egc_graph *graph, const lstm *d)
{
    const dnnl_memory_desc_t *descs[] = {&d->weight[INPUT], &d->weight[HIDDEN], &d->bias};
    const dnnl_memory_desc_t out = egc_layer_desc(node, graph, &node->out);
    for (int i = INPUT; i <= BIAS; i++)
        egc_layer_add_tensors(node, graph, i, descs[i]);
    for (int i = OUTPUT; i <= CELL; i++) {
        node->state_in[i] = egc_graph_tensor(graph, &d->state);
        node->state_out[i] = egc_graph_tensor(graph, &d->state);
    }
    node->output = egc_graph_tensor(graph, &out);
}

static egc_op *describe_forward(egc_graph *graph, const lstm *d)
{
    dnnl_rnn_desc_t desc;
    egc_graph_check(graph,
                    dnnl_lstm_forward_desc_init(&desc, egc_graph_forward_kind(graph),
                                                dnnl_unidirectional_left2right, &d->src, &d->state,
                                                &d->state, &d->any[INPUT], &d->any[HIDDEN],
                                                &d->bias, &d->dst, &d->state, &d->state, 0),
                    "describe an lstm");
    return egc_graph_describe(graph, &desc, NULL);
}

static void forward(egc_node *node, egc_graph *graph)
{
    const lstm d = describe(node, graph);
    const egc_parameter *parameters = node->parameters;
    make_tensors(node, graph, &d);
    node->op = describe_forward(graph, &d);
    if (graph->training)
        node->workspace = egc_graph_tensor(graph, egc_graph_op_desc(node->op, DNNL_ARG_WORKSPACE));
    egc_tensor *src = view_steps(node, graph, EGC_PHASE_FORWARD, &node->in, node->input, &d.src);
    egc_tensor *input = egc_graph_convert(graph, EGC_PHASE_FORWARD, parameters[INPUT].value,
                                          egc_graph_op_desc(node->op, DNNL_ARG_WEIGHTS_LAYER));
    egc_tensor *hidden = egc_graph_convert(graph, EGC_PHASE_FORWARD, parameters[HIDDEN].value,
                                           egc_graph_op_desc(node->op, DNNL_ARG_WEIGHTS_ITER));
    egc_graph_append(
        graph, EGC_PHASE_FORWARD, node->op,
        EGC_BINDINGS({DNNL_ARG_SRC_LAYER, src}, {DNNL_ARG_SRC_ITER, node->state_in[OUTPUT]},
                     {DNNL_ARG_SRC_ITER_C, node->state_in[CELL]}, {DNNL_ARG_WEIGHTS_LAYER, input},
                     {DNNL_ARG_WEIGHTS_ITER, hidden}, {DNNL_ARG_BIAS, parameters[BIAS].value},
                     {DNNL_ARG_DST_LAYER, egc_graph_view(graph, node->output, &d.dst)},
                     {DNNL_ARG_DST_ITER, node->state_out[OUTPUT]},
                     {DNNL_ARG_DST_ITER_C, node->state_out[CELL]},
                     {graph->training ? DNNL_ARG_WORKSPACE : 0, node->workspace}));
}

/* ---- backward -------------------------------------------------------------------------------- */

static egc_op *describe_backward(const egc_node *node, egc_graph *graph, const lstm *d)
{
    dnnl_rnn_desc_t desc;
    egc_graph_check(graph,
                    dnnl_lstm_backward_desc_init(
                        &desc, dnnl_backward, dnnl_unidirectional_left2right, &d->src, &d->state,
                        &d->state, &d->any[INPUT], &d->any[HIDDEN], &d->bias, &d->dst, &d->state,
                        &d->state, &d->src, &d->state, &d->state, &d->any[INPUT], &d->any[HIDDEN],
                        &d->bias, &d->dst, &d->state, &d->state, 0),
                    "describe an lstm's gradient");
    return egc_graph_describe(graph, &desc, node->op);
}

/* Zeroes a tensor, because oneDNN adds to the gradients of the parameters. */
static void clear(const egc_graph *graph, void *data)
{
    (void)graph;
    const egc_tensor *tensor = data;
    memset(tensor->data, 0, dnnl_memory_desc_get_size(&tensor->desc));
}

/* Parameters as the primitive reads and writes them. */
typedef struct weights {
    egc_tensor *value[3], *grad[3];
} weights;

static weights make_weights(egc_node *node, egc_graph *graph, const egc_op *op)
{
    static const int value_args[] = {DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_BIAS};
    static const int grad_args[] = {DNNL_ARG_DIFF_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_ITER,
                                    DNNL_ARG_DIFF_BIAS};
    weights w;
    for (int i = INPUT; i <= BIAS; i++) {
        const egc_parameter *parameter = &node->parameters[i];
        w.value[i] = egc_graph_convert(graph, EGC_PHASE_BACKWARD, parameter->value,
                                       egc_graph_op_desc(op, value_args[i]));
        w.grad[i] = egc_graph_receive(graph, parameter->grad, egc_graph_op_desc(op, grad_args[i]));
        egc_graph_append_call(graph, EGC_PHASE_BACKWARD, clear, w.grad[i]);
    }
    return w;
}

/* Outputs and gradients as the primitive sees them. No gradient comes from after the last step
 * (`nothing`, zeros), and the gradient of the state before the first step is not used. */
typedef struct ends {
    egc_tensor *src, *dst, *src_grad, *dst_grad;
    egc_tensor *nothing, *unused[EGC_NODE_STATES];
} ends;

static ends make_ends(egc_node *node, egc_graph *graph, const lstm *d)
{
    const dnnl_memory_desc_t in = egc_layer_desc(node, graph, &node->in);
    ends e = {.src = view_steps(node, graph, EGC_PHASE_BACKWARD, &node->in, node->input, &d->src),
              .dst = egc_graph_view(graph, node->output, &d->dst)};
    e.dst_grad =
        view_steps(node, graph, EGC_PHASE_BACKWARD, &node->out, node->output_grad, &d->dst);
    node->input_grad = egc_graph_tensor(graph, &in);
    e.src_grad = egc_graph_view(graph, node->input_grad, &d->src);
    e.nothing = egc_graph_tensor(graph, &d->state);
    for (int i = OUTPUT; i <= CELL; i++)
        e.unused[i] = egc_graph_tensor(graph, &d->state);
    return e;
}

static void backward(egc_node *node, egc_graph *graph)
{
    const lstm d = describe(node, graph);
    egc_op *op = describe_backward(node, graph, &d);
    const ends e = make_ends(node, graph, &d);
    const weights w = make_weights(node, graph, op);
    const egc_binding bindings[] = {
        {DNNL_ARG_SRC_LAYER, e.src},
        {DNNL_ARG_SRC_ITER, node->state_in[OUTPUT]},
        {DNNL_ARG_SRC_ITER_C, node->state_in[CELL]},
        {DNNL_ARG_WEIGHTS_LAYER, w.value[INPUT]},
        {DNNL_ARG_WEIGHTS_ITER, w.value[HIDDEN]},
        {DNNL_ARG_BIAS, w.value[BIAS]},
        {DNNL_ARG_DST_LAYER, e.dst},
        {DNNL_ARG_DST_ITER, node->state_out[OUTPUT]},
        {DNNL_ARG_DST_ITER_C, node->state_out[CELL]},
        {DNNL_ARG_WORKSPACE, node->workspace},
        {DNNL_ARG_DIFF_DST_LAYER, e.dst_grad},
        {DNNL_ARG_DIFF_DST_ITER, e.nothing},
        {DNNL_ARG_DIFF_DST_ITER_C, e.nothing},
        {DNNL_ARG_DIFF_SRC_LAYER, e.src_grad},
        {DNNL_ARG_DIFF_SRC_ITER, e.unused[OUTPUT]},
        {DNNL_ARG_DIFF_SRC_ITER_C, e.unused[CELL]},
        {DNNL_ARG_DIFF_WEIGHTS_LAYER, w.grad[INPUT]},
        {DNNL_ARG_DIFF_WEIGHTS_ITER, w.grad[HIDDEN]},
        {DNNL_ARG_DIFF_BIAS, w.grad[BIAS]},
        {0},
    };
    egc_graph_append(graph, EGC_PHASE_BACKWARD, op, bindings);
    for (int i = INPUT; i <= BIAS; i++)
        egc_graph_deliver(graph, EGC_PHASE_BACKWARD, w.grad[i], node->parameters[i].grad);
}

const egc_layer_kind egc_layer_lstm = {
    .name = "lstm",
    .infer_shapes = infer_shapes,
    .forward = forward,
    .backward = backward,
};
