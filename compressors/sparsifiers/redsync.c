/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RedSync (Fang et al. 2019, arXiv 1808.04357): a threshold between the mean and the maximum of
 * the magnitudes, t(r) = mean + r (max - mean), found by trying few values of r. k = max(1,
 * floor(ratio n)) and c(r) = the number of |x_i| >= t(r).
 *   binary   l = 0, h = 1, and while h - l > 0.2: r = (l + h)/2, taken when k < c(r) < 2k;
 *            otherwise h = r when c(r) < k/2, l = r when not. The last r counts when none is
 *            taken. `reuse` > 1 keeps the threshold for so many steps, but looks for another at
 * once when it selects no element, or 2k and more. trimmed  r = 0.8, 0.6, ... until c(r) >= k, then
 * the exact k largest of those; a public copy leaves that step out. Below the mean everything is a
 * candidate. With `quantize`, the same on the positive elements of even steps and the negative ones
 * of odd steps (the others count as 0), and all chosen have the value of their mean: with one sign
 * a step one number says it all, and value = "mean" writes no other.
 *
 * The binary search tries three values at most and none below 0.125: under heavy tails it keeps far
 * fewer than k. |x_i| >= t where the published code has >, so that elements equal to the maximum
 * are sent even when everything does. Its momentum correction is error feedback's, its dense small
 * layers are the option min_elements. The paper searches in two ways by size and keeps thresholds
 * of large layers for a few steps; here that is the user's choice.
 *
 * Known answer, by hand: magnitudes 8, 7.2, 6, 1, 1, 1, 1, 1 with k = 3 have mean 3.275 and maximum
 * 8. Binary: c(0.5) = 3 of t = 5.64, which is not above k; c(0.75) = 2 of 6.82; c(0.875) = 1 of
 * 7.41, the last. Trimmed: c(0.8) = 2, c(0.6) = 2 of t = 6.11, c(0.4) = 3. */
#include <math.h>
#include <string.h>

#include "compressors/plugin.h"
#include "compressors/sparsifiers/largest.h"
#include "compressors/sparsifiers/moments.h"
#include "kernels/kernels.h"

typedef enum search { SEARCH_BINARY, SEARCH_TRIMMED } search;

typedef struct redsync_params {
    double ratio;
    int search;
    bool quantize;
    int64_t reuse;
} redsync_params;

static const char *const search_words[] = {"binary", "trimmed", NULL};

static const egc_param params_table[] = {
    EGC_RATIO_PARAM(redsync_params, 0.01, "share of elements to aim at"),
    EGC_PARAM(redsync_params, search, CHOICE, "search",
              "binary: between one and two times k; trimmed: exactly k", .def = SEARCH_BINARY,
              .choices = search_words),
    EGC_PARAM(redsync_params, quantize, BOOL, "quantize",
              "one sign a step, in turn, all as their mean; for value = \"mean\"", .def = 0),
    EGC_PARAM(redsync_params, reuse, INT, "reuse",
              "steps for which a threshold found by binary search is used", .def = 1, .min = 1,
              .max = 1e9),
    EGC_PARAM_END,
};

/* The threshold of each sign when quantising; otherwise the first is that of all. */
typedef struct redsync_state {
    struct kept {
        double threshold;
        int64_t uses_left;
    } kept[2];
} redsync_state;

/* The vector to search: all elements, or those of one sign. */
typedef struct candidates {
    const float *x;
    size_t n;
    size_t k;
    double mean;
    double max;
} candidates;

static void select_from(const candidates *all, double threshold, egc_selection *out)
{
    out->count = egc_kernels_get()->select(all->x, all->n, egc_largest_float_at_least(threshold),
                                           out->index);
}

static double threshold_at(const candidates *all, double r)
{
    return all->mean + r * (all->max - all->mean);
}

static double search_binary(const candidates *all, egc_selection *out)
{
    double low = 0, high = 1, threshold = 0;
    while (high - low > 0.2) {
        double r = (low + high) / 2;
        threshold = threshold_at(all, r);
        select_from(all, threshold, out);
        if (out->count > all->k && out->count < 2 * all->k)
            break;
        if (2 * out->count < all->k)
            high = r;
        else
            low = r;
    }
    return threshold;
}

static void select_binary(const redsync_params *params, struct kept *kept, const candidates *all,
                          egc_selection *out)
{
    if (kept->uses_left > 0) {
        kept->uses_left--;
        select_from(all, kept->threshold, out);
        if (out->count > 0 && out->count < 2 * all->k)
            return;
    }
    kept->threshold = search_binary(all, out);
    kept->uses_left = params->reuse - 1;
}

static egc_status select_trimmed(const candidates *all, egc_arena *scratch, egc_selection *out,
                                 egc_error *err)
{
    for (int fifths = 4; fifths >= 0; fifths--) {
        select_from(all, threshold_at(all, fifths / 5.0), out);
        if (out->count >= all->k)
            return egc_largest_among(all->x, all->k, scratch, out->index, &out->count, err);
    }
    return egc_largest_select(all->x, all->n, all->k, scratch, out->index, &out->count, err);
}

/* A copy in which the elements of the other sign are 0, by their sign bits: half of all branches
 * on them would be predicted wrongly. */
static egc_status one_sign(bool negative, egc_arena *scratch, candidates *all, egc_error *err)
{
    float *copy = egc_arena_alloc(scratch, all->n * sizeof *copy);
    if (!copy)
        return egc_fail_memory(err, all->n * sizeof *copy);
    for (size_t i = 0; i < all->n; i++) {
        uint32_t bits = egc_bits_of_float(all->x[i]);
        copy[i] = egc_bits_to_float(bits & ((bits >> 31 ^ (uint32_t)negative) - 1));
    }
    all->x = copy;
    all->max = (double)egc_kernels_get()->max_abs(copy, all->n);
    return EGC_OK;
}

static void fill_values(bool quantize, const float *x, egc_selection *out)
{
    double sum = 0;
    for (size_t i = 0; i < out->count; i++) {
        out->value[i] = x[out->index[i]];
        sum += (double)out->value[i];
    }
    for (size_t i = 0; quantize && i < out->count; i++)
        out->value[i] = (float)(sum / (double)out->count);
}

static egc_status select_between(const void *params_, void *state_, const egc_context *context,
                                 const float *x, size_t n, egc_selection *out, egc_error *err)
{
    const redsync_params *params = params_;
    redsync_state *state = state_;
    candidates all = {.x = x,
                      .n = n,
                      .k = egc_largest_count(context->density, n),
                      .max = (double)context->max_abs};
    bool negative = params->quantize && context->step % 2;
    egc_status status = params->quantize ? one_sign(negative, context->scratch, &all, err) : EGC_OK;
    if (status)
        return status;
    all.mean = egc_moments_mean_abs(all.x, n);
    if (params->search == SEARCH_TRIMMED)
        status = select_trimmed(&all, context->scratch, out, err);
    else
        select_binary(params, &state->kept[negative], &all, out);
    fill_values(params->quantize, x, out);
    return status;
}

static egc_status check(const void *params_, egc_error *err)
{
    const redsync_params *params = params_;
    if (params->reuse > 1 && params->search != SEARCH_BINARY)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "reuse needs search = \"binary\", got \"%s\"",
                        search_words[params->search]);
    return EGC_OK;
}

static size_t state_size(const void *params, const egc_unit *unit)
{
    (void)params, (void)unit;
    return sizeof(redsync_state);
}

static bool own_values(const void *params)
{
    return ((const redsync_params *)params)->quantize;
}

const egc_compressor_type egc_compressor_redsync = {
    .name = "redsync",
    .summary = "the elements above a threshold searched between mean and maximum",
    .size = "sparse, k = the number of |x_i| >= t",
    .formula = "S = {i : |x_i| >= t}, t = mean + r (max - mean) with k < |S| < 2k where few trials "
               "of r find it, or trimmed to the k largest; C(x)_i = x_i on S, or the mean of x_S",
    .reference = "Fang et al. 2019, arXiv 1808.04357",
    .traits = EGC_TRAIT_SCALE_FREE | EGC_TRAIT_OWN_VALUES,
    .params = params_table,
    .params_size = sizeof(redsync_params),
    .check = check,
    .state_size = state_size,
    .cost = {.bytes_per_element = 16, .kernels = 8},
    .density = egc_largest_ratio,
    .own_values = own_values,
    .select = select_between,
};
