/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of synthetic gradients. All are symmetric about 0, so that the magnitude y = |x| /
 * scale describes them; b is the shape, S(y) the probability of more than y.
 *
 *     laplace               S(y) = exp(-y)
 *     gaussian              S(y) = erfc(y / sqrt(2)): the scale is the standard deviation
 *     generalized-gaussian  density ~ exp(-y^b): b = 1 is laplace, b = 2 gaussian (sqrt(2) wider)
 *     student-t             of b degrees of freedom
 *     weibull               S(y) = exp(-y^b)
 *     generalized-pareto    S(y) = (1 + b y)^(-1/b); b = 0: exp(-y); b < 0 ends at -1/b
 *     mixture               gaussian, but a share `mix` of values is b times as wide
 *
 * In addition, a share `zeros` of all values is exactly 0. Distribution functions and their
 * inverses are GSL's. */
#ifndef EGC_WORKLOADS_SYNTHETIC_LAW_H
#define EGC_WORKLOADS_SYNTHETIC_LAW_H

#include <stdbool.h>

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

/* Default shape and mix of a distribution; NAN where it has none. */
double egc_law_default_shape(egc_distribution distribution);
double egc_law_default_mix(egc_distribution distribution);

/* The closed range of shapes; 0 and 0 where a distribution has none. */
void egc_law_shape_range(egc_distribution distribution, double *min, double *max);

/* RANGE, the message starting with "shape: " or "mix: ". */
egc_status egc_law_check(const egc_law *law, egc_error *err) EGC_MUST_CHECK;

/* True when two laws differ in scale alone. */
bool egc_law_alike(const egc_law *a, const egc_law *b);

/* For y >= 0, in units of the scale and without the zeros: the probability of more than y, that of
 * at most y (precise also where it is small), and the density. */
double egc_law_above(const egc_law *law, double y);
double egc_law_below(const egc_law *law, double y);
double egc_law_density(const egc_law *law, double y);

/* The quantile in units of the scale: a share `above` of magnitudes exceeds it and a share `below`
 * does not. The two sum to 1; the smaller one is used. Zeros count. `hint` is a value near the
 * result where the search starts, or 0. */
double egc_law_quantile(const egc_law *law, double above, double below, double hint);

#endif
