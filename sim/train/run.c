/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/run.h"

#include "train/learning_log.h"

egc_status egc_run_init(egc_run *run, const egc_training_config *config,
                        const egc_training_sink *sink, egc_training_summary *summary,
                        egc_error *err)
{
    *run = (egc_run){.config = config, .sink = sink, .summary = summary};
    egc_status status = egc_learning_new(config, &run->learning, err);
    if (!status && config->log)
        egc_learning_write_model(config->log, run->learning);
    return status;
}

void egc_run_fini(egc_run *run)
{
    egc_learning_free(run->learning);
}

egc_status egc_run_begin_step(egc_run *run, uint64_t step, egc_error *err)
{
    if (run->steps_begun > step)
        return EGC_OK;
    run->steps_begun = step + 1;
    *egc_run_tally(run, step) = (egc_tally){0};
    return egc_learning_begin_step(run->learning, step, err);
}

/* ---- the end of a step ---------------------------------------------------------------------- */

static egc_status report_evaluation(egc_run *run, uint64_t step, const egc_evaluation *evaluation,
                                    egc_error *err)
{
    run->summary->last = *evaluation;
    if (!run->sink->evaluation)
        return EGC_OK;
    return run->sink->evaluation(run->sink->arg, step + 1, egc_world_now(run->world),
                                 run->message_bytes_total / (double)run->learning->n_workers,
                                 evaluation, err);
}

static egc_status end_learning(egc_run *run, uint64_t step, egc_error *err)
{
    egc_learning *learning = run->learning;
    const egc_learnt_totals *totals = &egc_learning_learnt(learning, step)->totals;
    run->steps_ended = step + 1;
    egc_status status = egc_learning_end_step(learning, step, err);
    if (status)
        return status;
    if (run->config->log)
        egc_learning_write_step(run->config->log, learning, step);
    run->message_bytes_total += totals->message_bytes;
    return egc_learning_evaluates(learning, step + 1)
               ? report_evaluation(run, step, &totals->evaluation, err)
               : EGC_OK;
}

static egc_status report_units(egc_run *run, uint64_t step, egc_error *err)
{
    egc_learning *learning = run->learning;
    egc_status status = EGC_OK;
    if (!run->config->options.layers || !run->sink->unit)
        return EGC_OK;
    for (size_t u = 0; u < learning->plan.n_units && !status; u++) {
        egc_unit_metrics metrics;
        egc_learnt_unit_metrics(egc_learning_learnt(learning, step), &learning->plan.units[u], u,
                                learning->n_workers, &metrics);
        status = run->sink->unit(run->sink->arg, step, &metrics, err);
    }
    return status;
}

static egc_status report_step(egc_run *run, uint64_t step, egc_error *err)
{
    egc_learning *learning = run->learning;
    egc_tally *tally = egc_run_tally(run, step);
    double network_bytes = egc_world_network_bytes(run->world);
    tally->network_bytes = network_bytes - run->network_bytes_seen;
    run->network_bytes_seen = network_bytes;

    egc_step_metrics metrics;
    egc_tally_metrics(tally, egc_learning_learnt(learning, step), learning->plan.n_units,
                      learning->n, learning->n_workers, &metrics);
    egc_run_totals_add(&run->totals, &metrics, (double)learning->n);
    run->summary->steps_done = step + 1;
    run->summary->final_drift = metrics.drift;
    egc_status status = EGC_OK;
    if (run->sink->step)
        status = run->sink->step(run->sink->arg, step, &metrics, err);
    return status ? status : report_units(run, step, err);
}

egc_status egc_run_finish_step(egc_run *run, uint64_t step, egc_error *err)
{
    egc_status status = EGC_OK;
    if (run->steps_ended <= step)
        status = end_learning(run, step, err);
    if (!status && ++egc_run_tally(run, step)->finished == run->learning->n_workers)
        status = report_step(run, step, err);
    return status;
}
