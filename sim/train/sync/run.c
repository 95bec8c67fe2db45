/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins the engine of a synchronous run with its reporter: the first worker to begin or end a step
 * does so for the training, the last one to end it reports it. */
#include "train/sync/run.h"

#include "train/sync/engine/live.h"
#include "train/sync/engine/replay.h"
#include "train/sync/engine/training_log.h"

egc_status egc_sync_run_init(egc_sync_run *run, const egc_train_config *config,
                             const egc_engine_local *local, const egc_train_sink *sink,
                             egc_train_summary *summary, egc_error *err)
{
    const egc_engine_type *type = config->replay ? &egc_engine_replay_type : &egc_engine_live_type;
    *run = (egc_sync_run){0};
    egc_status status = egc_engine_new(config, type, local, &run->engine, err);
    if (status)
        return status;
    const egc_engine *engine = run->engine;
    run->reporter = egc_reporter_of(config, sink, summary, engine->workload, &engine->partition);
    if (config->log)
        egc_training_log_write_model(config->log, engine);
    status = egc_steady_state_init(&run->steady, run->engine, err);
    if (status)
        egc_sync_run_fini(run);
    return status;
}

void egc_sync_run_fini(egc_sync_run *run)
{
    egc_steady_state_fini(&run->steady);
    egc_engine_free(run->engine);
}

egc_status egc_sync_run_begin_step(egc_sync_run *run, uint64_t step, egc_error *err)
{
    if (run->steps_begun > step)
        return EGC_OK;
    run->steps_begun = step + 1;
    *egc_sync_run_times(run, step) = (egc_step_times){0};
    egc_status status = egc_engine_begin_step(run->engine, step, err);
    if (status)
        return status;
    egc_steady_state_begin_step(&run->steady, step);
    egc_sync_run_times(run, step)->network_bytes =
        egc_steady_state_network_bytes(&run->steady, step);
    return EGC_OK;
}

/* ---- the end of a step ---------------------------------------------------------------------- */

static egc_status end_learning(egc_sync_run *run, uint64_t step, egc_error *err)
{
    egc_engine *engine = run->engine;
    const egc_train_config *config = engine->config;
    const egc_step_totals *totals = &egc_engine_stats(engine, step)->totals;
    run->steps_ended = step + 1;
    egc_status status = egc_engine_end_step(engine, step, err);
    if (status)
        return status;
    if (config->log)
        egc_training_log_write_step(config->log, engine, step);
    run->reporter.message_bytes_total += totals->message_bytes;
    return egc_reporter_evaluates(config, step + 1)
               ? egc_reporter_evaluation(&run->reporter, step, &totals->evaluation, err)
               : EGC_OK;
}

egc_status egc_sync_run_finish_step(egc_sync_run *run, uint64_t step, egc_error *err)
{
    egc_status status = EGC_OK;
    egc_step_times *times = egc_sync_run_times(run, step);
    if (run->steps_ended <= step)
        status = end_learning(run, step, err);
    times->finished++;
    return status ? status : egc_sync_run_report_step(run, step, err);
}

egc_status egc_sync_run_report_step(egc_sync_run *run, uint64_t step, egc_error *err)
{
    egc_step_times *times = egc_sync_run_times(run, step);
    if (times->reported || times->finished < run->engine->n_members)
        return EGC_OK;
    times->reported = true;
    times->participants = times->finished;
    egc_status status =
        egc_reporter_step(&run->reporter, step, times, egc_engine_stats(run->engine, step), err);
    egc_steady_state_end_step(&run->steady, step, times->network_bytes);
    return status;
}
