/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/run.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "train/optimizer.h"

/* ---- life ---------------------------------------------------------------------------------- */

/* Messages of even and odd steps, of each round, worker and bucket. */
static size_t n_outgoing(const egc_run *run)
{
    return 2 * run->route.n_rounds * run->n_workers * run->plan.n_buckets;
}

static void outgoing_fini(egc_outgoing *out, size_t n_workers)
{
    for (size_t w = 0; out->pieces && w < n_workers; w++)
        egc_buf_fini(&out->pieces[w]);
    egc_free(out->pieces);
    egc_buf_fini(&out->message);
}

void egc_run_fini(egc_run *run)
{
    for (size_t w = 0; run->encoder && w < run->n_workers; w++)
        egc_encoder_free(run->encoder[w]);
    for (size_t i = 0; run->outgoing && i < n_outgoing(run); i++)
        outgoing_fini(&run->outgoing[i], run->n_workers);
    egc_free(run->outgoing);
    egc_free(run->readers);
    egc_free(run->gradient);
    egc_free(run->encoder);
    egc_decoder_free(run->decoder);
    egc_workspace_free(run->workspace);
    egc_free(run->average);
    egc_free(run->parameters);
    egc_free(run->velocity);
    egc_free(run->taken);
    egc_free(run->agreed);
    egc_free(run->tally[0].units);
    egc_free(run->tally[1].units);
    egc_fidelity_fini(&run->fidelity);
    egc_plan_fini(&run->plan);
    egc_workload_free(run->workload);
}

static bool allocate_shared(egc_run *run)
{
    bool closed = run->workload->type->closed_loop;
    bool own_momentum = closed && !egc_method_has_momentum(&run->config->method);
    run->average = egc_calloc(run->n, sizeof(float));
    size_t n_deliveries = run->plan.n_buckets * run->route.n_rounds;
    run->taken = egc_calloc(n_deliveries, sizeof *run->taken);
    run->agreed = egc_calloc(n_deliveries, sizeof *run->agreed);
    run->tally[0].units = egc_calloc(run->plan.n_units, sizeof(egc_encoding));
    run->tally[1].units = egc_calloc(run->plan.n_units, sizeof(egc_encoding));
    if (closed)
        run->parameters = egc_calloc(run->n, sizeof(float));
    if (own_momentum)
        run->velocity = egc_calloc(run->n, sizeof(float));
    return run->average && run->taken && run->agreed && run->tally[0].units &&
           run->tally[1].units && (run->parameters || !closed) && (run->velocity || !own_momentum);
}

static bool allocate_workers(egc_run *run)
{
    run->encoder = egc_calloc(run->n_workers, sizeof *run->encoder);
    run->gradient = egc_calloc(run->n, sizeof *run->gradient);
    run->readers = egc_calloc(run->n_workers, sizeof *run->readers);
    run->outgoing = egc_calloc(n_outgoing(run), sizeof *run->outgoing);
    if (!run->encoder || !run->gradient || !run->readers || !run->outgoing)
        return false;
    for (size_t i = 0; i < n_outgoing(run); i++) {
        size_t round = i / (run->n_workers * run->plan.n_buckets) % run->route.n_rounds;
        if (run->route.round[round].kind != EGC_ROUND_SCATTER)
            continue;
        run->outgoing[i].pieces = egc_calloc(run->n_workers, sizeof(egc_buf));
        if (!run->outgoing[i].pieces)
            return false;
    }
    return true;
}

static egc_status make_coders(egc_run *run, egc_error *err)
{
    const egc_method *method = &run->config->method;
    uint64_t seed = (uint64_t)run->config->options.seed;
    size_t longest = 0;
    for (size_t u = 0; u < run->plan.n_units; u++)
        longest = run->plan.units[u].count > longest ? run->plan.units[u].count : longest;
    egc_status status = egc_workspace_new(longest, &run->workspace, err);
    const egc_coder_config config = {
        .method = method,
        .momentum = run->momentum,
        .n_workers = run->n_workers,
        .seed = seed,
        .units = run->plan.units,
        .n_units = run->plan.n_units,
        .workspace = run->workspace,
    };
    if (!status)
        status = egc_decoder_new(&config, &run->decoder, err);
    for (size_t w = 0; w < run->n_workers && !status; w++)
        status = egc_encoder_new(&config, w, run->decoder, &run->encoder[w], err);
    return status;
}

/* The method's momentum, the workload's, or the usual one. */
static double resolve_momentum(const egc_method *method, const egc_workload *workload)
{
    if (!isnan(method->options.momentum))
        return method->options.momentum;
    return workload->type->closed_loop ? workload->optimizer.momentum : 0.9;
}

static egc_status open_workload(egc_run *run, egc_error *err)
{
    const egc_training_options *options = &run->config->options;
    const egc_workload_request request = {
        .workers = (size_t)options->workers,
        .steps = (uint64_t)options->steps,
        .seed = (uint64_t)options->seed,
    };
    egc_status status = egc_workload_new(run->config->workload, run->config->workload_params,
                                         &request, &run->workload, err);
    if (status)
        return status;
    run->workload->optimizer.lr *= run->config->method.options.lr_scale;
    const egc_cluster_common *common = run->config->cluster_params;
    const egc_device *device = &run->config->device;
    const egc_plan_options plan = {
        .granularity = (egc_granularity)run->config->method.options.granularity,
        .bucket_bytes = options->bucket_bytes,
        .first_bucket_bytes = options->first_bucket_bytes,
        .speed_flops =
            isnan(common->speed_flops) ? device->flops * device->efficiency : common->speed_flops,
    };
    return egc_plan_init(&run->plan, run->workload, &plan, err);
}

egc_status egc_run_init(egc_run *run, const egc_training_config *config,
                        const egc_training_sink *sink, egc_training_summary *summary,
                        egc_error *err)
{
    const egc_method *method = &config->method;
    *run = (egc_run){
        .config = config,
        .sink = sink,
        .summary = summary,
        .n_workers = (size_t)config->options.workers,
    };
    egc_status status = egc_route_init(&run->route, config, err);
    if (!status)
        status = open_workload(run, err);
    if (!status) {
        run->n = run->workload->n_params;
        run->momentum = resolve_momentum(method, run->workload);
        status = allocate_shared(run) && allocate_workers(run)
                     ? make_coders(run, err)
                     : egc_fail_memory(err, run->n * sizeof(float));
    }
    if (!status)
        status = egc_fidelity_init(&run->fidelity, run->n, egc_method_has_momentum(method),
                                   run->momentum, method->options.nesterov, err);
    if (!status && run->parameters)
        status = run->workload->type->initialize(run->workload, run->parameters, err);
    if (status)
        egc_run_fini(run);
    return status;
}

/* ---- the end of a step ---------------------------------------------------------------------- */

static egc_status evaluate(egc_run *run, uint64_t steps_done, egc_error *err)
{
    const egc_training_options *options = &run->config->options;
    uint64_t every = (uint64_t)options->eval_every;
    bool last = steps_done == (uint64_t)options->steps;
    if (!run->parameters || !(last || (every && steps_done % every == 0)))
        return EGC_OK;
    egc_evaluation *evaluation = &run->summary->last;
    egc_status status =
        run->workload->type->evaluate(run->workload, run->parameters, evaluation, err);
    if (!status && run->sink->evaluation)
        status = run->sink->evaluation(run->sink->arg, steps_done, egc_world_now(run->world),
                                       run->message_bytes_total / (double)run->n_workers,
                                       evaluation, err);
    return status;
}

static egc_status apply_update(egc_run *run, uint64_t step, egc_error *err)
{
    egc_tally *tally = egc_run_tally(run, step);
    run->steps_applied = step + 1;
    run->message_bytes_total += tally->message_bytes;
    egc_fidelity_end(&run->fidelity, run->n_workers, run->average, &tally->cosine, &tally->drift);
    if (!run->parameters)
        return EGC_OK;
    const egc_optimizer *optimizer = &run->workload->optimizer;
    double lr = egc_optimizer_lr(optimizer, step, (uint64_t)run->config->options.steps);
    egc_optimizer_apply(optimizer, lr, run->average, run->velocity, run->parameters, run->n);
    return evaluate(run, step + 1, err);
}

static egc_status report_units(egc_run *run, uint64_t step, egc_error *err)
{
    egc_status status = EGC_OK;
    if (!run->config->options.layers || !run->sink->unit)
        return EGC_OK;
    for (size_t u = 0; u < run->plan.n_units && !status; u++) {
        egc_unit_metrics metrics;
        egc_tally_unit_metrics(egc_run_tally(run, step), &run->plan.units[u], u, run->n_workers,
                               egc_decoder_correction(run->decoder, u), &metrics);
        status = run->sink->unit(run->sink->arg, step, &metrics, err);
    }
    return status;
}

static egc_status report_step(egc_run *run, uint64_t step, egc_error *err)
{
    egc_tally *tally = egc_run_tally(run, step);
    double network_bytes = egc_world_network_bytes(run->world);
    tally->network_bytes = network_bytes - run->network_bytes_seen;
    run->network_bytes_seen = network_bytes;

    egc_step_metrics metrics;
    egc_tally_metrics(tally, run->plan.n_units, run->n, run->n_workers, &metrics);
    egc_run_totals_add(&run->totals, &metrics, (double)run->n);
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
    if (run->steps_applied <= step)
        status = apply_update(run, step, err);
    if (!status && ++egc_run_tally(run, step)->finished == run->n_workers)
        status = report_step(run, step, err);
    return status;
}
