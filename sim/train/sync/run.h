/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of one synchronous run, shared by its actors, and its steps: training (engine.h) on one
 * side, the time it takes on the other. */
#ifndef EGC_TRAIN_SYNC_RUN_H
#define EGC_TRAIN_SYNC_RUN_H

#include "train/metrics/reporter.h"
#include "train/sync/engine/engine.h"
#include "train/sync/steady_state.h"

typedef struct egc_sync_run {
    egc_engine *engine;
    egc_world *world;
    egc_reporter reporter;
    egc_steady_state steady;

    egc_step_times times[2]; /* for even and odd steps: no worker is two steps ahead */
    uint64_t steps_begun;
    uint64_t steps_ended;
} egc_sync_run;

/* Makes the engine and the reporter; the caller makes the world after this. local: see engine.h.
 * config, sink and summary are borrowed. On failure nothing is left behind. Errors of
 * egc_engine_new; MEMORY. */
egc_status egc_sync_run_init(egc_sync_run *run, const egc_train_config *config,
                             const egc_engine_local *local, const egc_train_sink *sink,
                             egc_train_summary *summary, egc_error *err) EGC_MUST_CHECK;
void egc_sync_run_fini(egc_sync_run *run);

static inline egc_step_times *egc_sync_run_times(egc_sync_run *run, uint64_t step)
{
    return &run->times[step % 2];
}

/* A worker begins `step`; the first one begins its training. Errors of the engine. */
egc_status egc_sync_run_begin_step(egc_sync_run *run, uint64_t step, egc_error *err) EGC_MUST_CHECK;

/* A worker ends `step`: the first one ends its training, the last one reports it. Errors of the
 * engine and the sink. */
egc_status egc_sync_run_finish_step(egc_sync_run *run, uint64_t step,
                                    egc_error *err) EGC_MUST_CHECK;

/* Reports the step once all members have ended it. Errors of the sink. */
egc_status egc_sync_run_report_step(egc_sync_run *run, uint64_t step,
                                    egc_error *err) EGC_MUST_CHECK;

#endif
