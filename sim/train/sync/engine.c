/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/engine.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "train/sync/engine_live.h"
#include "train/sync/engine_replay.h"

enum { SEED_PROXIES = 0x7374616e }; /* "stan": the stream of random numbers used here */

/* Messages of even and odd steps, of each round, worker and bucket. */
static size_t n_outgoing(const egc_engine *engine)
{
    return 2 * engine->choice.n_rounds * engine->n_sampled * engine->partition.n_buckets;
}

/* What merging layers is planned by: the closed form of the exchange without contention, of a
 * startup that does not depend on the length and a time a byte. */
static void foresee_exchanges(const egc_engine *engine, egc_partition_options *options)
{
    const double few = 4, many = 0x1p26;
    const egc_cluster_common *common = engine->config->cluster_params;
    const egc_exchange_type *exchange = engine->choice.exchange[0];
    double byte_s = 1 / (common->bandwidth_Bps * common->efficiency);
    int p = (int)engine->config->options.workers;
    options->startup_s = exchange->closed_form(p, few, common->latency_s, 0, 0);
    options->byte_s = exchange->closed_form(p, many, 0, byte_s, 0) / many;
}

static egc_status make_plan(egc_engine *engine, egc_error *err)
{
    egc_partition_options options = egc_partition_options_of(engine->config);
    if (options.bucket_bytes == EGC_BUCKET_MERGE)
        foresee_exchanges(engine, &options);
    return egc_partition_init(&engine->partition, engine->workload, &options, err);
}

static egc_status make_outgoing(egc_engine *engine, egc_error *err)
{
    size_t bytes = n_outgoing(engine) * sizeof *engine->outgoing;
    engine->outgoing = egc_arena_alloc(&engine->arena, bytes);
    if (!engine->outgoing)
        return egc_fail_memory(err, bytes);
    for (size_t i = 0; i < n_outgoing(engine); i++) {
        size_t slot = i / (engine->n_sampled * engine->partition.n_buckets);
        if (engine->choice.round[slot % engine->choice.n_rounds].kind != EGC_COLLECTIVE_ALLTOALL)
            continue;
        size_t room = engine->n_workers * sizeof(egc_buf);
        engine->outgoing[i].pieces = egc_arena_alloc(&engine->arena, room);
        if (!engine->outgoing[i].pieces)
            return egc_fail_memory(err, room);
    }
    size_t n_deliveries = engine->partition.n_buckets * engine->choice.n_rounds;
    engine->taken_s = egc_arena_alloc(&engine->arena, n_deliveries * sizeof(double));
    if (!engine->taken_s)
        return egc_fail_memory(err, n_deliveries * sizeof(double));
    return EGC_OK;
}

static egc_status make_passages(egc_engine *engine, egc_error *err)
{
    size_t bytes =
        engine->partition.n_buckets * engine->choice.n_rounds * sizeof *engine->transfer_checks;
    engine->transfer_checks = egc_arena_alloc(&engine->arena, bytes);
    if (!engine->transfer_checks)
        return egc_fail_memory(err, bytes);
    return EGC_OK;
}

static egc_status make_learnt(egc_engine *engine, egc_error *err)
{
    size_t n_units = engine->partition.n_units;
    size_t n_parts = engine->choice.n_rounds * engine->n_sampled * n_units;
    egc_status status = EGC_OK;
    for (int parity = 0; parity < 2 && !status; parity++)
        status = egc_step_stats_init(&engine->stats[parity], &engine->arena, engine->n_sampled,
                                     n_units, n_parts, err);
    return status;
}

/* ---- who learns ------------------------------------------------------------------------------ */

static egc_status make_proxies(egc_engine *engine, egc_error *err)
{
    if (engine->n_sampled == engine->n_workers)
        return EGC_OK;
    egc_status status = EGC_OK;
    for (int parity = 0; parity < 2 && !status; parity++) {
        size_t bytes = engine->n_workers * sizeof **engine->proxy;
        engine->proxy[parity] = egc_arena_alloc(&engine->arena, bytes);
        if (!engine->proxy[parity])
            status = egc_fail_memory(err, bytes);
    }
    return status;
}

static void draw_proxies(egc_engine *engine, uint64_t step)
{
    size_t *proxy = engine->proxy[step % 2], n = engine->n_sampled;
    uint64_t seed = (uint64_t)engine->config->options.seed;
    uint64_t state = egc_rng_derive_seed(seed, SEED_PROXIES, step);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    for (size_t w = 0; w < engine->n_workers; w++)
        proxy[w] = w < n ? w : gsl_rng_uniform_int(&rng, n);
}

static egc_status make_members(egc_engine *engine, egc_error *err)
{
    size_t bytes = engine->n_workers * sizeof *engine->members;
    engine->n_members = engine->n_workers;
    engine->members = egc_arena_alloc(&engine->arena, bytes);
    if (!engine->members)
        return egc_fail_memory(err, bytes);
    for (size_t w = 0; w < engine->n_workers; w++)
        engine->members[w] = (int)w;
    return EGC_OK;
}

void egc_engine_regroup(egc_engine *engine, const int *members, size_t n)
{
    memcpy(engine->members, members, n * sizeof *members);
    engine->n_members = n;
    for (size_t i = 0; i < engine->partition.n_buckets * engine->choice.n_rounds; i++)
        engine->transfer_checks[i].finished = 0; /* what was under way begins again */
    engine->type->regroup(engine);
}

egc_status egc_engine_begin_step(egc_engine *engine, uint64_t step, egc_error *err)
{
    if (engine->proxy[step % 2])
        draw_proxies(engine, step);
    return engine->type->begin_step(engine, step, err);
}

/* Nobody looks at bytes that were made before or stand for others. Pieces are cut for each
 * worker, and there are too many of them to know the lengths of all beforehand. */
static bool is_size_only(const egc_engine *engine)
{
    bool size_only = engine->config->replay || engine->n_sampled < engine->n_workers;
    for (size_t r = 0; r < engine->choice.n_rounds; r++)
        size_only = size_only && engine->choice.round[r].kind != EGC_COLLECTIVE_ALLTOALL;
    return size_only;
}

/* ---- life ------------------------------------------------------------------------------------ */

egc_status egc_engine_new(const egc_train_config *config, egc_engine **out, egc_error *err)
{
    const egc_engine_type *type = config->replay ? &egc_engine_replay_type : &egc_engine_live_type;
    egc_engine *engine = egc_calloc(1, type->size);
    *out = NULL;
    if (!engine)
        return egc_fail_memory(err, type->size);
    engine->type = type;
    engine->config = config;
    engine->n_workers = (size_t)config->options.workers;
    engine->n_sampled = egc_train_config_sampled_workers(config);
    egc_status status = egc_exchange_choice_init(&engine->choice, config, err);
    engine->size_only = !status && is_size_only(engine);
    if (!status)
        status = make_proxies(engine, err);
    if (!status)
        status = make_members(engine, err);
    if (!status)
        status = type->open(engine, err);
    if (!status)
        status = make_plan(engine, err);
    if (!status) {
        engine->n = engine->workload->n_params;
        status = make_outgoing(engine, err);
    }
    if (!status)
        status = make_passages(engine, err);
    if (!status)
        status = make_learnt(engine, err);
    if (!status)
        status = type->start(engine, err);
    if (status)
        egc_engine_free(engine);
    else
        *out = engine;
    return status;
}

void egc_engine_free(egc_engine *engine)
{
    if (!engine)
        return;
    for (size_t i = 0; engine->outgoing && i < n_outgoing(engine); i++) {
        egc_round_message *out = &engine->outgoing[i];
        for (size_t piece = 0; piece < egc_engine_pieces(engine, out); piece++)
            egc_buf_fini(egc_round_message_piece(out, piece));
    }
    engine->type->close(engine);
    egc_partition_fini(&engine->partition);
    egc_arena_fini(&engine->arena);
    egc_free(engine);
}
