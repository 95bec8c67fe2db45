/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A radix select: the bits of |x|, read as an integer, are ordered like the magnitudes. One
 * histogram of the top 11 bits over all elements, then further bits of the few elements that share
 * the decisive bin. */
#include "compressors/largest.h"

#include <math.h>
#include <string.h>

size_t egc_largest_count(double density, size_t n)
{
    /* 0.29 * 100 is a hair below 29 in binary; the user means 29. */
    double k = floor(density * (double)n * (1 + 1e-12));
    return k < 1 ? 1 : k > (double)n ? n : (size_t)k;
}

enum { RADIX_BITS = 11, RADIX_BINS = 1 << RADIX_BITS };

static uint32_t magnitude_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x7fffffff;
}

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
    float threshold;
    memcpy(&threshold, &prefix, sizeof threshold);
    return threshold;
}

egc_status egc_largest_select(const float *x, size_t n, size_t k, egc_arena *scratch,
                              uint32_t *index, size_t *count, egc_error *err)
{
    uint32_t *candidates = egc_arena_alloc(scratch, n * sizeof *candidates);
    if (!candidates)
        return egc_fail_memory(err, n * sizeof *candidates);
    size_t ties_left = k, chosen = 0;
    uint32_t threshold = magnitude_bits(egc_largest_threshold(x, n, &ties_left, candidates));
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = magnitude_bits(x[i]);
        int tie = bits == threshold && ties_left > 0;
        ties_left -= (size_t)tie;
        if (bits && (bits > threshold || tie))
            index[chosen++] = (uint32_t)i;
    }
    *count = chosen;
    return EGC_OK;
}
