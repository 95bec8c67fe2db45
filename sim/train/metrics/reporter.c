/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/metrics/reporter.h"

#include <math.h>

bool egc_report_evaluates(const egc_training_config *config, uint64_t steps_done)
{
    const egc_training_options *options = &config->options;
    uint64_t every = (uint64_t)options->eval_every;
    bool is_last = steps_done == (uint64_t)options->steps;
    return config->workload->closed_loop && (is_last || (every && steps_done % every == 0));
}

size_t egc_report_participants(const egc_report *report, const egc_tally *tally)
{
    return tally->participants ? tally->participants : report->n_workers;
}

static egc_status report_units(egc_report *report, uint64_t step, const egc_learnt *learnt,
                               egc_error *err)
{
    const egc_training_sink *sink = report->sink;
    egc_status status = EGC_OK;
    if (!report->config->options.layers || !sink->unit)
        return EGC_OK;
    for (size_t u = 0; u < report->plan->n_units && !status; u++) {
        egc_unit_metrics metrics;
        egc_learnt_unit_metrics(learnt, &report->plan->units[u], u, &metrics);
        status = sink->unit(sink->arg, step, &metrics, err);
    }
    return status;
}

/* What was consumed since the last report. */
static egc_energy take_energy(egc_report *report)
{
    if (!report->config->options.energy)
        return (egc_energy){NAN, NAN};
    egc_energy before = report->energy_seen, now = egc_world_energy(report->world);
    report->energy_seen = now;
    return (egc_energy){now.host_J - before.host_J, now.link_J - before.link_J};
}

egc_status egc_report_step(egc_report *report, uint64_t step, egc_tally *tally,
                           const egc_learnt *learnt, egc_error *err)
{
    const egc_training_sink *sink = report->sink;
    double network_bytes = egc_world_network_bytes(report->world);
    tally->network_bytes += network_bytes - report->network_bytes_seen;
    report->network_bytes_seen = network_bytes;
    tally->energy = take_energy(report);

    egc_step_metrics metrics;
    size_t participants = egc_report_participants(report, tally);
    egc_tally_metrics(tally, learnt, report->plan->n_units, report->n, participants, &metrics);
    egc_run_totals_add(&report->totals, &metrics, (double)report->n);
    report->summary->steps_done = step + 1;
    report->summary->final_drift = metrics.drift;
    egc_status status = sink->step ? sink->step(sink->arg, step, &metrics, err) : EGC_OK;
    return status ? status : report_units(report, step, learnt, err);
}

egc_status egc_report_evaluation(egc_report *report, uint64_t step,
                                 const egc_evaluation *evaluation, egc_error *err)
{
    const egc_training_sink *sink = report->sink;
    report->summary->last = *evaluation;
    if (!sink->evaluation)
        return EGC_OK;
    return sink->evaluation(sink->arg, step + 1, egc_world_now(report->world),
                            report->message_bytes_total / (double)report->n_learners, evaluation,
                            err);
}

void egc_report_end(egc_report *report)
{
    report->summary->sim_time_s = egc_world_now(report->world);
    egc_run_totals_mean(&report->totals, (double)report->n, &report->summary->mean);
}
