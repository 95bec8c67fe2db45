/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits laws (synthetic/law.h) to the layers of a trace, from which the workload `synthetic` makes
 * similar gradients.
 *
 * Up to 16 gradients are read, at evenly spaced steps and of workers in turn, and up to 65536
 * values of each layer are kept, so that memory does not grow with the trace. Before the values of
 * a layer are combined, they are divided by the mean magnitude of their own gradient (by the trend
 * of the means, if there are fewer than 256): the fit describes the shape within a gradient. The
 * scale at the first step and its decay come from a line through the logarithms of the means.
 *
 * Correlations are those of the normal variables behind synthetic values, chosen so that two
 * nonzero values have the same sign as often as two recorded ones, for any distribution.
 * Consecutive recorded steps count as consecutive. Correlations within two standard errors of 0 are
 * set to 0. */
#ifndef EGC_WORKLOADS_TRACE_FIT_H
#define EGC_WORKLOADS_TRACE_FIT_H

#include <stdbool.h>

#include "workloads/synthetic/law.h"
#include "workloads/trace/format.h"
#include "workloads/workload.h"

typedef struct egc_law_fit {
    egc_law law;     /* the scale is that of the first step */
    double distance; /* Kolmogorov-Smirnov distance of nonzero values */
    double tail;     /* error of the 99.9 % quantile, as a share of it; NAN for few values */
} egc_law_fit;

typedef struct egc_layer_fit {
    size_t n_values; /* sampled nonzero values; without any, fits are zeroed */
    uint64_t n_nonfinite;
    double zeros; /* share of zeros among finite values */
    double decay; /* ratio of the last step's scale to the first's */
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
