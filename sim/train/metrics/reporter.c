/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/metrics/reporter.h"

#include <math.h>

bool egc_reporter_evaluates(const egc_train_config *config, uint64_t steps_done)
{
    const egc_train_options *options = &config->options;
    uint64_t every = (uint64_t)options->eval_every;
    bool is_last = steps_done == (uint64_t)options->steps;
    return config->workload->closed_loop && (is_last || (every && steps_done % every == 0));
}

size_t egc_reporter_participants(const egc_reporter *reporter, const egc_step_times *times)
{
    return times->participants ? times->participants : reporter->n_workers;
}

static egc_status report_units(egc_reporter *reporter, uint64_t step, const egc_step_stats *learnt,
                               egc_error *err)
{
    const egc_train_sink *sink = reporter->sink;
    egc_status status = EGC_OK;
    if (!reporter->config->options.layers || !sink->unit)
        return EGC_OK;
    for (size_t u = 0; u < reporter->partition->n_units && !status; u++) {
        egc_unit_metrics metrics;
        egc_step_stats_unit_metrics(learnt, &reporter->partition->units[u], u, &metrics);
        status = sink->unit(sink->arg, step, &metrics, err);
    }
    return status;
}

/* What was consumed since the last report. */
static egc_energy take_energy(egc_reporter *reporter)
{
    if (!reporter->config->options.energy)
        return (egc_energy){NAN, NAN};
    egc_energy before = reporter->energy_seen, now = egc_energy_used(reporter->world);
    reporter->energy_seen = now;
    return (egc_energy){now.host_J - before.host_J, now.link_J - before.link_J};
}

egc_status egc_reporter_step(egc_reporter *reporter, uint64_t step, egc_step_times *times,
                             const egc_step_stats *learnt, egc_error *err)
{
    const egc_train_sink *sink = reporter->sink;
    double network_bytes = egc_world_network_bytes(reporter->world);
    times->network_bytes += network_bytes - reporter->network_bytes_seen;
    reporter->network_bytes_seen = network_bytes;
    times->energy = take_energy(reporter);

    egc_step_metrics metrics;
    size_t participants = egc_reporter_participants(reporter, times);
    egc_step_stats_metrics(times, learnt, reporter->partition->n_units, reporter->n, participants,
                           &metrics);
    egc_metrics_sums_add(&reporter->totals, &metrics, (double)reporter->n);
    reporter->summary->steps_done = step + 1;
    reporter->summary->final_drift = metrics.drift;
    egc_status status = sink->step ? sink->step(sink->arg, step, &metrics, err) : EGC_OK;
    return status ? status : report_units(reporter, step, learnt, err);
}

egc_status egc_reporter_evaluation(egc_reporter *reporter, uint64_t step,
                                   const egc_evaluation *evaluation, egc_error *err)
{
    const egc_train_sink *sink = reporter->sink;
    reporter->summary->last = *evaluation;
    if (!sink->evaluation)
        return EGC_OK;
    return sink->evaluation(sink->arg, step + 1, egc_world_now(reporter->world),
                            reporter->message_bytes_total / (double)reporter->n_sampled, evaluation,
                            err);
}

void egc_reporter_end(egc_reporter *reporter)
{
    reporter->summary->sim_time_s = egc_world_now(reporter->world);
    egc_metrics_sums_mean(&reporter->totals, (double)reporter->n, &reporter->summary->mean);
}
