/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readings of EGC's threshold that go by the entropy of magnitudes, each taken as it is and not in
 * a histogram: a_i = |x_i|, exact zeros left out, p_i = a_i / sum a. They are rules of
 * maxentropy.c, whose comment says where they come from. */
#ifndef EGC_COMPRESSORS_SPARSIFIERS_ENTROPY_H
#define EGC_COMPRESSORS_SPARSIFIERS_ENTROPY_H

#include <math.h>

#include "compressors/plugin.h"

/* rule = "share": the smallest set of the largest a_i whose terms -p_i ln p_i reach `share` of
 * their sum, the entropy; at least one. Ties go to the lower index. MEMORY. */
egc_status egc_entropy_share_select(double share, const egc_context *context, const float *x,
                                    size_t n, egc_selection *out, egc_error *err) EGC_MUST_CHECK;

/* rule = "budget": of K = max(1, floor(density n)) elements each layer of the unit gets a part in
 * proportion to its effective number of elements, exp(H), H = -sum p_i ln p_i over the layer: k =
 * max(1, floor(K exp(H) / sum exp(H))), its largest. No layer gets more than its number of non-zero
 * elements; the others share the rest. Layers of zeros get nothing. A unit that is one layer sends
 * the K largest. MEMORY. */
egc_status egc_entropy_budget_select(const egc_context *context, const float *x, size_t n,
                                     egc_selection *out, egc_error *err) EGC_MUST_CHECK;

/* Sums over some elements, of b = a / max a: with B their sum over all elements, an element's term
 * is -p ln p = b (ln B - ln b) / B. */
typedef struct egc_entropy_sums {
    double b;
    double b_ln_b;
    size_t count; /* elements that are not 0 */
} egc_entropy_sums;

static inline void egc_entropy_add(egc_entropy_sums *sums, float magnitude, double inverse)
{
    double b = (double)magnitude * inverse;
    sums->b += b;
    sums->b_ln_b += b * log(b);
    sums->count++;
}

/* The sum of the elements' terms, times B. */
static inline double egc_entropy_terms(const egc_entropy_sums *sums, double ln_B)
{
    return fmax(0, ln_B * sums->b - sums->b_ln_b);
}

#endif
