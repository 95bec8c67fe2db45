/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/engine_live.h"

#include <math.h>

#include "base/mem.h"
#include "train/core/optimizer.h"
#include "train/core/replica.h"
#include "train/metrics/reporter.h"

/* ---- life ---------------------------------------------------------------------------------- */

static void close_live(egc_engine *learning)
{
    egc_engine_live *live = (egc_engine_live *)learning;
    for (size_t w = 0; live->encoder && w < learning->n_sampled; w++)
        egc_encoder_free(live->encoder[w]);
    egc_free(live->readers);
    egc_buf_fini(&live->sum);
    egc_free(live->gradient);
    egc_free(live->encoder);
    egc_decoder_free(live->decoder);
    egc_workspace_free(live->workspace);
    egc_free(live->average);
    egc_free(live->parameters);
    egc_free(live->velocity);
    egc_free(live->taken);
    egc_free(live->agreed);
    egc_free(live->support);
    egc_buf_fini(&live->joined);
    for (size_t b = 0; learning->mergers && b < learning->partition.n_buckets; b++)
        egc_merger_free(learning->mergers[b]);
    egc_free(learning->mergers);
    egc_fidelity_fini(&live->fidelity);
    egc_workload_free(live->workload);
}

static egc_status open_workload(egc_engine *learning, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)learning;
    egc_status status = egc_replica_open_workload(learning->config, &live->workload, err);
    learning->workload = live->workload;
    return status;
}

static bool allocate(egc_engine_live *live)
{
    const egc_engine *learning = &live->base;
    size_t n = learning->n;
    size_t n_deliveries = learning->partition.n_buckets * learning->choice.n_rounds;
    bool closed = live->workload->type->closed_loop;
    bool own_momentum = closed && !egc_method_has_momentum(&learning->config->method);
    live->gradient = egc_calloc(n, sizeof(float));
    live->average = egc_calloc(n, sizeof(float));
    live->encoder = egc_calloc(learning->n_sampled, sizeof *live->encoder);
    live->readers = egc_calloc(learning->n_sampled, sizeof *live->readers);
    live->taken = egc_calloc(n_deliveries, sizeof *live->taken);
    live->agreed = egc_calloc(n_deliveries, sizeof *live->agreed);
    if (closed)
        live->parameters = egc_calloc(n, sizeof(float));
    if (own_momentum)
        live->velocity = egc_calloc(n, sizeof(float));
    bool chooses = learning->config->method.compressor->select;
    if (chooses)
        live->support = egc_calloc(n / 64 + 1, sizeof *live->support);
    return live->gradient && live->average && live->encoder && live->readers && live->taken &&
           live->agreed && (live->parameters || !closed) && (live->velocity || !own_momentum) &&
           (live->support || !chooses);
}

static egc_status make_mergers(egc_engine_live *live, const egc_coder_config *config,
                               egc_error *err)
{
    egc_engine *learning = &live->base;
    const egc_partition *partition = &learning->partition;
    egc_status status = EGC_OK;
    learning->mergers = egc_calloc(partition->n_buckets, sizeof *learning->mergers);
    if (!learning->mergers)
        return egc_fail_memory(err, partition->n_buckets * sizeof *learning->mergers);
    for (size_t b = 0; b < partition->n_buckets && !status; b++)
        status = egc_merger_new(config, partition->buckets[b].first_unit,
                                partition->buckets[b].n_units, &learning->mergers[b], err);
    return status;
}

static egc_status make_coders(egc_engine_live *live, egc_error *err)
{
    const egc_engine *learning = &live->base;
    const egc_partition *partition = &learning->partition;
    egc_status status =
        egc_workspace_new(egc_partition_longest_unit(partition), &live->workspace, err);
    const egc_coder_config config = {
        .method = &learning->config->method,
        .momentum = live->momentum,
        .n_workers = learning->n_sampled,
        .seed = (uint64_t)learning->config->options.seed,
        .units = partition->units,
        .n_units = partition->n_units,
        .workspace = live->workspace,
        .merge = learning->choice.merge,
        .support = live->support,
    };
    if (!status)
        status = egc_decoder_new(&config, &live->decoder, err);
    for (size_t w = 0; w < learning->n_sampled && !status; w++)
        status = egc_encoder_new(&config, w, live->decoder, &live->encoder[w], err);
    if (!status && learning->choice.sparse)
        status = make_mergers(live, &config, err);
    return status;
}

static egc_status start(egc_engine *learning, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)learning;
    const egc_method *method = &learning->config->method;
    live->momentum = egc_replica_momentum(method, live->workload);
    if (!allocate(live))
        return egc_fail_memory(err, learning->n * sizeof(float));
    egc_status status = make_coders(live, err);
    if (!status)
        status = egc_fidelity_init(&live->fidelity, learning->n, egc_method_has_momentum(method),
                                   live->momentum, method->options.nesterov, err);
    if (!status && live->parameters)
        status = live->workload->type->initialize(live->workload, live->parameters, err);
    return status;
}

/* ---- the end of a step ---------------------------------------------------------------------- */

static egc_status update(egc_engine_live *live, uint64_t step, egc_evaluation *evaluation,
                         egc_error *err)
{
    const egc_engine *learning = &live->base;
    const egc_optimizer *optimizer = &live->workload->optimizer;
    double lr = egc_optimizer_lr(optimizer, step, (uint64_t)learning->config->options.steps);
    egc_optimizer_apply(optimizer, lr, live->average, live->velocity, live->parameters,
                        learning->n);
    if (!egc_reporter_evaluates(learning->config, step + 1))
        return EGC_OK;
    return live->workload->type->evaluate(live->workload, live->parameters, evaluation, err);
}

static egc_status end_step(egc_engine *learning, uint64_t step, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)learning;
    egc_step_stats *learnt = egc_engine_stats(learning, step);
    egc_step_totals *totals = &learnt->totals;
    for (size_t u = 0; u < learning->partition.n_units; u++)
        learnt->correction[u] = egc_decoder_correction(live->decoder, u);
    egc_fidelity_end(&live->fidelity, learnt->n_workers, live->average, &totals->cosine,
                     &totals->drift);
    return live->parameters ? update(live, step, &totals->evaluation, err) : EGC_OK;
}

static void regroup(egc_engine *learning)
{
    egc_engine_live *live = (egc_engine_live *)learning;
    egc_decoder_regroup(live->decoder, learning->n_members);
    for (size_t i = 0; i < learning->n_members; i++)
        egc_encoder_regroup(live->encoder[learning->members[i]], i, learning->n_members);
}

const egc_engine_type egc_engine_live_type = {
    .size = sizeof(egc_engine_live),
    .open = open_workload,
    .start = start,
    .begin_step = egc_engine_live_begin_step,
    .make_message = egc_engine_live_encode,
    .take = egc_engine_live_decode,
    .end_step = end_step,
    .regroup = regroup,
    .close = close_live,
};
