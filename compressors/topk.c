/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Top-k: the k = max(1, floor(ratio n)) elements of largest magnitude (Aji and Heafield 2017;
 * Stich et al. 2018). Equal magnitudes go by index, the lower first, so that the set does not
 * depend on the machine. Exact zeros carry nothing and are not sent.
 *
 * The k-th magnitude is found by a radix select: the bits of |x|, read as an integer, are ordered
 * like the magnitudes. One histogram of the top 11 bits over all elements, then further bits of
 * the few elements that share the decisive bin.
 *
 * Contraction: ||x - C(x)||^2 <= (1 - k/n) ||x||^2. */
#include <math.h>
#include <string.h>

#include "compressors/compressor.h"

typedef struct topk_params {
    double ratio;
} topk_params;

static const egc_param params_table[] = {
    {"ratio", "share of elements to send", EGC_PARAM_REAL, EGC_QUANTITY_NONE,
     offsetof(topk_params, ratio), 0.01, 0, 1, EGC_PARAM_OPEN_MIN, NULL, NULL},
    EGC_PARAM_END,
};

enum { RADIX_BITS = 11, RADIX_BINS = 1 << RADIX_BITS };

static uint32_t magnitude_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x7fffffff;
}

static size_t count_for(double density, size_t n)
{
    /* 0.29 * 100 is a hair below 29 in binary; the user means 29. */
    double k = floor(density * (double)n * (1 + 1e-12));
    return k < 1 ? 1 : k > (double)n ? n : (size_t)k;
}

/* The bin in which the k-th largest lies; *k becomes its rank within that bin. */
static uint32_t decisive_bin(const uint32_t *counts, size_t *k)
{
    uint32_t bin = RADIX_BINS - 1;
    while (counts[bin] < *k)
        *k -= counts[bin--];
    return bin;
}

/* The bits of the k-th largest magnitude of x, 1 <= k <= n. *k becomes how many of the elements
 * with exactly these bits belong to the k. candidates has room for n. */
static uint32_t kth_largest(const float *x, size_t n, size_t *k, uint32_t *candidates)
{
    static const unsigned shifts[] = {20, 9, 0}; /* 11 + 11 + 9 bits */
    uint32_t counts[RADIX_BINS] = {0};
    for (size_t i = 0; i < n; i++)
        counts[magnitude_bits(x[i]) >> shifts[0]]++;
    uint32_t prefix = decisive_bin(counts, k);
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        if (magnitude_bits(x[i]) >> shifts[0] == prefix)
            candidates[left++] = magnitude_bits(x[i]);
    for (int level = 1; level < 3; level++) {
        uint32_t mask = (1u << (shifts[level - 1] - shifts[level])) - 1;
        memset(counts, 0, sizeof counts);
        for (size_t i = 0; i < left; i++)
            counts[candidates[i] >> shifts[level] & mask]++;
        prefix = prefix << (shifts[level - 1] - shifts[level]) | decisive_bin(counts, k);
        size_t kept = 0;
        for (size_t i = 0; i < left; i++)
            if (candidates[i] >> shifts[level] == prefix)
                candidates[kept++] = candidates[i];
        left = kept;
    }
    return prefix;
}

static egc_status select_largest(const void *params, void *state, const egc_context *context,
                                 const float *x, size_t n, egc_selection *out, egc_error *err)
{
    (void)params, (void)state;
    uint32_t *candidates = egc_arena_alloc(context->scratch, n * sizeof *candidates);
    if (!candidates)
        return egc_fail_memory(err, n * sizeof *candidates);
    size_t ties_left = count_for(context->density, n);
    uint32_t threshold = kth_largest(x, n, &ties_left, candidates);
    out->count = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = magnitude_bits(x[i]);
        int tie = bits == threshold && ties_left > 0;
        ties_left -= (size_t)tie;
        if (bits && (bits > threshold || tie))
            out->index[out->count++] = (uint32_t)i;
    }
    return EGC_OK;
}

static double density(const void *params)
{
    return ((const topk_params *)params)->ratio;
}

static double contraction(const void *params, size_t n)
{
    return (double)count_for(density(params), n) / (double)n;
}

const egc_compressor_type egc_compressor_topk = {
    .name = "topk",
    .summary = "the k elements of largest magnitude",
    .size = "sparse, k = max(1, floor(ratio n)) less the zeros",
    .formula = "S = the k = max(1, floor(ratio n)) largest |x_i|; C(x)_i = x_i on S, 0 elsewhere",
    .reference = "Aji and Heafield 2017, arXiv 1704.05021; Stich et al. 2018, arXiv 1809.07599",
    .traits = EGC_TRAIT_CONTRACTION | EGC_TRAIT_SCALE_FREE,
    .params = params_table,
    .params_size = sizeof(topk_params),
    .cost = {.bytes_per_element = 8, .kernels = 3, .sort_bytes_per_element = 2},
    .density = density,
    .contraction = contraction,
    .select = select_largest,
};
