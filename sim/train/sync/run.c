/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/run.h"

#include "train/sync/training_log.h"

egc_status egc_run_init(egc_run *run, const egc_training_config *config,
                        const egc_training_sink *sink, egc_training_summary *summary,
                        egc_error *err)
{
    *run = (egc_run){0};
    egc_status status = egc_learning_new(config, &run->learning, err);
    if (status)
        return status;
    const egc_learning *learning = run->learning;
    run->report = (egc_report){.config = config,
                               .sink = sink,
                               .summary = summary,
                               .plan = &learning->plan,
                               .n = learning->n,
                               .n_workers = learning->n_workers,
                               .n_learners = learning->n_learners};
    if (config->log)
        egc_learning_write_model(config->log, learning);
    status = egc_repeat_init(&run->repeat, run->learning, err);
    if (status)
        egc_run_fini(run);
    return status;
}

void egc_run_fini(egc_run *run)
{
    egc_repeat_fini(&run->repeat);
    egc_learning_free(run->learning);
}

egc_status egc_run_begin_step(egc_run *run, uint64_t step, egc_error *err)
{
    if (run->steps_begun > step)
        return EGC_OK;
    run->steps_begun = step + 1;
    *egc_run_tally(run, step) = (egc_tally){0};
    egc_status status = egc_learning_begin_step(run->learning, step, err);
    if (status)
        return status;
    egc_repeat_begin_step(&run->repeat, step);
    egc_run_tally(run, step)->network_bytes = egc_repeat_network_bytes(&run->repeat, step);
    return EGC_OK;
}

/* ---- the end of a step ---------------------------------------------------------------------- */

static egc_status end_learning(egc_run *run, uint64_t step, egc_error *err)
{
    egc_learning *learning = run->learning;
    const egc_training_config *config = learning->config;
    const egc_learnt_totals *totals = &egc_learning_learnt(learning, step)->totals;
    run->steps_ended = step + 1;
    egc_status status = egc_learning_end_step(learning, step, err);
    if (status)
        return status;
    if (config->log)
        egc_learning_write_step(config->log, learning, step);
    run->report.message_bytes_total += totals->message_bytes;
    return egc_report_evaluates(config, step + 1)
               ? egc_report_evaluation(&run->report, step, &totals->evaluation, err)
               : EGC_OK;
}

egc_status egc_run_finish_step(egc_run *run, uint64_t step, egc_error *err)
{
    egc_status status = EGC_OK;
    egc_tally *tally = egc_run_tally(run, step);
    if (run->steps_ended <= step)
        status = end_learning(run, step, err);
    tally->finished++;
    return status ? status : egc_run_report_step(run, step, err);
}

egc_status egc_run_report_step(egc_run *run, uint64_t step, egc_error *err)
{
    egc_tally *tally = egc_run_tally(run, step);
    if (tally->reported || tally->finished < run->learning->n_members)
        return EGC_OK;
    tally->reported = true;
    tally->participants = tally->finished;
    egc_status status =
        egc_report_step(&run->report, step, tally, egc_learning_learnt(run->learning, step), err);
    egc_repeat_end_step(&run->repeat, step, tally->network_bytes);
    return status;
}
