/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables that a live and a replaying engine share: partition, messages, stats, and the proxies
 * of workers that are not sampled. */
#include "train/sync/engine/engine.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "exchange/tuning.h"
#include "train/cost/compression_time.h"

enum { SEED_PROXIES = 0x7374616e }; /* "stan": the stream of random numbers used here */

/* Messages of even and odd steps, of each round, worker and bucket. */
static size_t n_messages(const egc_engine *engine)
{
    return 2 * engine->choice.n_rounds * engine->n_sampled * engine->partition.n_buckets;
}

/* The exchange that merging layers is planned by: its closed form without contention, as a startup
 * that does not depend on the length and a time a byte. */
static void foresee_exchanges(const egc_engine *engine, egc_partition_options *options)
{
    const double few = 4, many = 0x1p26;
    const egc_cluster_common *common = engine->config->cluster_params;
    const egc_exchange_type *exchange = engine->choice.exchange[0];
    double byte_s = 1 / (common->bandwidth_Bps * common->efficiency);
    int p = (int)engine->config->options.workers;
    options->startup_s = egc_tuning_closed_form(exchange, p, few, common->latency_s, 0, 0);
    options->byte_s = egc_tuning_closed_form(exchange, p, many, 0, byte_s, 0) / many;
}

static egc_status make_partition(egc_engine *engine, egc_error *err)
{
    egc_partition_options options = egc_partition_options_of(engine->config);
    if (options.bucket_bytes == EGC_BUCKET_MERGE)
        foresee_exchanges(engine, &options);
    return egc_partition_init(&engine->partition, engine->workload, &options, err);
}

/* n zeroed objects that live as long as the engine; NULL when out of memory. */
static void *allocate(egc_engine *engine, size_t n, size_t size)
{
    return egc_arena_alloc(&engine->arena, n * size);
}

static bool make_messages(egc_engine *engine)
{
    size_t n = n_messages(engine), a_round = engine->n_sampled * engine->partition.n_buckets;
    bool made = (engine->messages = allocate(engine, n, sizeof *engine->messages)) != NULL;
    for (size_t i = 0; i < n && made; i++) {
        size_t round = i / a_round % engine->choice.n_rounds;
        if (engine->choice.round[round].kind == EGC_COLLECTIVE_ALLTOALL)
            made = (engine->messages[i].pieces =
                        allocate(engine, engine->n_workers, sizeof(egc_buf))) != NULL;
    }
    return made;
}

static bool make_members(egc_engine *engine)
{
    engine->n_members = engine->n_workers;
    engine->members = allocate(engine, engine->n_workers, sizeof *engine->members);
    for (size_t w = 0; engine->members && w < engine->n_workers; w++)
        engine->members[w] = (int)w;
    return engine->members != NULL;
}

static bool make_proxies(egc_engine *engine)
{
    bool made = true;
    for (int i = 0; i < 2 && engine->n_sampled < engine->n_workers && made; i++)
        made = (engine->proxy[i] = allocate(engine, engine->n_workers, sizeof *engine->proxy[i])) !=
               NULL;
    return made;
}

static egc_status make_tables(egc_engine *engine, egc_error *err)
{
    size_t n_units = engine->partition.n_units;
    size_t n_results = engine->partition.n_buckets * engine->choice.n_rounds;
    size_t n_parts = engine->choice.n_rounds * engine->n_sampled * n_units;
    engine->n = engine->workload->n_params;
    engine->decoded_s = allocate(engine, n_results, sizeof *engine->decoded_s);
    engine->transfer_checks = allocate(engine, n_results, sizeof *engine->transfer_checks);
    if (!engine->decoded_s || !engine->transfer_checks || !make_members(engine) ||
        !make_proxies(engine) || !make_messages(engine))
        return egc_fail_memory(err, n_messages(engine) * sizeof *engine->messages);
    egc_status status = EGC_OK;
    for (int i = 0; i < 2 && !status; i++)
        status = egc_step_stats_init(&engine->stats[i], &engine->arena, engine->n_sampled, n_units,
                                     n_parts, err);
    return status;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Pieces of all-to-all rounds are cut for each worker: too many to know the lengths of all
 * beforehand, as a size_only transport wants them. */
static bool is_size_only(const egc_engine *engine)
{
    bool size_only = engine->config->replay || engine->n_sampled < engine->n_workers;
    for (size_t r = 0; r < engine->choice.n_rounds; r++)
        size_only = size_only && engine->choice.round[r].kind != EGC_COLLECTIVE_ALLTOALL;
    return size_only;
}

egc_status egc_engine_new(const egc_train_config *config, const egc_engine_type *type,
                          const egc_engine_local *local, egc_engine **out, egc_error *err)
{
    egc_engine *engine = egc_calloc(1, type->size);
    *out = NULL;
    if (!engine)
        return egc_fail_memory(err, type->size);
    engine->type = type;
    engine->config = config;
    engine->local = *local;
    engine->n_workers = (size_t)config->options.workers;
    engine->n_sampled = egc_train_config_sampled_workers(config);
    egc_status status = egc_exchange_choice_init(&engine->choice, config, err);
    engine->size_only = !status && is_size_only(engine);
    if (!status)
        status = type->open(engine, err);
    if (!status)
        status = make_partition(engine, err);
    if (!status)
        status = make_tables(engine, err);
    if (!status && type->start)
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
    for (size_t i = 0; engine->messages && i < n_messages(engine); i++) {
        egc_round_message *message = &engine->messages[i];
        for (size_t piece = 0; piece < egc_engine_pieces(engine, message); piece++)
            egc_buf_fini(egc_round_message_piece(message, piece));
    }
    if (engine->type->close)
        engine->type->close(engine);
    egc_partition_fini(&engine->partition);
    egc_arena_fini(&engine->arena);
    egc_free(engine);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static void draw_proxies(egc_engine *engine, uint64_t step)
{
    size_t *proxy = engine->proxy[step % 2], n = engine->n_sampled;
    uint64_t seed = (uint64_t)engine->config->options.seed;
    uint64_t state = egc_rng_derive_seed(seed, SEED_PROXIES, step);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    for (size_t w = 0; w < engine->n_workers; w++)
        proxy[w] = w < n ? w : gsl_rng_uniform_int(&rng, n);
}

egc_status egc_engine_begin_step(egc_engine *engine, uint64_t step, egc_error *err)
{
    if (engine->proxy[step % 2])
        draw_proxies(engine, step);
    return engine->type->begin_step(engine, step, err);
}

egc_status egc_engine_encode(egc_engine *engine, uint64_t step, size_t round, size_t worker,
                             size_t bucket, egc_error *err)
{
    return engine->type->encode ? engine->type->encode(engine, step, round, worker, bucket, err)
                                : EGC_OK;
}

egc_status egc_engine_decode(egc_engine *engine, uint64_t step, size_t round, size_t bucket,
                             const egc_round_result *result, egc_error *err)
{
    return engine->type->decode ? engine->type->decode(engine, step, round, bucket, result, err)
                                : EGC_OK;
}

egc_status egc_engine_end_step(egc_engine *engine, uint64_t step, egc_error *err)
{
    return engine->type->end_step ? engine->type->end_step(engine, step, err) : EGC_OK;
}

void egc_engine_regroup(egc_engine *engine, const int *members, size_t n)
{
    memcpy(engine->members, members, n * sizeof *members);
    engine->n_members = n;
    for (size_t i = 0; i < engine->partition.n_buckets * engine->choice.n_rounds; i++)
        engine->transfer_checks[i].finished = 0; /* exchanges under way begin again */
    engine->type->regroup(engine);
}

/* ---- times ----------------------------------------------------------------------------------- */

double egc_engine_encode_time(egc_engine *engine, uint64_t step, size_t round, size_t worker,
                              size_t b)
{
    const egc_bucket *bucket = &engine->partition.buckets[b];
    const egc_compression_time time = {
        .config = engine->config,
        .method = &engine->config->method,
        .partition = &engine->partition,
        .bucket = bucket,
        .round = round,
        .host_s = egc_engine_message(engine, step, round, worker, b)->made_s,
    };
    return egc_compression_time_encode(
        &time, egc_engine_part(engine, step, round, worker, bucket->first_unit));
}

double egc_engine_decode_time(const egc_engine *engine, size_t round, size_t b,
                              const egc_round_result *result)
{
    const egc_compression_time time = {
        .config = engine->config,
        .method = &engine->config->method,
        .partition = &engine->partition,
        .bucket = &engine->partition.buckets[b],
        .round = round,
        .host_s = *egc_engine_decoded_s(engine, round, b),
    };
    return egc_compression_time_decode(&time, result);
}
