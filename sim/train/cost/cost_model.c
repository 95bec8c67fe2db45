/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes moved and kernels launched, counted for an implementation on the device; the code of this
 * library, which runs on the host, plays no part. */
#include "train/cost/cost_model.h"

#include <math.h>

#include "compressors/core/round_plan.h"

enum { FLOAT_BYTES = 4, INDEX_BYTES = 4 };

static double seconds(const egc_device *device, double bytes, double kernels)
{
    return bytes / device->memory_Bps + kernels * device->launch_s;
}

/* Bytes per element that error feedback reads and writes: v <- v + g touches v twice and g once;
 * momentum touches u twice more. */
static double feedback_bytes_per_element(const egc_method *method)
{
    const egc_error_feedback_type *error_feedback =
        egc_error_feedback_types()[method->options.error_feedback];
    int touches = error_feedback->has_velocity ? 5 : error_feedback->has_residual ? 3 : 0;
    return touches * FLOAT_BYTES;
}

bool egc_cost_model_is_free(const egc_method *method)
{
    const egc_compressor_cost *cost = &method->compressor->cost;
    return cost->bytes_per_element + cost->kernels == 0 &&
           feedback_bytes_per_element(method) == 0 && method->options.entropy == EGC_ENTROPY_NONE;
}

double egc_cost_model_encode(const egc_method *method, const egc_device *device,
                             const egc_cost_model_work *work)
{
    const egc_compressor_cost *cost = &method->compressor->cost;
    double per_element = work->round == 0 ? feedback_bytes_per_element(method) : 0;
    double kernels = per_element > 0, n = (double)work->n;
    /* Later rounds of a sparsifier only gather the values that the first chose. */
    if (work->round == 0 || !method->compressor->select) {
        per_element += cost->bytes_per_element + cost->sort_bytes_per_element * log2(n + 1);
        kernels += cost->kernels;
    }
    /* A sparsifier gathers the chosen values, clears their residual and writes the message. */
    double chosen = 0;
    if (method->compressor->select && work->round + 1 == egc_round_plan_count(method)) {
        chosen = (double)work->sent * (3 * FLOAT_BYTES + INDEX_BYTES) + work->wire_bytes;
        kernels += 2;
    }
    return seconds(device, per_element * n + chosen, kernels);
}

double egc_cost_model_decode(const egc_method *method, const egc_device *device,
                             const egc_cost_model_work *work)
{
    bool last = work->round + 1 == egc_round_plan_count(method);
    egc_element element = egc_round_plan_at(method, work->round).element;
    bool whole = method->compressor->traits & EGC_TRAIT_LINEAR;
    double n = (double)work->n;
    /* Dense vectors that the exchange has summed are the result. Separate ones are read and added,
     * which touches three floats per element. */
    if (whole && element)
        return work->reduced ? 0 : seconds(device, 3 * work->wire_bytes, (double)work->n_messages);
    /* Other messages are read, and each element is added at a scattered place of a cleared sum,
     * which costs about as much again. A compressor states the cost of decoding its own rounds. */
    double per_element =
        (last ? FLOAT_BYTES : 0) + method->compressor->cost.decode_bytes_per_element;
    return seconds(device, per_element * n + 3 * work->wire_bytes, 1 + (double)work->n_messages);
}

double egc_cost_model_merge(const egc_device *device, double in_bytes, double out_bytes)
{
    /* Lists are read twice: once to size the result and once to write it. */
    return seconds(device, 2 * in_bytes + out_bytes, 2);
}
