/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which law a sample of magnitudes is from: maximum likelihood for each distribution, and how good
 * the best is.
 *
 * Laplace and Gaussian have closed forms; the others' likelihood is climbed by GSL's simplex
 * (Nelder, Mead), over log(scale) and the shape. To climb fast, all but the largest magnitudes are
 * summed up in groups of neighbours by their means of y and of log(y). */
#ifndef EGC_WORKLOADS_SYNTHETIC_ESTIMATE_H
#define EGC_WORKLOADS_SYNTHETIC_ESTIMATE_H

#include <stddef.h>

#include "workloads/synthetic/law.h"

typedef struct egc_estimate {
    const double *sorted; /* the magnitudes, borrowed */
    size_t n;
    struct egc_estimate_point *points;
    size_t n_points;
} egc_estimate;

/* Of n magnitudes above 0, in increasing order, which must stay while it is used. At least one.
 * MEMORY. */
egc_status egc_estimate_init(egc_estimate *estimate, const double *sorted, size_t n,
                             egc_error *err) EGC_MUST_CHECK;
void egc_estimate_fini(egc_estimate *estimate);

/* The law of this distribution that makes the sample most likely. Its zeros are 0. MEMORY. */
egc_status egc_estimate_law(const egc_estimate *estimate, egc_distribution distribution,
                            egc_law *out, egc_error *err) EGC_MUST_CHECK;

/* Kolmogorov and Smirnov's distance: by how much the law's share of magnitudes below some y is
 * wrong at most. Measured at 4096 of the sample's ranks. */
double egc_estimate_distance(const egc_estimate *estimate, const egc_law *law);

/* By how much the law's 99.9 % quantile of magnitudes is too large, as a share of the sample's;
 * NAN for less than 1000 values. */
double egc_estimate_tail(const egc_estimate *estimate, const egc_law *law);

#endif
