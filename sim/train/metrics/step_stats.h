/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over the workers of one step, and the metrics of the step that follow from them.
 *
 * Two halves, since they become known at different times and one may come from a log:
 * egc_step_stats follows from training (it has no gradient and no parameter), egc_step_times from
 * the simulated network and device. */
#ifndef EGC_TRAIN_METRICS_STEP_STATS_H
#define EGC_TRAIN_METRICS_STEP_STATS_H

#include "base/arena.h"
#include "compressors/core/encoding.h"
#include "train/config.h"

/* Over all units of a step. */
typedef struct egc_step_totals {
    double loss;          /* sum over workers */
    double nonfinite;     /* sum over workers */
    double message_bytes; /* all workers' messages, headers included */
    double cosine, drift;
    double union_elements;     /* chosen by at least one worker; NAN if the method chooses none */
    double consensus;          /* see metrics.def */
    egc_evaluation evaluation; /* after the step; NAN if none was due */
} egc_step_totals;

/* One unit in one worker's message of one round: the input of the cost model. */
typedef struct egc_part_stats {
    uint64_t sent;       /* elements chosen */
    uint64_t wire_bytes; /* in this round and those before */
} egc_part_stats;

typedef struct egc_step_stats {
    size_t n_workers; /* workers that the sums are over */
    egc_step_totals totals;
    egc_encoding *units;   /* per unit, sums over workers */
    double *correction;    /* per unit, c(tau) applied */
    egc_part_stats *parts; /* per round, worker and unit: see egc_engine_part */
} egc_step_stats;

/* Times and bytes, summed over workers. */
typedef struct egc_step_times {
    double recv_bytes;
    double step_s, compute_s, compress_s, decompress_s, comm_s, exposed_comm_s;
    double network_bytes;
    double delay;        /* sum of the staleness of their gradients, in updates: metrics.def */
    egc_energy energy;   /* NAN if the run does not account for energy */
    size_t finished;     /* workers that have reached the end of the step */
    size_t participants; /* workers that the step's means are over; 0: all of the run */
    bool reported;       /* the step has its row */
} egc_step_times;

/* Allocates the arrays in arena, for n_units units and n_parts parts in all, and clears them.
 * MEMORY. */
egc_status egc_step_stats_init(egc_step_stats *stats, egc_arena *arena, size_t n_workers,
                               size_t n_units, size_t n_parts, egc_error *err) EGC_MUST_CHECK;

/* Sets the sums of the units to 0, the totals to 0 or, where they may not apply, to NAN. */
void egc_step_stats_clear(egc_step_stats *stats, size_t n_units);

/* Adds one worker's encoding of one unit. */
void egc_step_stats_add(egc_step_stats *stats, size_t unit, const egc_encoding *encoding);

/* Adds one worker's times and received bytes to the sum. */
void egc_step_stats_add_times(egc_step_times *sum, const egc_step_times *worker);

/* The metrics of a step: n parameters in n_units units; n_workers took the times. Metrics of
 * runs.csv alone are 0. */
void egc_step_stats_metrics(const egc_step_times *times, const egc_step_stats *stats,
                            size_t n_units, size_t n, size_t n_workers, egc_metrics *out);

/* The metrics of unit u. */
void egc_step_stats_unit_metrics(const egc_step_stats *stats, const egc_unit *unit, size_t u,
                                 egc_unit_metrics *out);

#endif
