/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reporting of steps, evaluations and the run. Bytes and energy of a step are differences of the
 * world's counters at its end and at the end of the one before. */
#include "train/metrics/reporter.h"

#include <math.h>
#include <string.h>

egc_reporter egc_reporter_of(const egc_train_config *config, const egc_train_sink *sink,
                             egc_train_summary *summary, const egc_workload *workload,
                             const egc_partition *partition)
{
    memcpy(summary->model, workload->model, sizeof summary->model);
    summary->metrics.params = (double)workload->n_params;
    summary->metrics.dense_bytes = 4 * (double)workload->n_params;
    return (egc_reporter){
        .config = config,
        .sink = sink,
        .summary = summary,
        .partition = partition,
        .n = workload->n_params,
        .n_workers = (size_t)config->options.workers,
        .n_sampled = egc_train_config_sampled_workers(config),
        .last = {NAN, NAN, NAN},
    };
}

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

static egc_status report_units(egc_reporter *reporter, uint64_t step, const egc_step_stats *stats,
                               egc_error *err)
{
    const egc_train_sink *sink = reporter->sink;
    egc_status status = EGC_OK;
    if (!reporter->config->options.layers || !sink->unit)
        return EGC_OK;
    for (size_t u = 0; u < reporter->partition->n_units && !status; u++) {
        egc_unit_metrics metrics;
        egc_step_stats_unit_metrics(stats, &reporter->partition->units[u], u, &metrics);
        status = sink->unit(sink->arg, step, &metrics, err);
    }
    return status;
}

/* The energy used since the last call. */
static egc_energy energy_of_step(egc_reporter *reporter)
{
    if (!reporter->config->options.energy)
        return (egc_energy){NAN, NAN};
    egc_energy before = reporter->energy_seen, now = egc_energy_used(reporter->world);
    reporter->energy_seen = now;
    return (egc_energy){now.host_J - before.host_J, now.link_J - before.link_J};
}

egc_status egc_reporter_step(egc_reporter *reporter, uint64_t step, egc_step_times *times,
                             const egc_step_stats *stats, egc_error *err)
{
    const egc_train_sink *sink = reporter->sink;
    double network_bytes = egc_world_network_bytes(reporter->world);
    times->network_bytes += network_bytes - reporter->network_bytes_seen;
    reporter->network_bytes_seen = network_bytes;
    times->energy = energy_of_step(reporter);

    egc_metrics metrics;
    size_t participants = egc_reporter_participants(reporter, times);
    egc_step_stats_metrics(times, stats, reporter->partition->n_units, reporter->n, participants,
                           &metrics);
    egc_metrics_sums_add(&reporter->sums, &metrics, (double)reporter->n);
    reporter->summary->steps_done = step + 1;
    egc_status status = sink->step ? sink->step(sink->arg, step, &metrics, err) : EGC_OK;
    return status ? status : report_units(reporter, step, stats, err);
}

egc_status egc_reporter_evaluation(egc_reporter *reporter, uint64_t step,
                                   const egc_evaluation *evaluation, egc_error *err)
{
    const egc_train_sink *sink = reporter->sink;
    const egc_evaluation_metrics metrics = {
        .sim_time_s = egc_world_now(reporter->world),
        .sent_bytes_total = reporter->message_bytes_total / (double)reporter->n_sampled,
        .loss = evaluation->loss,
        .accuracy = evaluation->accuracy,
        .perplexity = evaluation->perplexity,
    };
    reporter->last = *evaluation;
    return sink->evaluation ? sink->evaluation(sink->arg, step + 1, &metrics, err) : EGC_OK;
}

void egc_reporter_end(egc_reporter *reporter)
{
    egc_metrics *metrics = &reporter->summary->metrics;
    int64_t sampled = reporter->config->options.sampled_workers;
    if (reporter->summary->steps_done == 0)
        return;
    egc_metrics_sums_mean(&reporter->sums, (double)reporter->n, metrics);
    metrics->test_loss = reporter->last.loss;
    metrics->accuracy = reporter->last.accuracy;
    metrics->perplexity = reporter->last.perplexity;
    metrics->sim_time_s = egc_world_now(reporter->world);
    metrics->sampled_workers = sampled ? (double)sampled : NAN;
}
