/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/cost/cost_model.h"
#include "compressors/core/round_plan.h"

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
    const egc_error_feedback_type *error_feedback =
        egc_error_feedback_types()[method->options.error_feedback];
    int touches = error_feedback->has_velocity ? 5 : error_feedback->has_residual ? 3 : 0;
    return touches * FLOAT_BYTES;
}

bool egc_cost_model_is_free(const egc_method *method)
{
    const egc_compressor_cost *cost = &method->compressor->cost;
    return cost->bytes_per_element + cost->kernels == 0 && memory_bytes_per_element(method) == 0 &&
           method->options.entropy == EGC_ENTROPY_NONE;
}

/* Whether the compressor's own kernels run for a message of this round, and not only the gathering
 * of values that an earlier round chose. */
static bool compressor_works(const egc_method *method, size_t round)
{
    const egc_compressor_type *type = method->compressor;
    bool values_alone = type->select && round > 0;
    return !values_alone;
}

double egc_cost_model_encode(const egc_method *method, const egc_device *device,
                             const egc_cost_model_work *work)
{
    const egc_compressor_cost *cost = &method->compressor->cost;
    double per_element = work->round == 0 ? memory_bytes_per_element(method) : 0;
    double kernels = per_element > 0, n = (double)work->n;
    if (compressor_works(method, work->round)) {
        per_element += cost->bytes_per_element + cost->sort_bytes_per_element * log2(n + 1);
        kernels += cost->kernels;
    }
    /* The sparse path gathers the chosen values, clears them in the memory and writes the wire. */
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
    /* Whole vectors that the exchange has summed are the result. Whole vectors that came one by one
     * are read and added: three touches. */
    if (whole && element)
        return work->reduced ? 0 : seconds(device, 3 * work->wire_bytes, (double)work->n_messages);
    /* Others are read, and each element is added at a scattered place of a cleared sum, which costs
     * about as much again. What a round of the compressor's own makes of them it states. */
    double per_element =
        (last ? FLOAT_BYTES : 0) + method->compressor->cost.decode_bytes_per_element;
    return seconds(device, per_element * n + 3 * work->wire_bytes, 1 + (double)work->n_messages);
}

double egc_cost_model_merge(const egc_device *device, double in_bytes, double out_bytes)
{
    /* Lists are read twice, once to place what is written and once to write it. */
    return seconds(device, 2 * in_bytes + out_bytes, 2);
}
