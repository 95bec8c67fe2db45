/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A radix select: the bits of |x|, read as an integer, are ordered like the magnitudes. One
 * histogram of the top 11 bits over all elements, then further bits of the few elements that share
 * the decisive bin. */
#include "compressors/sparsifiers/largest.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "kernels/kernels.h"

double egc_largest_ratio(const void *params)
{
    return *(const double *)params;
}

size_t egc_largest_count(double density, size_t n)
{
    /* 0.29 * 100 is a hair below 29 in binary; the user means 29. */
    double k = floor(density * (double)n * (1 + 1e-12));
    return k < 1 ? 1 : k > (double)n ? n : (size_t)k;
}

enum { RADIX_BITS = 11, RADIX_BINS = 1 << RADIX_BITS };

/* The bin in which the k-th largest lies; *k becomes its rank within that bin. */
static uint32_t decisive_bin(const uint32_t *counts, size_t *k)
{
    uint32_t bin = RADIX_BINS - 1;
    while (counts[bin] < *k)
        *k -= counts[bin--];
    return bin;
}

float egc_largest_threshold(const float *x, size_t n, size_t *k, uint32_t *candidates)
{
    static const unsigned shifts[] = {20, 9, 0}; /* 11 + 11 + 9 bits */
    uint32_t counts[RADIX_BINS] = {0};
    for (size_t i = 0; i < n; i++)
        counts[egc_largest_bits(x[i]) >> shifts[0]]++;
    uint32_t prefix = decisive_bin(counts, k);
    size_t left = 0;
    for (size_t i = 0; i < n; i++) { /* without branches: no one could predict them */
        candidates[left] = egc_largest_bits(x[i]);
        left += candidates[left] >> shifts[0] == prefix;
    }
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
    float threshold;
    memcpy(&threshold, &prefix, sizeof threshold);
    return threshold;
}

egc_status egc_largest_kth(const float *x, size_t n, size_t k, egc_arena *scratch, float *out,
                           egc_error *err)
{
    uint32_t *candidates = egc_arena_alloc(scratch, n * sizeof *candidates);
    if (!candidates)
        return egc_fail_memory(err, n * sizeof *candidates);
    *out = egc_largest_threshold(x, n, &k, candidates);
    return EGC_OK;
}

size_t egc_largest_from(const float *x, size_t n, float threshold, size_t ties,
                        uint32_t *candidates, uint32_t *index)
{
    float least = egc_largest_float_at_least((double)threshold);
    size_t found = egc_kernels_get()->select(x, n, least, candidates), chosen = 0;
    for (size_t i = 0; i < found; i++) {
        bool tie = fabsf(x[candidates[i]]) == threshold;
        if (tie && ties == 0)
            continue;
        ties -= tie;
        index[chosen++] = candidates[i];
    }
    return chosen;
}

egc_status egc_largest_select(const float *x, size_t n, size_t k, egc_arena *scratch,
                              uint32_t *index, size_t *count, egc_error *err)
{
    uint32_t *candidates = egc_arena_alloc(scratch, n * sizeof *candidates);
    if (!candidates)
        return egc_fail_memory(err, n * sizeof *candidates);
    float threshold = egc_largest_threshold(x, n, &k, candidates);
    *count = egc_largest_from(x, n, threshold, k, candidates, index);
    return EGC_OK;
}

egc_status egc_largest_among(const float *x, size_t k, egc_arena *scratch, uint32_t *index,
                             size_t *count, egc_error *err)
{
    size_t n = *count, chosen = 0;
    if (n == 0)
        return EGC_OK;
    float *value = egc_largest_gather(x, index, n, scratch);
    uint32_t *places = egc_arena_alloc(scratch, n * sizeof *places);
    if (!value || !places)
        return egc_fail_memory(err, n * (sizeof *value + sizeof *places));
    egc_status status = egc_largest_select(value, n, k < n ? k : n, scratch, places, &chosen, err);
    for (size_t i = 0; i < chosen; i++)
        index[i] = index[places[i]]; /* places are ascending: none is read after it is written */
    *count = chosen;
    return status;
}

float *egc_largest_gather(const float *x, const uint32_t *index, size_t count, egc_arena *scratch)
{
    float *value = egc_arena_alloc(scratch, count * sizeof *value);
    for (size_t i = 0; value && i < count; i++)
        value[i] = x[index[i]];
    return value;
}

size_t egc_largest_keep(float *tail, uint32_t *index, size_t count, float least)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) { /* without branches: they would be unpredictable */
        tail[kept] = tail[i];
        index[kept] = index[i];
        kept += fabsf(tail[i]) >= least;
    }
    return kept;
}

float egc_largest_float_at_least(double t)
{
    if (t > FLT_MAX)
        return INFINITY;
    float least = (float)t;
    if ((double)least < t)
        least = nextafterf(least, INFINITY);
    return least > FLT_TRUE_MIN ? least : FLT_TRUE_MIN;
}

float egc_largest_float_above(double t)
{
    float least = egc_largest_float_at_least(t);
    return (double)least > t ? least : nextafterf(least, INFINITY);
}
