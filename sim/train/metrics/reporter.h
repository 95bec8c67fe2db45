/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run tells its sink: steps, units and evaluations, and the means over all steps. */
#ifndef EGC_TRAIN_METRICS_REPORTER_H
#define EGC_TRAIN_METRICS_REPORTER_H

#include "train/core/partition.h"
#include "train/metrics/tally.h"

typedef struct egc_report {
    const egc_training_config *config;
    const egc_training_sink *sink;
    egc_training_summary *summary;
    const egc_world *world; /* for the time and the bytes on the network */
    const egc_plan *plan;
    size_t n;          /* parameters */
    size_t n_workers;  /* whose times a step adds up */
    size_t n_learners; /* whose messages it does */

    egc_run_totals totals;
    double message_bytes_total;
    double network_bytes_seen;
    egc_energy energy_seen;
} egc_report;

/* Whether the parameters are evaluated after so many steps: every eval_every and at the end. */
bool egc_report_evaluates(const egc_training_config *config, uint64_t steps_done);

/* How many workers the times of a step are the mean of. */
size_t egc_report_participants(const egc_report *report, const egc_tally *tally);

/* A step is over: adds up its metrics and passes them on. What crossed the network and was consumed
 * since the last one is added to the tally. */
egc_status egc_report_step(egc_report *report, uint64_t step, egc_tally *tally,
                           const egc_learnt *learnt, egc_error *err) EGC_MUST_CHECK;

/* The parameters after a step were evaluated. Its messages are in message_bytes_total. */
egc_status egc_report_evaluation(egc_report *report, uint64_t step,
                                 const egc_evaluation *evaluation, egc_error *err) EGC_MUST_CHECK;

/* The run is over, well or not: fills in the summary's means and its time. */
void egc_report_end(egc_report *report);

#endif
