/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summary of a trace, with statistics from a sample of its gradients. */
#ifndef EGC_WORKLOADS_TRACE_INFO_H
#define EGC_WORKLOADS_TRACE_INFO_H

#include "workloads/trace/format.h"
#include "workloads/workload.h"

/* Statistics of one layer. max_abs, zero_share, n_nan and n_inf are over all sampled gradients; the
 * other figures are computed for each gradient and averaged. NaN and Inf are left out of all but
 * their own counts; figures are NAN when no finite value is left. */
typedef struct egc_trace_layer_stats {
    double mean_abs; /* mean |g| */
    double rms;      /* root mean square */
    double max_abs;
    double zero_share; /* share of zeros in all values, 0..1 */
    double kurtosis;   /* excess: 0 for a normal distribution, 3 for a Laplace one */
    uint64_t n_nan;
    uint64_t n_inf;
} egc_trace_layer_stats;

typedef struct egc_trace_info {
    char model[EGC_LAYER_NAME];
    egc_trace_note note;
    uint64_t steps;
    size_t workers;
    size_t n_params;
    size_t n_layers;
    size_t n_sampled; /* gradients in the sample */
    egc_layer *layers;
    egc_trace_layer_stats *stats; /* n_layers */
} egc_trace_info;

/* Reads up to 16 gradients, at evenly spaced steps and of workers in turn. *out is the caller's, to
 * be given to egc_trace_info_fini. IO, FORMAT, MEMORY; on failure nothing is left to free. */
egc_status egc_trace_info_init(egc_trace_info *out, const char *path,
                               egc_error *err) EGC_MUST_CHECK;

void egc_trace_info_fini(egc_trace_info *info);

#endif
