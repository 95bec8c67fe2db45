/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers of the layers: parameters in the flat vector, checks of input shapes, and row-major
 * descriptors of batches. */
#include "workloads/train/layers/layer.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

egc_parameter *egc_layer_add_parameter(egc_node *node, const char *suffix, const egc_shape *shape,
                                       double forward_flops, double backward_flops)
{
    assert(node->n_parameters < EGC_NODE_PARAMETERS);
    egc_parameter *parameter = &node->parameters[node->n_parameters++];
    egc_layer *layer = &parameter->layer;
    snprintf(layer->name, sizeof layer->name, "%s.%s", node->spec.name, suffix);
    for (int i = 0; i < shape->rank; i++)
        layer->shape[i] = shape->dims[i];
    layer->count = egc_shape_count(shape);
    layer->forward_flops = forward_flops * (double)node->batch;
    layer->backward_flops = backward_flops * (double)node->batch;
    layer->forward_s = layer->backward_s = NAN;
    return parameter;
}

void egc_layer_add_tensors(egc_node *node, egc_graph *graph, int i, const dnnl_memory_desc_t *desc)
{
    node->parameters[i].value = egc_graph_outside_tensor(graph, desc);
    node->parameters[i].grad = egc_graph_outside_tensor(graph, desc);
}

egc_status egc_layer_check_image(const egc_node *node, egc_error *err)
{
    if (node->in.rank == 3)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "a layer of kind %s needs channels x height x width, got %zu features",
                    node->spec.kind->name, egc_shape_count(&node->in));
}

egc_status egc_layer_check_window(const egc_node *node, size_t padding, egc_error *err)
{
    size_t kernel = node->spec.kernel;
    const size_t *dims = node->in.dims;
    egc_status status = egc_layer_check_image(node, err);
    if (status)
        return status;
    if (kernel < 1 || kernel > dims[1] + 2 * padding || kernel > dims[2] + 2 * padding)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "a %s of %zu x %zu does not fit an input of %zu x %zu",
                        node->spec.kind->name, kernel, kernel, dims[1], dims[2]);
    return EGC_OK;
}

egc_status egc_layer_keep_shape(egc_node *node, egc_error *err)
{
    (void)err;
    node->out = node->in;
    return EGC_OK;
}

dnnl_memory_desc_t egc_layer_desc(const egc_node *node, egc_graph *graph, const egc_shape *shape)
{
    dnnl_dims_t dims = {(dnnl_dim_t)node->batch};
    for (int i = 0; i < shape->rank; i++)
        dims[i + 1] = (dnnl_dim_t)shape->dims[i];
    return egc_graph_desc_plain(graph, dims, shape->rank + 1);
}
