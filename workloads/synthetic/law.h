/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distributions of synthetic gradients. All are symmetric about 0, so that the magnitude
 * y = |x| / scale says it all; b is the shape, S(y) the probability of more than y.
 *
 *     laplace               S(y) = exp(-y)
 *     gaussian              S(y) = erfc(y / sqrt(2)): the scale is the standard deviation
 *     generalized-gaussian  density ~ exp(-y^b): b = 1 is laplace, b = 2 gaussian (sqrt(2) wider)
 *     student-t             of b degrees of freedom
 *     weibull               S(y) = exp(-y^b)
 *     generalized-pareto    S(y) = (1 + b y)^(-1/b); b = 0: exp(-y); b < 0 ends at -1/b
 *     mixture               gaussian, but a share `mix` of values is b times as wide
 *
 * On top of that, a share `zeros` of all values is exactly 0, and the rest is distributed so.
 * Distribution functions and their inverses are GSL's. */
#ifndef EGC_WORKLOADS_SYNTHETIC_LAW_H
#define EGC_WORKLOADS_SYNTHETIC_LAW_H

#include "base/error.h"

typedef enum egc_distribution {
    EGC_LAPLACE,
    EGC_GAUSSIAN,
    EGC_GENERALIZED_GAUSSIAN,
    EGC_STUDENT_T,
    EGC_WEIBULL,
    EGC_GENERALIZED_PARETO,
    EGC_MIXTURE,
    EGC_N_DISTRIBUTIONS,
} egc_distribution;

/* Their names, NULL-terminated. */
extern const char *const egc_law_names[];

typedef struct egc_law {
    egc_distribution distribution;
    double scale;
    double shape; /* NAN where there is none */
    double mix;   /* NAN unless a mixture */
    double zeros; /* 0..1 */
} egc_law;

/* The shape and the mix that a distribution has unless they are given; NAN where it has none. */
double egc_law_default_shape(egc_distribution distribution);
double egc_law_default_mix(egc_distribution distribution);

/* The range that shapes must lie in, closed; 0 and 0 where there is none. */
void egc_law_shape_range(egc_distribution distribution, double *min, double *max);

/* RANGE, the message starting with "shape: " or "mix: ". */
egc_status egc_law_check(const egc_law *law, egc_error *err) EGC_MUST_CHECK;

/* For y >= 0, in units of the scale and without the zeros: the probability of more than y, that of
 * at most y (exact where it is small, too), and the density. */
double egc_law_above(const egc_law *law, double y);
double egc_law_below(const egc_law *law, double y);
double egc_law_density(const egc_law *law, double y);

/* The y, in units of the scale, that a share `above` of magnitudes exceeds and a share `below`
 * does not; the two sum to 1, and whichever is smaller decides. Zeros count. `hint` is where to
 * look first: a y nearby, or 0. */
double egc_law_quantile(const egc_law *law, double above, double below, double hint);

#endif
