/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The laws that the layers of a trace follow: what synthetic gradients like the recorded ones are
 * made of.
 *
 * Up to 16 gradients are read, of steps evenly apart and workers in turn, and up to 65536 values of
 * each layer are kept, so that memory does not grow with the trace. A layer's values are divided by
 * the mean magnitude of their own gradient (by the trend of those means, where there are fewer than
 * 256) before they are thrown together: what is fitted is the shape within a gradient. The scale at
 * the first step and its decay are those of a straight line through the logarithms of the means.
 *
 * Correlations are those of the normal variables behind the values: what makes two synthetic values
 * that are not 0 have the same sign as often as two recorded ones, whatever the distribution.
 * Neighbouring steps are neighbours in the trace. What is within two standard errors of 0 counts as
 * 0. */
#ifndef EGC_WORKLOADS_TRACE_FIT_H
#define EGC_WORKLOADS_TRACE_FIT_H

#include <stdbool.h>

#include "workloads/synthetic/law.h"
#include "workloads/trace/format.h"
#include "workloads/workload.h"

typedef struct egc_law_fit {
    egc_law law;     /* the scale is that of the first step */
    double distance; /* Kolmogorov and Smirnov's, of what is not 0 */
    double tail;     /* error of the 99.9 % quantile, as a share of it; NAN for few values */
} egc_law_fit;

typedef struct egc_layer_fit {
    size_t n_values; /* that are not 0; there are no fits for 0 of them */
    uint64_t n_nonfinite;
    double zeros; /* share of the finite values */
    double decay; /* of the scale from the first step to the last */
    double worker_correlation, time_correlation;
    egc_law_fit fits[EGC_N_DISTRIBUTIONS];
} egc_layer_fit;

typedef struct egc_trace_fit {
    char model[EGC_LAYER_NAME];
    egc_trace_note note;
    size_t n_sampled;
    size_t n_layers;
    egc_layer *layers;
    egc_layer_fit *fits; /* n_layers */
} egc_trace_fit;

/* *out is the caller's, to be given to egc_trace_fit_fini. IO, FORMAT, MEMORY; on failure nothing
 * is left to free. */
egc_status egc_trace_fit_init(egc_trace_fit *out, const char *path, egc_error *err) EGC_MUST_CHECK;

void egc_trace_fit_fini(egc_trace_fit *fit);

/* The fit with the smallest distance, or the smallest error in the tail. */
const egc_law_fit *egc_trace_fit_best(const egc_layer_fit *fit, bool by_tail);

#endif
