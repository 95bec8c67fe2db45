/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws values of a law by inverse transform. Independent values take one random number each: one
 * bit is the sign, the rest chooses a magnitude. Correlated values come from normal variables by a
 * Gaussian copula: x = sign(z) Q(S_normal(|z|)), where Q is the law's quantile function, so that
 * the values have the law's distribution for any correlation.
 *
 * Magnitudes exceeded by fewer than one value in 2^42 are replaced by the one with that
 * probability. */
#ifndef EGC_WORKLOADS_SYNTHETIC_SOURCE_H
#define EGC_WORKLOADS_SYNTHETIC_SOURCE_H

#include <stdbool.h>

#include "workloads/synthetic/curve.h"
#include "workloads/synthetic/law.h"

enum {
    EGC_MEDIAN = 62,                  /* 62 random bits choose a magnitude on either side of it */
    EGC_RAREST = EGC_MEDIAN + 1 - 42, /* smaller numbers are replaced by 2^21 */
    EGC_NORMAL_LOW = -16,             /* range of normal variables: 2^-16 ... */
    EGC_NORMAL_HIGH = 3,              /* ... to 2^3 */
    EGC_RANDOM_CUT = 6,
    EGC_NORMAL_CUT = 8, /* magnitudes grow at most as exp(z^2) */
};

/* The quantile functions of a law as tables, in units of its scale. */
typedef struct egc_source {
    egc_law law;
    egc_curve_cell *random; /* from 62 random bits: above the median, then below it; or NULL */
    egc_curve_cell *normal; /* from the magnitude of a normal variable; or NULL */
} egc_source;

/* Makes the tables for independent values, correlated values or both. MEMORY; egc_source_fini is
 * due on failure too. */
egc_status egc_source_init(egc_source *magnitudes, const egc_law *law, bool independent,
                           bool correlated, egc_error *err) EGC_MUST_CHECK;

/* Accepts a zeroed one. */
void egc_source_fini(egc_source *magnitudes);

/* Writes n independent values from the stream of random numbers with this seed. */
void egc_source_draw(const egc_source *magnitudes, uint64_t seed, double scale, float *out,
                     size_t n);

/* A stream of standard normal variables, and its weight in a sum. */
typedef struct egc_stream {
    uint64_t seed;
    float weight;
} egc_stream;

/* Writes n values from sums of normal variables, which `standard` draws. The squares of the weights
 * sum to 1. Advances the seeds. */
void egc_source_mix(const egc_source *magnitudes, const egc_source *standard, egc_stream *streams,
                    size_t n_streams, double scale, float *out, size_t n);

#endif
