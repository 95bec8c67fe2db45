/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hands the rows of a run to its sink (steps, units and evaluations) and fills its summary. */
#ifndef EGC_TRAIN_METRICS_REPORTER_H
#define EGC_TRAIN_METRICS_REPORTER_H

#include "train/core/partition.h"
#include "train/metrics/step_stats.h"

typedef struct egc_reporter {
    const egc_train_config *config;
    const egc_train_sink *sink;
    egc_train_summary *summary;
    const egc_world *world; /* source of the time and of the bytes on the network */
    const egc_partition *partition;
    size_t n;         /* parameters */
    size_t n_workers; /* workers whose times are in a step's sums */
    size_t n_sampled; /* workers whose messages are */

    egc_metrics_sums sums;
    egc_evaluation last; /* NAN before the first */
    double message_bytes_total;
    double network_bytes_seen;
    egc_energy energy_seen;
} egc_reporter;

/* A reporter of a run of this workload; everything is borrowed. The summary gets the model's name
 * and size. The caller sets `world` before the first step. */
egc_reporter egc_reporter_of(const egc_train_config *config, const egc_train_sink *sink,
                             egc_train_summary *summary, const egc_workload *workload,
                             const egc_partition *partition);

/* True if the parameters are evaluated after steps_done steps: every eval_every and at the end. */
bool egc_reporter_evaluates(const egc_train_config *config, uint64_t steps_done);

/* The number of workers that the times of a step are divided by. */
size_t egc_reporter_participants(const egc_reporter *reporter, const egc_step_times *times);

/* Ends a step: adds the network's bytes and energy since the last one to its times, computes its
 * metrics, adds them to the run's, and passes them on. Errors of the sink. */
egc_status egc_reporter_step(egc_reporter *reporter, uint64_t step, egc_step_times *times,
                             const egc_step_stats *stats, egc_error *err) EGC_MUST_CHECK;

/* Passes on an evaluation of the parameters after `step`, whose messages are in
 * message_bytes_total. Errors of the sink. */
egc_status egc_reporter_evaluation(egc_reporter *reporter, uint64_t step,
                                   const egc_evaluation *evaluation, egc_error *err) EGC_MUST_CHECK;

/* Ends the run, successful or not: fills in the summary's metrics. Leaves them at NAN if no step
 * was done. */
void egc_reporter_end(egc_reporter *reporter);

#endif
