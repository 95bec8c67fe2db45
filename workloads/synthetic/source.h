/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a law by inverse transform. Independent ones take one random number each: a bit is the
 * sign, the rest chooses a magnitude. Correlated ones come from normal variables by a Gaussian
 * copula: x = sign(z) Q(S_normal(|z|)), where Q is the law's quantile function, so that whatever
 * the correlation the values have the law's distribution.
 *
 * Magnitudes that fewer than one value in 2^42 exceeds count as the one that just so many do. */
#ifndef EGC_WORKLOADS_SYNTHETIC_SOURCE_H
#define EGC_WORKLOADS_SYNTHETIC_SOURCE_H

#include <stdbool.h>

#include "workloads/synthetic/curve.h"
#include "workloads/synthetic/law.h"

enum {
    EGC_MEDIAN = 62,                  /* 62 random bits choose a magnitude on one side of it */
    EGC_RAREST = EGC_MEDIAN + 1 - 42, /* those below 2^21 stand for 2^21 */
    EGC_NORMAL_LOW = -16,             /* normal variables are told apart from 2^-16 ... */
    EGC_NORMAL_HIGH = 3,              /* ... to 2^3 */
    EGC_RANDOM_CUT = 6,
    EGC_NORMAL_CUT = 8, /* magnitudes grow with z as exp(z^2) at worst */
};

/* The magnitudes of a law, in units of its scale. */
typedef struct egc_source {
    egc_law law;
    egc_curve_cell *random; /* of 62 random bits: beyond the median, then before it; or NULL */
    egc_curve_cell *normal; /* of the magnitudes of normal variables; or NULL */
} egc_source;

/* True when two laws differ in scale alone. */
bool egc_law_alike(const egc_law *a, const egc_law *b);

/* Tabulates what will be asked for. MEMORY; on failure too, egc_source_fini is due. */
egc_status egc_source_init(egc_source *magnitudes, const egc_law *law, bool independent,
                           bool correlated, egc_error *err) EGC_MUST_CHECK;

/* Accepts a zeroed one. */
void egc_source_fini(egc_source *magnitudes);

/* n independent values from the stream of random numbers that seed names. */
void egc_source_draw(const egc_source *magnitudes, uint64_t seed, double scale, float *out,
                     size_t n);

/* Standard normal variables from the stream that seed names, and their share in a sum. */
typedef struct egc_stream {
    uint64_t seed;
    float weight;
} egc_stream;

/* n values from sums of normal variables, which `standard` draws. The squares of the weights sum to
 * 1. Advances the seeds. */
void egc_source_mix(const egc_source *magnitudes, const egc_source *standard, egc_stream *streams,
                    size_t n_streams, double scale, float *out, size_t n);

#endif
