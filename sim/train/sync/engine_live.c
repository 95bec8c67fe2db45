/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/engine_live.h"

#include <math.h>

#include "base/mem.h"
#include "compressors/core/encoder.h"
#include "train/core/optimizer.h"
#include "train/core/replica.h"
#include "train/metrics/reporter.h"

/* ---- life ---------------------------------------------------------------------------------- */

static void close_live(egc_engine *engine)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    for (size_t w = 0; live->encoder && w < engine->n_sampled; w++)
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
    for (size_t b = 0; engine->mergers && b < engine->partition.n_buckets; b++)
        egc_merger_free(engine->mergers[b]);
    egc_free(engine->mergers);
    egc_fidelity_fini(&live->fidelity);
    egc_workload_free(live->workload);
}

static egc_status open_workload(egc_engine *engine, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    egc_status status = egc_replica_open_workload(engine->config, &live->workload, err);
    engine->workload = live->workload;
    return status;
}

static bool allocate(egc_engine_live *live)
{
    const egc_engine *engine = &live->base;
    size_t n = engine->n;
    size_t n_deliveries = engine->partition.n_buckets * engine->choice.n_rounds;
    bool closed = live->workload->type->closed_loop;
    bool own_momentum = closed && !egc_method_has_momentum(&engine->config->method);
    live->gradient = egc_calloc(n, sizeof(float));
    live->average = egc_calloc(n, sizeof(float));
    live->encoder = egc_calloc(engine->n_sampled, sizeof *live->encoder);
    live->readers = egc_calloc(engine->n_sampled, sizeof *live->readers);
    live->taken = egc_calloc(n_deliveries, sizeof *live->taken);
    live->agreed = egc_calloc(n_deliveries, sizeof *live->agreed);
    if (closed)
        live->parameters = egc_calloc(n, sizeof(float));
    if (own_momentum)
        live->velocity = egc_calloc(n, sizeof(float));
    bool chooses = engine->config->method.compressor->select;
    if (chooses)
        live->support = egc_calloc(n / 64 + 1, sizeof *live->support);
    return live->gradient && live->average && live->encoder && live->readers && live->taken &&
           live->agreed && (live->parameters || !closed) && (live->velocity || !own_momentum) &&
           (live->support || !chooses);
}

static egc_status make_mergers(egc_engine_live *live, const egc_coder_config *config,
                               egc_error *err)
{
    egc_engine *engine = &live->base;
    const egc_partition *partition = &engine->partition;
    egc_status status = EGC_OK;
    engine->mergers = egc_calloc(partition->n_buckets, sizeof *engine->mergers);
    if (!engine->mergers)
        return egc_fail_memory(err, partition->n_buckets * sizeof *engine->mergers);
    for (size_t b = 0; b < partition->n_buckets && !status; b++)
        status = egc_merger_new(config, partition->buckets[b].first_unit,
                                partition->buckets[b].n_units, &engine->mergers[b], err);
    return status;
}

static egc_status make_coders(egc_engine_live *live, egc_error *err)
{
    const egc_engine *engine = &live->base;
    const egc_partition *partition = &engine->partition;
    egc_status status =
        egc_workspace_new(egc_partition_longest_unit(partition), &live->workspace, err);
    const egc_coder_config config = {
        .method = &engine->config->method,
        .momentum = live->momentum,
        .n_workers = engine->n_sampled,
        .seed = (uint64_t)engine->config->options.seed,
        .units = partition->units,
        .n_units = partition->n_units,
        .workspace = live->workspace,
        .merge = engine->choice.merge,
        .support = live->support,
    };
    if (!status)
        status = egc_decoder_new(&config, &live->decoder, err);
    for (size_t w = 0; w < engine->n_sampled && !status; w++)
        status = egc_encoder_new(&config, w, live->decoder, &live->encoder[w], err);
    if (!status && engine->choice.sparse)
        status = make_mergers(live, &config, err);
    return status;
}

static egc_status start(egc_engine *engine, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    const egc_method *method = &engine->config->method;
    live->momentum = egc_replica_momentum(method, live->workload);
    if (!allocate(live))
        return egc_fail_memory(err, engine->n * sizeof(float));
    egc_status status = make_coders(live, err);
    if (!status)
        status = egc_fidelity_init(&live->fidelity, engine->n, egc_method_has_momentum(method),
                                   live->momentum, method->options.nesterov, err);
    if (!status && live->parameters)
        status = live->workload->type->initialize(live->workload, live->parameters, err);
    return status;
}

/* ---- the end of a step ---------------------------------------------------------------------- */

static egc_status update(egc_engine_live *live, uint64_t step, egc_evaluation *evaluation,
                         egc_error *err)
{
    const egc_engine *engine = &live->base;
    const egc_optimizer *optimizer = &live->workload->optimizer;
    double lr = egc_optimizer_lr(optimizer, step, (uint64_t)engine->config->options.steps);
    egc_optimizer_apply(optimizer, lr, live->average, live->velocity, live->parameters, engine->n);
    if (!egc_reporter_evaluates(engine->config, step + 1))
        return EGC_OK;
    return live->workload->type->evaluate(live->workload, live->parameters, evaluation, err);
}

static egc_status end_step(egc_engine *engine, uint64_t step, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    egc_step_stats *stats = egc_engine_stats(engine, step);
    egc_step_totals *totals = &stats->totals;
    for (size_t u = 0; u < engine->partition.n_units; u++)
        stats->correction[u] = egc_decoder_correction(live->decoder, u);
    egc_fidelity_end(&live->fidelity, stats->n_workers, live->average, &totals->cosine,
                     &totals->drift);
    return live->parameters ? update(live, step, &totals->evaluation, err) : EGC_OK;
}

static void regroup(egc_engine *engine)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    egc_decoder_regroup(live->decoder, engine->n_members);
    for (size_t i = 0; i < engine->n_members; i++)
        egc_encoder_regroup(live->encoder[engine->members[i]], i, engine->n_members);
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
