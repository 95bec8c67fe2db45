/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = row x of a table, x being the number of a word, given as a float (exact up to 2^24). Weights:
 * {words, width}. The gradient is zero in the rows of words that are not in the batch: sparse by
 * nature, dense in the flat vector. */
#include <assert.h>
#include <string.h>

#include "workloads/train/layers/layer.h"

enum { MAX_WORDS = 1 << 24 };

/* A look-up costs no multiplication, and the sum of the gradient is not counted either. Initial
 * values are as small as those of PyTorch's language-model example (uniform within 0.1). */
static egc_status infer_shapes(egc_node *node, egc_error *err)
{
    size_t words = node->sequences.words;
    if (egc_shape_count(&node->in) != 1 || node->needs_input_grad || words > MAX_WORDS)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "an embedding comes first and takes one of at most %d words, got %zu "
                        "numbers and %zu words",
                        MAX_WORDS, egc_shape_count(&node->in), words);
    const egc_shape weight = {2, {words, node->spec.width}};
    node->out = (egc_shape){1, {node->spec.width}};
    egc_layer_add_parameter(node, "weight", &weight, 0, 0)->deviation = 0.0577; /* 0.1 / sqrt 3 */
    return EGC_OK;
}

static size_t row_of(const egc_node *node, size_t example)
{
    size_t word = (size_t)node->input->data[example];
    assert(word < node->sequences.words);
    return word * node->spec.width;
}

static void look_up(const egc_graph *graph, void *data)
{
    (void)graph;
    const egc_node *node = data;
    const float *table = node->parameters[0].value->data;
    size_t width = node->spec.width;
    for (size_t i = 0; i < node->batch; i++)
        memcpy(node->output->data + i * width, table + row_of(node, i), width * sizeof *table);
}

static void add_up(const egc_graph *graph, void *data)
{
    (void)graph;
    const egc_node *node = data;
    size_t width = node->spec.width;
    float *grad = node->parameters[0].grad->data;
    memset(grad, 0, node->parameters[0].layer.count * sizeof *grad);
    const float *from = node->output_grad->data;
    for (size_t i = 0; i < node->batch; i++, from += width) {
        float *row = grad + row_of(node, i);
        for (size_t j = 0; j < width; j++)
            row[j] += from[j];
    }
}

static void forward(egc_node *node, egc_graph *graph)
{
    const dnnl_dims_t dims = {(dnnl_dim_t)node->sequences.words, (dnnl_dim_t)node->spec.width};
    const dnnl_memory_desc_t table = egc_graph_desc_plain(graph, dims, 2),
                             out = egc_layer_desc(node, graph, &node->out);
    egc_layer_add_tensors(node, graph, 0, &table);
    node->output = egc_graph_tensor(graph, &out);
    egc_graph_append_call(graph, EGC_PHASE_FORWARD, look_up, node);
}

static void backward(egc_node *node, egc_graph *graph)
{
    node->output_grad =
        egc_graph_convert(graph, EGC_PHASE_BACKWARD, node->output_grad, &node->output->desc);
    egc_graph_append_call(graph, EGC_PHASE_BACKWARD, add_up, node);
}

const egc_layer_kind egc_layer_embedding = {
    .name = "embedding",
    .infer_shapes = infer_shapes,
    .forward = forward,
    .backward = backward,
};
