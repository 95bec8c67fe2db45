/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dropout (Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov 2014): y = mask x in training,
 * where each number of the mask is 0 with probability p and 1 / (1 - p) otherwise, which keeps the
 * mean; y = x in evaluation. The mask depends only on graph->noise and the layer's place. */
#include <math.h>

#include "base/rng.h"
#include "workloads/train/layers/layer.h"

enum { SEED_MASK = 0x6d61736b }; /* "mask": stream of random numbers */

/* Two numbers of the mask from each draw. */
static void draw_mask(const egc_node *node, uint64_t noise, float *mask, size_t count)
{
    double p = node->sequences.dropout;
    uint32_t limit = (uint32_t)floor(ldexp(p, 32));
    float kept = (float)(1 / (1 - p));
    uint64_t state = egc_rng_derive_seed(noise, SEED_MASK, node->place);
    for (size_t i = 0; i < count; i += 2) {
        uint64_t bits = egc_rng_next(&state);
        mask[i] = (uint32_t)bits < limit ? 0 : kept;
        if (i + 1 < count)
            mask[i + 1] = (uint32_t)(bits >> 32) < limit ? 0 : kept;
    }
}

static size_t count_of(const egc_node *node)
{
    return node->batch * egc_shape_count(&node->out);
}

static void mask_output(const egc_graph *graph, void *data)
{
    const egc_node *node = data;
    const float *in = node->input->data;
    float *mask = node->workspace->data, *out = node->output->data;
    size_t count = count_of(node);
    draw_mask(node, graph->noise, mask, count);
    for (size_t i = 0; i < count; i++)
        out[i] = mask[i] * in[i];
}

static void mask_gradient(const egc_graph *graph, void *data)
{
    (void)graph;
    const egc_node *node = data;
    const float *mask = node->workspace->data, *from = node->output_grad->data;
    float *to = node->input_grad->data;
    size_t count = count_of(node);
    for (size_t i = 0; i < count; i++)
        to[i] = mask[i] * from[i];
}

/* Not in place: the previous layer may need its output for its gradient. */
static void forward(egc_node *node, egc_graph *graph)
{
    node->output = node->input;
    if (!graph->training || node->sequences.dropout == 0)
        return;
    const dnnl_memory_desc_t plain = egc_layer_desc(node, graph, &node->in);
    node->input = egc_graph_convert(graph, EGC_PHASE_FORWARD, node->input, &plain);
    node->workspace = egc_graph_tensor(graph, &plain);
    node->output = egc_graph_tensor(graph, &plain);
    egc_graph_append_call(graph, EGC_PHASE_FORWARD, mask_output, node);
}

static void backward(egc_node *node, egc_graph *graph)
{
    const dnnl_memory_desc_t *layout = &node->output->desc;
    node->input_grad = node->output_grad;
    if (!node->workspace)
        return;
    node->output_grad = egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad, layout);
    node->input_grad = egc_graph_tensor(graph, layout);
    egc_graph_append_call(graph, EGC_PHASE_BACKWARD, mask_gradient, node);
}

const egc_layer_kind egc_layer_dropout = {
    .name = "dropout",
    .infer_shapes = egc_layer_keep_shape,
    .forward = forward,
    .backward = backward,
};
