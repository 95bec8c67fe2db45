/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random-k (Wangni et al. 2018; Stich et al. 2018): k = max(1, floor(ratio n)) elements, chosen
 * uniformly without replacement by a generator that all workers seed alike, so that no index is
 * sent and the messages can be summed.
 *
 * As they are, the values make a contraction in the mean, E ||x - C(x)||^2 = (1 - k/n) ||x||^2,
 * which the residual completes. With `scale` they are multiplied by n/k: then E C(x) = x with
 * variance (n/k - 1) ||x||^2, and no memory may be used, whose residual would be multiplied too.
 *
 * Public code draws with replacement, so that duplicates collapse and fewer than k are sent, draws
 * up to one past the end, or seeds from the letters of a layer's name. Here a bitmap takes Floyd's
 * draws (1987): for j = n-k ... n-1 a uniform t <= j, or j itself where t is taken already. Any
 * k-subset is equally likely, k numbers are drawn and none is beyond n - 1. Of more than half of
 * the elements those left out are drawn instead. */
#include <gsl/gsl_rng.h>

#include "compressors/plugin.h"
#include "compressors/sparsifiers/largest.h"

typedef struct randomk_params {
    double ratio;
    bool scale;
} randomk_params;

static const egc_param params_table[] = {
    EGC_RATIO_PARAM(randomk_params, 0.01, "share of elements to send"),
    EGC_PARAM(randomk_params, scale, BOOL, "scale",
              "multiply by n/k, which makes it unbiased; for memory = \"none\"", .def = 0),
    EGC_PARAM_END,
};

/* Sets k of n bits of a zeroed bitmap. */
static void draw(gsl_rng *rng, size_t k, size_t n, uint64_t *bitmap)
{
    for (size_t j = n - k; j < n; j++) {
        size_t t = gsl_rng_uniform_int(rng, j + 1);
        if (bitmap[t / 64] >> t % 64 & 1)
            t = j;
        bitmap[t / 64] |= (uint64_t)1 << t % 64;
    }
}

static egc_status select_random(const void *params, void *state, const egc_context *context,
                                const float *x, size_t n, egc_selection *out, egc_error *err)
{
    (void)params, (void)state, (void)x;
    size_t k = egc_largest_count(context->density, n), words = n / 64 + 1;
    uint64_t *bitmap = egc_arena_alloc(context->scratch, words * sizeof *bitmap);
    if (!bitmap)
        return egc_fail_memory(err, words * sizeof *bitmap);
    bool left_out = k > n / 2;
    draw(context->shared_rng, left_out ? n - k : k, n, bitmap);
    out->count = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t word = left_out ? ~bitmap[w] : bitmap[w];
        if (w == words - 1)
            word &= ((uint64_t)1 << n % 64) - 1;
        for (; word; word &= word - 1)
            out->index[out->count++] = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(word);
    }
    return EGC_OK;
}

static double gain(const void *params, const egc_context *context, size_t n)
{
    if (!((const randomk_params *)params)->scale)
        return 1;
    return (double)n / (double)egc_largest_count(context->density, n);
}

const egc_compressor_type egc_compressor_randomk = {
    .name = "randomk",
    .summary = "k elements at random, the same on all workers",
    .size = "values alone, k = max(1, floor(ratio n))",
    .formula = "S = k = max(1, floor(ratio n)) of n, uniform without replacement, from a shared "
               "seed; C(x)_i = x_i on S (scale: n/k x_i), 0 elsewhere",
    .reference = "Wangni et al. 2018, arXiv 1710.09854; Stich et al. 2018, arXiv 1809.07599",
    .traits = EGC_TRAIT_SHARED,
    .params = params_table,
    .params_size = sizeof(randomk_params),
    .settings = "memory=residual",
    .cost = {.bytes_per_element = 1, .kernels = 2},
    .gain = gain,
    .density = egc_largest_ratio,
    .select = select_random,
};
