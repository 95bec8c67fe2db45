/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of one run, shared by its actors, and what happens once a step: what it learns
 * (learning.h) set against the time it takes. */
#ifndef EGC_TRAIN_SYNC_RUN_H
#define EGC_TRAIN_SYNC_RUN_H

#include "train/metrics/reporter.h"
#include "train/sync/engine.h"
#include "train/sync/steady_state.h"

typedef struct egc_sync_run {
    egc_engine *engine;
    egc_world *world;
    egc_reporter reporter;
    egc_steady_state steady;

    egc_step_times times[2]; /* of even and odd steps: nobody is ever two steps ahead */
    uint64_t steps_begun;
    uint64_t steps_ended;
} egc_sync_run;

/* Begins learning: errors of egc_engine_new. The world is the algorithm's to make, after this.
 * config, sink and summary are borrowed. What fails leaves nothing behind. */
egc_status egc_sync_run_init(egc_sync_run *run, const egc_train_config *config,
                             const egc_engine_local *local, const egc_train_sink *sink,
                             egc_train_summary *summary, egc_error *err) EGC_MUST_CHECK;
void egc_sync_run_fini(egc_sync_run *run);

static inline egc_step_times *egc_sync_run_times(egc_sync_run *run, uint64_t step)
{
    return &run->times[step % 2];
}

/* A worker comes to the beginning of `step`. For the first the step's learning begins. */
egc_status egc_sync_run_begin_step(egc_sync_run *run, uint64_t step, egc_error *err) EGC_MUST_CHECK;

/* A worker came to the end of `step`. With the first its learning ends, the last reports it. */
egc_status egc_sync_run_finish_step(egc_sync_run *run, uint64_t step,
                                    egc_error *err) EGC_MUST_CHECK;

/* Reports the step if all who take part have come to its end, and it has not been. */
egc_status egc_sync_run_report_step(egc_sync_run *run, uint64_t step,
                                    egc_error *err) EGC_MUST_CHECK;

#endif
