/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The k elements of largest magnitude: |x| descending, then index ascending, so that the set does
 * not depend on the machine. Exact zeros carry nothing and are left out. */
#ifndef EGC_COMPRESSORS_SPARSIFIERS_LARGEST_H
#define EGC_COMPRESSORS_SPARSIFIERS_LARGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/param.h"

/* Row of the parameter `ratio` in (0, 1], the share of elements that a type sends or aims at. */
#define EGC_RATIO_PARAM(type, default, help)                                                       \
    EGC_PARAM(type, ratio, REAL, "ratio", help, .def = default, .max = 1,                          \
              .flags = EGC_PARAM_OPEN_MIN)

/* `density` of types whose parameters begin with `double ratio`. */
double egc_largest_ratio(const void *params);

/* k = max(1, floor(density n)), at most n. */
size_t egc_largest_count(double density, size_t n);

/* The k-th largest magnitude of x, 1 <= *k <= n. *k becomes how many of the elements of exactly
 * this magnitude belong to the k largest. candidates has room for n. */
float egc_largest_threshold(const float *x, size_t n, size_t *k, uint32_t *candidates);

/* The k-th largest magnitude alone. MEMORY. */
egc_status egc_largest_kth(const float *x, size_t n, size_t k, egc_arena *scratch, float *out,
                           egc_error *err) EGC_MUST_CHECK;

/* The indices of all of larger magnitude than `threshold` and of the first `ties` of those that
 * equal it, ascending, into index (room for as many). candidates has room for n. Returns how many
 * these are; with threshold 0, of which there are no ties, all that are not zero. */
size_t egc_largest_from(const float *x, size_t n, float threshold, size_t ties,
                        uint32_t *candidates, uint32_t *index);

/* The indices of the k largest, 1 <= k <= n, ascending, into index (room for k). *count is k less
 * the zeros among them. MEMORY. */
egc_status egc_largest_select(const float *x, size_t n, size_t k, egc_arena *scratch,
                              uint32_t *index, size_t *count, egc_error *err) EGC_MUST_CHECK;

/* Leaves, of the *count candidates in index, ascending, the k largest of x, k >= 1: their indices,
 * still ascending, and how many they are. MEMORY. */
egc_status egc_largest_among(const float *x, size_t k, egc_arena *scratch, uint32_t *index,
                             size_t *count, egc_error *err) EGC_MUST_CHECK;

/* x at `count` indices, in scratch memory; NULL when out of memory. */
float *egc_largest_gather(const float *x, const uint32_t *index, size_t count, egc_arena *scratch);

/* Keeps the elements of magnitude `least` or more: values in tail, indices in index. Returns how
 * many. */
size_t egc_largest_keep(float *tail, uint32_t *index, size_t count, float least);

/* |value| as an integer: larger for larger magnitudes, 0 for zero. */
static inline uint32_t egc_largest_bits(float value)
{
    return egc_bits_of_float(value) & 0x7fffffff;
}

/* Converts a threshold t >= 0 to the float that the kernels' select takes: for floats a > 0, a >= t
 * as doubles means the same as a >= the first, and a > t the same as a >= the second. Both are
 * above 0, so that zeros are never selected, and Inf when no float is large enough. */
float egc_largest_float_at_least(double t);
float egc_largest_float_above(double t);

#endif
