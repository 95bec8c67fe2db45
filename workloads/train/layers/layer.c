/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/layers/layer.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

size_t egc_shape_count(const egc_shape *shape)
{
    size_t count = 1;
    for (int i = 0; i < shape->rank; i++)
        count *= shape->dims[i];
    return count;
}

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

egc_status egc_layer_check_window(const egc_node *node, size_t padding, egc_error *err)
{
    const char *kind = node->spec.kind->name;
    size_t kernel = node->spec.kernel;
    const size_t *dims = node->in.dims;
    if (node->in.rank != 3)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "a layer of kind %s needs channels x height x width, got %zu features",
                        kind, egc_shape_count(&node->in));
    if (kernel < 1 || kernel > dims[1] + 2 * padding || kernel > dims[2] + 2 * padding)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "a %s of %zu x %zu does not fit an input of %zu x %zu", kind, kernel,
                        kernel, dims[1], dims[2]);
    return EGC_OK;
}

egc_status egc_layer_desc(const egc_node *node, const egc_shape *shape, dnnl_memory_desc_t *out,
                         egc_error *err)
{
    dnnl_dims_t dims = {(dnnl_dim_t)node->batch};
    for (int i = 0; i < shape->rank; i++)
        dims[i + 1] = (dnnl_dim_t)shape->dims[i];
    return egc_graph_desc_plain(dims, shape->rank + 1, out, err);
}
