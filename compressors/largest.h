/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The k elements of largest magnitude: |x| descending, then index ascending, so that the set does
 * not depend on the machine. Exact zeros carry nothing and are left out. */
#ifndef EGC_LARGEST_H
#define EGC_LARGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/* k = max(1, floor(density n)), at most n. */
size_t egc_largest_count(double density, size_t n);

/* The k-th largest magnitude of x, 1 <= *k <= n. *k becomes how many of the elements of exactly
 * this magnitude belong to the k largest. candidates has room for n. */
float egc_largest_threshold(const float *x, size_t n, size_t *k, uint32_t *candidates);

/* The indices of the k largest, 1 <= k <= n, ascending, into index (room for k). *count is k less
 * the zeros among them. MEMORY. */
egc_status egc_largest_select(const float *x, size_t n, size_t k, egc_arena *scratch,
                              uint32_t *index, size_t *count, egc_error *err) EGC_MUST_CHECK;

#endif
