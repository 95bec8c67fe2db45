/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run tells its sink: steps, units and evaluations, and the means over all steps. */
#ifndef EGC_TRAIN_METRICS_REPORTER_H
#define EGC_TRAIN_METRICS_REPORTER_H

#include "train/core/partition.h"
#include "train/metrics/tally.h"

typedef struct egc_reporter {
    const egc_train_config *config;
    const egc_train_sink *sink;
    egc_train_summary *summary;
    const egc_world *world; /* for the time and the bytes on the network */
    const egc_partition *partition;
    size_t n;         /* parameters */
    size_t n_workers; /* whose times a step adds up */
    size_t n_sampled; /* whose messages it does */

    egc_metrics_sums totals;
    double message_bytes_total;
    double network_bytes_seen;
    egc_energy energy_seen;
} egc_reporter;

/* Whether the parameters are evaluated after so many steps: every eval_every and at the end. */
bool egc_reporter_evaluates(const egc_train_config *config, uint64_t steps_done);

/* How many workers the times of a step are the mean of. */
size_t egc_reporter_participants(const egc_reporter *reporter, const egc_step_times *times);

/* A step is over: adds up its metrics and passes them on. What crossed the network and was consumed
 * since the last one is added to the tally. */
egc_status egc_reporter_step(egc_reporter *reporter, uint64_t step, egc_step_times *times,
                             const egc_step_stats *learnt, egc_error *err) EGC_MUST_CHECK;

/* The parameters after a step were evaluated. Its messages are in message_bytes_total. */
egc_status egc_reporter_evaluation(egc_reporter *reporter, uint64_t step,
                                   const egc_evaluation *evaluation, egc_error *err) EGC_MUST_CHECK;

/* The run is over, well or not: fills in the summary's means and its time. */
void egc_reporter_end(egc_reporter *reporter);

#endif
