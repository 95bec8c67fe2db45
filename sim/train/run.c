/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/run.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "train/cost.h"
#include "train/optimizer.h"

/* ---- life ---------------------------------------------------------------------------------- */

void egc_run_fini(egc_run *run)
{
    for (size_t w = 0; run->encoder && w < run->n_workers; w++)
        egc_encoder_free(run->encoder[w]);
    for (int slot = 0; slot < 2; slot++) {
        for (size_t i = 0; run->outgoing[slot] && i < run->n_workers * run->plan.n_buckets; i++)
            egc_buf_fini(&run->outgoing[slot][i].message);
        egc_free(run->outgoing[slot]);
    }
    egc_free(run->gradient);
    egc_free(run->encoder);
    egc_decoder_free(run->decoder);
    egc_workspace_free(run->workspace);
    egc_free(run->average);
    egc_free(run->parameters);
    egc_free(run->velocity);
    egc_free(run->averaged);
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
    run->averaged = egc_calloc(run->plan.n_buckets, sizeof *run->averaged);
    run->agreed = egc_calloc(run->plan.n_buckets, sizeof *run->agreed);
    run->tally[0].units = egc_calloc(run->plan.n_units, sizeof(egc_encoding));
    run->tally[1].units = egc_calloc(run->plan.n_units, sizeof(egc_encoding));
    if (closed)
        run->parameters = egc_calloc(run->n, sizeof(float));
    if (own_momentum)
        run->velocity = egc_calloc(run->n, sizeof(float));
    return run->average && run->averaged && run->agreed && run->tally[0].units &&
           run->tally[1].units && (run->parameters || !closed) && (run->velocity || !own_momentum);
}

static bool allocate_workers(egc_run *run)
{
    size_t n_messages = run->n_workers * run->plan.n_buckets;
    run->encoder = egc_calloc(run->n_workers, sizeof *run->encoder);
    run->gradient = egc_calloc(run->n, sizeof *run->gradient);
    run->outgoing[0] = egc_calloc(n_messages, sizeof(egc_outgoing));
    run->outgoing[1] = egc_calloc(n_messages, sizeof(egc_outgoing));
    return run->encoder && run->gradient && run->outgoing[0] && run->outgoing[1];
}

static egc_status make_coders(egc_run *run, egc_error *err)
{
    const egc_method *method = &run->config->method;
    uint64_t seed = (uint64_t)run->config->options.seed;
    size_t longest = 0;
    for (size_t u = 0; u < run->plan.n_units; u++)
        longest = run->plan.units[u].count > longest ? run->plan.units[u].count : longest;
    egc_status status = egc_workspace_new(longest, &run->workspace, err);
    if (!status)
        status = egc_decoder_new(method, run->momentum, run->plan.units, run->plan.n_units,
                                 run->workspace, &run->decoder, err);
    for (size_t w = 0; w < run->n_workers && !status; w++)
        status = egc_encoder_new(method, run->momentum, run->n_workers, run->plan.units,
                                 run->plan.n_units, egc_seed_derive(seed, 'e', w), run->workspace,
                                 &run->encoder[w], err);
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
    egc_status status = open_workload(run, err);
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

/* ---- the beginning of a step ---------------------------------------------------------------- */

static egc_status one_gradient(egc_run *run, uint64_t step, size_t worker, egc_error *err)
{
    egc_tally *tally = egc_run_tally(run, step);
    double loss = NAN;
    egc_gradient_check check;
    egc_status status = run->workload->type->gradient(run->workload, step, worker, run->parameters,
                                                      run->gradient, &loss, err);
    if (!status && run->parameters && !isfinite(loss))
        status = egc_fail(err, EGC_ERROR_NONFINITE, "training loss is not finite");
    if (!status)
        status = egc_encoder_step(run->encoder[worker], step, run->gradient, &check, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)step, worker);
    tally->loss += loss;
    tally->nonfinite += (double)(check.nan_count + check.inf_count);
    bool finite = check.nan_count + check.inf_count == 0;
    egc_fidelity_add(&run->fidelity, run->gradient, finite);
    return EGC_OK;
}

static egc_status encode_bucket(egc_run *run, uint64_t step, size_t worker, size_t b,
                                egc_error *err)
{
    const egc_training_config *config = run->config;
    const egc_bucket *bucket = &run->plan.buckets[b];
    egc_outgoing *out = egc_run_outgoing(run, step, worker, b);
    egc_encoder *encoder = run->encoder[worker];
    egc_tally *tally = egc_run_tally(run, step);
    out->encode_s = 0;
    egc_buf_clear(&out->message);
    egc_status status =
        egc_encoder_begin(encoder, bucket->first_unit, bucket->n_units, &out->message, err);
    for (size_t i = 0; i < bucket->n_units && !status; i++) {
        size_t u = bucket->first_unit + i;
        egc_encoding encoding;
        status = egc_encoder_encode(encoder, u, &out->message, &encoding, err);
        if (status)
            break;
        egc_tally_add(tally, u, &encoding);
        if (config->options.cost == EGC_COST_MODEL)
            out->encode_s +=
                egc_cost_encode(&config->method, &config->device, run->plan.units[u].count,
                                encoding.sent, encoding.wire_bytes);
    }
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)step, worker);
    tally->message_bytes += (double)out->message.len;
    return EGC_OK;
}

egc_status egc_run_begin_step(egc_run *run, uint64_t step, egc_error *err)
{
    if (run->steps_begun > step)
        return EGC_OK;
    run->steps_begun = step + 1;
    egc_tally_clear(egc_run_tally(run, step), run->plan.n_units);
    egc_fidelity_begin(&run->fidelity);
    egc_status status = EGC_OK;
    for (size_t w = 0; w < run->n_workers && !status; w++) {
        status = one_gradient(run, step, w, err);
        for (size_t b = 0; b < run->plan.n_buckets && !status; b++)
            status = encode_bucket(run, step, w, b, err);
    }
    return status;
}

/* ---- the average of a bucket ---------------------------------------------------------------- */

/* Whether this worker is to compute the average into run->average. */
static bool is_first(egc_run *run, uint64_t step, size_t bucket)
{
    bool first = run->averaged[bucket] <= step;
    run->averaged[bucket] = step + 1;
    return first;
}

#ifndef NDEBUG
/* Every replica must receive the very same bytes. */
static void check_agreement(egc_run *run, size_t bucket, bool first, uint64_t hash)
{
    if (first)
        run->agreed[bucket] = hash;
    assert(run->agreed[bucket] == hash);
}

static uint64_t hash_messages(const egc_run *run, const egc_buf *messages)
{
    uint64_t hash = EGC_HASH_START;
    for (size_t w = 0; w < run->n_workers; w++)
        hash = egc_hash(hash, messages[w].data, messages[w].len);
    return hash;
}
#endif

static void finish_average(egc_run *run, const egc_bucket *bucket)
{
    float *average = run->average + bucket->first;
    float share = 1 / (float)run->n_workers;
    for (size_t i = 0; i < bucket->count; i++)
        average[i] *= share;
    egc_decoder_correct(run->decoder, bucket->first_unit, bucket->n_units, run->average);
}

/* The sum of all decoded messages, in the order of ranks. */
static egc_status sum_messages(egc_run *run, const egc_bucket *bucket, const egc_buf *messages,
                               egc_error *err)
{
    egc_status status = EGC_OK;
    memset(run->average + bucket->first, 0, bucket->count * sizeof *run->average);
    for (size_t w = 0; w < run->n_workers && !status; w++) {
        status = egc_decoder_add(run->decoder, bucket->first_unit, bucket->n_units,
                                 messages[w].data, messages[w].len, 1, run->average, err);
        if (status)
            egc_error_prefix(err, "message of worker %zu", w);
    }
    return status;
}

egc_status egc_run_average_messages(egc_run *run, uint64_t step, size_t b, const egc_buf *messages,
                                    egc_error *err)
{
    const egc_bucket *bucket = &run->plan.buckets[b];
    bool first = is_first(run, step, b);
#ifndef NDEBUG
    check_agreement(run, b, first, hash_messages(run, messages));
#endif
    if (!first)
        return EGC_OK;
    if (sum_messages(run, bucket, messages, err))
        return egc_error_prefix(err, "step %llu", (unsigned long long)step);
    finish_average(run, bucket);
    return EGC_OK;
}

void egc_run_average_sum(egc_run *run, uint64_t step, size_t b, const float *sum)
{
    const egc_bucket *bucket = &run->plan.buckets[b];
    bool first = is_first(run, step, b);
#ifndef NDEBUG
    check_agreement(run, b, first, egc_hash(EGC_HASH_START, sum, bucket->count * sizeof *sum));
#endif
    if (!first)
        return;
    memcpy(run->average + bucket->first, sum, bucket->count * sizeof *sum);
    finish_average(run, bucket);
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
