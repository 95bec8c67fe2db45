/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/engine.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "train/sync/engine_live.h"
#include "train/sync/engine_replay.h"

enum { SEED_PROXIES = 0x7374616e }; /* "stan": the stream of random numbers used here */

/* Messages of even and odd steps, of each round, worker and bucket. */
static size_t n_outgoing(const egc_engine *learning)
{
    return 2 * learning->choice.n_rounds * learning->n_sampled * learning->partition.n_buckets;
}

/* What merging layers is planned by: the closed form of the exchange without contention, of a
 * startup that does not depend on the length and a time a byte. */
static void foresee_exchanges(const egc_engine *learning, egc_partition_options *options)
{
    const double few = 4, many = 0x1p26;
    const egc_cluster_common *common = learning->config->cluster_params;
    const egc_exchange_type *exchange = learning->choice.exchange[0];
    double byte_s = 1 / (common->bandwidth_Bps * common->efficiency);
    int p = (int)learning->config->options.workers;
    options->startup_s = exchange->closed_form(p, few, common->latency_s, 0, 0);
    options->byte_s = exchange->closed_form(p, many, 0, byte_s, 0) / many;
}

static egc_status make_plan(egc_engine *learning, egc_error *err)
{
    egc_partition_options options = egc_partition_options_of(learning->config);
    if (options.bucket_bytes == EGC_BUCKET_MERGE)
        foresee_exchanges(learning, &options);
    return egc_partition_init(&learning->partition, learning->workload, &options, err);
}

static egc_status make_outgoing(egc_engine *learning, egc_error *err)
{
    size_t bytes = n_outgoing(learning) * sizeof *learning->outgoing;
    learning->outgoing = egc_arena_alloc(&learning->arena, bytes);
    if (!learning->outgoing)
        return egc_fail_memory(err, bytes);
    for (size_t i = 0; i < n_outgoing(learning); i++) {
        size_t slot = i / (learning->n_sampled * learning->partition.n_buckets);
        if (learning->choice.round[slot % learning->choice.n_rounds].kind != EGC_ROUND_SCATTER)
            continue;
        size_t room = learning->n_workers * sizeof(egc_buf);
        learning->outgoing[i].pieces = egc_arena_alloc(&learning->arena, room);
        if (!learning->outgoing[i].pieces)
            return egc_fail_memory(err, room);
    }
    size_t n_deliveries = learning->partition.n_buckets * learning->choice.n_rounds;
    learning->taken_s = egc_arena_alloc(&learning->arena, n_deliveries * sizeof(double));
    if (!learning->taken_s)
        return egc_fail_memory(err, n_deliveries * sizeof(double));
    return EGC_OK;
}

static egc_status make_passages(egc_engine *learning, egc_error *err)
{
    size_t bytes = learning->partition.n_buckets * learning->choice.n_rounds *
                   sizeof *learning->transfer_checks;
    learning->transfer_checks = egc_arena_alloc(&learning->arena, bytes);
    if (!learning->transfer_checks)
        return egc_fail_memory(err, bytes);
    return EGC_OK;
}

static egc_status make_learnt(egc_engine *learning, egc_error *err)
{
    size_t n_units = learning->partition.n_units;
    size_t n_parts = learning->choice.n_rounds * learning->n_sampled * n_units;
    egc_status status = EGC_OK;
    for (int parity = 0; parity < 2 && !status; parity++)
        status = egc_step_stats_init(&learning->learnt[parity], &learning->arena,
                                     learning->n_sampled, n_units, n_parts, err);
    return status;
}

/* ---- who learns ------------------------------------------------------------------------------ */

static egc_status make_proxies(egc_engine *learning, egc_error *err)
{
    if (learning->n_sampled == learning->n_workers)
        return EGC_OK;
    egc_status status = EGC_OK;
    for (int parity = 0; parity < 2 && !status; parity++) {
        size_t bytes = learning->n_workers * sizeof **learning->proxy;
        learning->proxy[parity] = egc_arena_alloc(&learning->arena, bytes);
        if (!learning->proxy[parity])
            status = egc_fail_memory(err, bytes);
    }
    return status;
}

static void draw_proxies(egc_engine *learning, uint64_t step)
{
    size_t *proxy = learning->proxy[step % 2], n = learning->n_sampled;
    uint64_t seed = (uint64_t)learning->config->options.seed;
    uint64_t state = egc_rng_derive_seed(seed, SEED_PROXIES, step);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    for (size_t w = 0; w < learning->n_workers; w++)
        proxy[w] = w < n ? w : gsl_rng_uniform_int(&rng, n);
}

static egc_status make_members(egc_engine *learning, egc_error *err)
{
    size_t bytes = learning->n_workers * sizeof *learning->members;
    learning->n_members = learning->n_workers;
    learning->members = egc_arena_alloc(&learning->arena, bytes);
    if (!learning->members)
        return egc_fail_memory(err, bytes);
    for (size_t w = 0; w < learning->n_workers; w++)
        learning->members[w] = (int)w;
    return EGC_OK;
}

void egc_engine_regroup(egc_engine *learning, const int *members, size_t n)
{
    memcpy(learning->members, members, n * sizeof *members);
    learning->n_members = n;
    for (size_t i = 0; i < learning->partition.n_buckets * learning->choice.n_rounds; i++)
        learning->transfer_checks[i].finished = 0; /* what was under way begins again */
    learning->type->regroup(learning);
}

egc_status egc_engine_begin_step(egc_engine *learning, uint64_t step, egc_error *err)
{
    if (learning->proxy[step % 2])
        draw_proxies(learning, step);
    return learning->type->begin_step(learning, step, err);
}

/* Nobody looks at bytes that were made before or stand for others. Pieces are cut for each
 * worker, and there are too many of them to know the lengths of all beforehand. */
static bool is_size_only(const egc_engine *learning)
{
    bool size_only = learning->config->replay || learning->n_sampled < learning->n_workers;
    for (size_t r = 0; r < learning->choice.n_rounds; r++)
        size_only = size_only && learning->choice.round[r].kind != EGC_ROUND_SCATTER;
    return size_only;
}

/* ---- life ------------------------------------------------------------------------------------ */

egc_status egc_engine_new(const egc_train_config *config, egc_engine **out, egc_error *err)
{
    const egc_engine_type *type = config->replay ? &egc_engine_replay_type : &egc_engine_live_type;
    egc_engine *learning = egc_calloc(1, type->size);
    *out = NULL;
    if (!learning)
        return egc_fail_memory(err, type->size);
    learning->type = type;
    learning->config = config;
    learning->n_workers = (size_t)config->options.workers;
    learning->n_sampled = egc_train_config_sampled_workers(config);
    egc_status status = egc_exchange_choice_init(&learning->choice, config, err);
    learning->size_only = !status && is_size_only(learning);
    if (!status)
        status = make_proxies(learning, err);
    if (!status)
        status = make_members(learning, err);
    if (!status)
        status = type->open(learning, err);
    if (!status)
        status = make_plan(learning, err);
    if (!status) {
        learning->n = learning->workload->n_params;
        status = make_outgoing(learning, err);
    }
    if (!status)
        status = make_passages(learning, err);
    if (!status)
        status = make_learnt(learning, err);
    if (!status)
        status = type->start(learning, err);
    if (status)
        egc_engine_free(learning);
    else
        *out = learning;
    return status;
}

void egc_engine_free(egc_engine *learning)
{
    if (!learning)
        return;
    for (size_t i = 0; learning->outgoing && i < n_outgoing(learning); i++) {
        egc_round_message *out = &learning->outgoing[i];
        for (size_t piece = 0; piece < egc_engine_pieces(learning, out); piece++)
            egc_buf_fini(egc_round_message_piece(out, piece));
    }
    learning->type->close(learning);
    egc_partition_fini(&learning->partition);
    egc_arena_fini(&learning->arena);
    egc_free(learning);
}
