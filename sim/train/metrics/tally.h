/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over the workers of one step, and from them and what was learnt the metrics of the step and
 * of the run. */
#ifndef EGC_TRAIN_METRICS_TALLY_H
#define EGC_TRAIN_METRICS_TALLY_H

#include "train/config.h"
#include "train/metrics/learnt.h"

/* What the times of one step added up to, and what the network carried. */
typedef struct egc_step_times {
    double recv_bytes;
    double step_s, compute_s, compress_s, decompress_s, comm_s, exposed_comm_s;
    double network_bytes;
    double delay;        /* of their gradients: see egc_step_metrics */
    egc_energy energy;   /* NAN where it is not accounted for */
    size_t finished;     /* workers that came to the end of the step */
    size_t participants; /* workers that the step is the mean of; 0: all of the run */
    bool reported;       /* its row is written */
} egc_step_times;

/* Adds the times and bytes of one worker. */
void egc_step_stats_add_times(egc_step_times *sum, const egc_step_times *worker);

/* The metrics of a step on n parameters, which took n_workers the times that add up to tally. */
void egc_step_stats_metrics(const egc_step_times *times, const egc_step_stats *learnt,
                            size_t n_units, size_t n, size_t n_workers, egc_step_metrics *out);

/* Those of unit u. */
void egc_step_stats_unit_metrics(const egc_step_stats *learnt, const egc_unit *unit, size_t u,
                                 egc_unit_metrics *out);

/* Means over the steps of a run. Ratios are ratios of sums; quantities that did not apply to a
 * step (NAN) are left out of their mean. */
typedef struct egc_metrics_sums {
    egc_step_metrics sum;
    egc_step_metrics count; /* how many values each sum has */
    double dense_bits, bound_bits;
} egc_metrics_sums;

void egc_metrics_sums_add(egc_metrics_sums *totals, const egc_step_metrics *step, double n);
void egc_metrics_sums_mean(const egc_metrics_sums *totals, double n, egc_step_metrics *out);

#endif
