/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/cost.h"

#include <math.h>

enum { FLOAT_BYTES = 4, INDEX_BYTES = 4 };

static double seconds(const egc_device *device, double bytes, double kernels)
{
    return bytes / device->memory_Bps + kernels * device->launch_s;
}

/* Bytes per element that taking the gradient in reads and writes: v <- v + g touches v twice and
 * g once; momentum touches u twice more. */
static double memory_bytes_per_element(const egc_method *method)
{
    const egc_memory_type *memory = egc_memory_types()[method->options.memory];
    int touches = memory->has_velocity ? 5 : memory->has_residual ? 3 : 0;
    return touches * FLOAT_BYTES;
}

double egc_cost_encode(const egc_method *method, const egc_device *device, size_t n, size_t sent,
                       size_t wire_bytes)
{
    const egc_cost *cost = &method->compressor->cost;
    double memory_bytes = memory_bytes_per_element(method);
    double per_element =
        memory_bytes + cost->bytes_per_element + cost->sort_bytes_per_element * log2((double)n + 1);
    /* The sparse path gathers the chosen values, clears them in the memory and writes the wire. */
    double chosen = method->compressor->select
                        ? (double)sent * (3 * FLOAT_BYTES + INDEX_BYTES) + (double)wire_bytes
                        : 0;
    double kernels = cost->kernels + (memory_bytes > 0) + (method->compressor->select ? 2 : 0);
    return seconds(device, per_element * (double)n + chosen, kernels);
}

double egc_cost_decode(const egc_method *method, const egc_device *device, size_t n,
                       double wire_bytes, size_t n_messages)
{
    /* Dense messages are read and added: three touches. Sparse ones are read, and each element is
     * added at a scattered place of a cleared sum, which costs about as much again. */
    if (egc_method_is_linear(method))
        return seconds(device, 3 * wire_bytes, (double)n_messages);
    return seconds(device, (double)n * FLOAT_BYTES + 3 * wire_bytes, 1 + (double)n_messages);
}
