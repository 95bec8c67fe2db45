/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over the workers of one step, and from them the metrics of the step and of the run. */
#ifndef EGC_TRAIN_TALLY_H
#define EGC_TRAIN_TALLY_H

#include "train/training.h"

/* What one step added up to. */
typedef struct egc_tally {
    egc_encoding *units;  /* sums over workers, for each unit */
    double message_bytes; /* all workers' messages, headers included */
    double recv_bytes;
    double loss;
    double nonfinite;
    double step_s, compute_s, compress_s, decompress_s, comm_s, exposed_comm_s;
    double network_bytes;
    double cosine, drift;
    size_t finished; /* workers that came to the end of the step */
} egc_tally;

void egc_tally_clear(egc_tally *tally, size_t n_units);

/* Adds one worker's encoding of one unit. */
void egc_tally_add(egc_tally *tally, size_t unit, const egc_encoding *encoding);

/* The metrics of a step of n_workers on n parameters. */
void egc_tally_metrics(const egc_tally *tally, size_t n_units, size_t n, size_t n_workers,
                       egc_step_metrics *out);

void egc_tally_unit_metrics(const egc_tally *tally, const egc_unit *unit, size_t u,
                            size_t n_workers, double correction, egc_unit_metrics *out);

/* Means over the steps of a run. Ratios are ratios of sums; quantities that did not apply to a
 * step (NAN) are left out of their mean. */
typedef struct egc_run_totals {
    egc_step_metrics sum;
    egc_step_metrics count; /* how many values each sum has */
    double dense_bits, bound_bits;
} egc_run_totals;

void egc_run_totals_add(egc_run_totals *totals, const egc_step_metrics *step, double n);
void egc_run_totals_mean(const egc_run_totals *totals, double n, egc_step_metrics *out);

#endif
