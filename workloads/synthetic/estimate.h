/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits laws to a sample of magnitudes by maximum likelihood, and measures the fit.
 *
 * Laplace and Gaussian have closed forms; for the others GSL's simplex (Nelder, Mead) maximises the
 * likelihood over log(scale) and the shape. For speed, all but the largest magnitudes are merged
 * into groups of neighbours with the means of y and of log(y). */
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

/* Prepares n >= 1 positive magnitudes in increasing order, which are borrowed until
 * egc_estimate_fini. MEMORY. */
egc_status egc_estimate_init(egc_estimate *estimate, const double *sorted, size_t n,
                             egc_error *err) EGC_MUST_CHECK;
void egc_estimate_fini(egc_estimate *estimate);

/* The law of this distribution with the largest likelihood; its `zeros` is 0. MEMORY. */
egc_status egc_estimate_law(const egc_estimate *estimate, egc_distribution distribution,
                            egc_law *out, egc_error *err) EGC_MUST_CHECK;

/* Kolmogorov-Smirnov distance: the largest error of the law's share of magnitudes below y, measured
 * at 4096 ranks of the sample. */
double egc_estimate_distance(const egc_estimate *estimate, const egc_law *law);

/* Relative error of the law's 99.9 % quantile of magnitudes, positive when it is too large; NAN for
 * less than 1000 values. */
double egc_estimate_tail(const egc_estimate *estimate, const egc_law *law);

#endif
