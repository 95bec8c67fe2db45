/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deep Gradient Compression (Lin et al. 2018, arXiv 1712.01887): the K = ceil(ratio n) largest,
 * found through a threshold that is estimated from a sample and adjusted by counting.
 *     wanted <- max(ceil(sample n), ceil(2 / ratio))        samples; all of n when n is no more
 *     stride <- 32 ceil(n / wanted / 32) + 1, lowered by 8 until n / stride >= wanted
 *     t <- the ceil((n / stride) ratio)-th largest |x_i| of every stride-th, from a random start
 *     repeat up to `rounds` times with c = the number of |x_i| >= t:
 *         c > 1.3 K -> the exact K largest of these (resample), or t <- 1.3 t (otherwise)
 *         c < 0.8 K -> t <- 0.8 t
 * Accumulation, momentum correction and masking are error feedback's (memory = "momentum"),
 * clipping and the ladder of densities the method's.
 *
 * Two things of the authors' code are not inherited. It keeps the first K by position of up to
 * 1.3 K elements, which favours low indices; here the K largest are kept, the lower index first
 * among equals. And where most elements are zero, so that t = 0, "|x_i| >= 0" selects everything
 * and 1.3 t stays 0; here zeros are never candidates, and the K largest of the others are sent.
 *
 * Known answer: n = 11,500 and ratio 0.01 want 200 samples: a stride of 32 ceil(1.797) + 1 = 65
 * gives 176, one of 57 gives 201; t is the third largest of them, and K = 115. */
#include <math.h>

#include "compressors/plugin.h"
#include "compressors/sparsifiers/largest.h"
#include "kernels/kernels.h"

typedef struct dgc_params {
    double ratio;
    double sample;
    bool resample;
    int64_t rounds;
} dgc_params;

static const egc_param params_table[] = {
    EGC_RATIO_PARAM(dgc_params, 0.001, "share of elements to send"),
    EGC_PARAM(dgc_params, sample, REAL, "sample",
              "share of elements the threshold is estimated from; 1: exact top-k", .def = 0.01,
              .min = 0.01, .max = 1),
    EGC_PARAM(dgc_params, resample, BOOL, "resample",
              "too many: choose again among them exactly; false: raise the threshold", .def = 1),
    EGC_PARAM(dgc_params, rounds, INT, "rounds", "how often the threshold may be adjusted",
              .def = 10, .max = 1000),
    EGC_PARAM_END,
};

static const double UPPER = 1.3, LOWER = 0.8;

/* ceil(share * n), at least 1; a product that is a hair above a whole number means it. */
static size_t count_up(double share, size_t n)
{
    double count = ceil(share * (double)n * (1 - 1e-12));
    return count < 1 ? 1 : count > (double)n ? n : (size_t)count;
}

static size_t sample_stride(double sample, double density, size_t n)
{
    double least = ceil(2 / density);
    if (sample >= 1 || (double)n <= least)
        return 1;
    size_t wanted = count_up(sample, n);
    wanted = (double)wanted > least ? wanted : (size_t)least;
    size_t stride = 32 * (size_t)ceil((double)n / (double)wanted / 32) + 1;
    while (n / stride < wanted)
        stride -= 8;
    return stride;
}

static egc_status estimate_threshold(const egc_context *context, const float *x, size_t n,
                                     size_t stride, double *threshold, egc_error *err)
{
    size_t start = gsl_rng_uniform_int(context->rng, stride), count = 0;
    size_t bytes = (n / stride + 1) * sizeof(float);
    float *sample = egc_arena_alloc(context->scratch, bytes), kth;
    if (!sample)
        return egc_fail_memory(err, bytes);
    for (size_t i = start; i < n; i += stride)
        sample[count++] = x[i];
    size_t rank = count_up(context->density, n / stride);
    egc_status status = egc_largest_kth(sample, count, rank, context->scratch, &kth, err);
    *threshold = (double)kth;
    return status;
}

static egc_status select_sampled(const void *params_, void *state, const egc_context *context,
                                 const float *x, size_t n, egc_selection *out, egc_error *err)
{
    (void)state;
    const dgc_params *params = params_;
    size_t k = count_up(context->density, n);
    size_t stride = sample_stride(params->sample, context->density, n);
    if (stride == 1)
        return egc_largest_select(x, n, k, context->scratch, out->index, &out->count, err);

    double t = 0;
    egc_status status = estimate_threshold(context, x, n, stride, &t, err);
    for (int64_t round = 0; !status; round++) {
        out->count = egc_kernels_get()->select(x, n, egc_largest_float_at_least(t), out->index);
        bool above = (double)out->count > UPPER * (double)k;
        bool below = (double)out->count < LOWER * (double)k;
        if (round == params->rounds || !(above || below) || (above && params->resample) || t == 0)
            break;
        t *= above ? UPPER : LOWER;
    }
    if (status || out->count <= k)
        return status;
    return egc_largest_among(x, k, context->scratch, out->index, &out->count, err);
}

static egc_status check(const void *params_, egc_error *err)
{
    const dgc_params *params = params_;
    bool adjusts = egc_param_changed(egc_param_find(params_table, "rounds"), params) ||
                   egc_param_changed(egc_param_find(params_table, "resample"), params);
    if (params->sample >= 1 && adjusts)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "rounds and resample adjust an estimate, and sample = 1 makes none");
    return EGC_OK;
}

const egc_compressor_type egc_compressor_dgc = {
    .name = "dgc",
    .summary = "the K largest elements by a sampled threshold (Deep Gradient Compression)",
    .size = "sparse, k <= K = ceil(ratio n)",
    .formula = "S = {i : |x_i| >= t}, t the ratio-quantile of a strided sample, adjusted by 1.3 "
               "and 0.8 until 0.8 K <= |S| <= 1.3 K; of more than K the K largest; C(x)_i = x_i "
               "on S",
    .reference = "Lin et al. 2018, arXiv 1712.01887",
    .traits = EGC_TRAIT_SCALE_FREE,
    .params = params_table,
    .params_size = sizeof(dgc_params),
    .settings = "memory=momentum;masking=true;dense_vectors=true",
    .check = check,
    .cost = {.bytes_per_element = 12, .kernels = 8},
    .density = egc_largest_ratio,
    .select = select_sampled,
};
