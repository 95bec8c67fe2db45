/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine that trains. Workers of a synchronous step hold the same parameters and receive the
 * same messages, so that one replica and one decoder serve all: the first worker to need a result
 * computes it, in the order of ranks if workers are summed. Only the time is charged to each. A
 * message does not depend on when it is made; made at the start of the step, its gradient is still
 * in the cache and needs no memory of its own. */
#include "train/sync/engine/live.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "train/core/coders.h"
#include "train/core/replica.h"
#include "train/metrics/fidelity.h"
#include "train/metrics/reporter.h"

typedef struct egc_engine_live {
    egc_engine base;
    egc_workload *workload;
    egc_replica replica;      /* the parameters that all workers hold */
    egc_replica local;        /* a worker in its local steps; zeroed without them */
    float *velocities;        /* local momentum of each sampled worker, n each; NULL: none */
    float *vector;            /* n: the vector that a worker compresses */
    float *gradient;          /* n, of local steps */
    float *average;           /* n: the decoded mean, bucket by bucket */
    egc_coders *coders;       /* per sampled worker */
    egc_decoder *decoder;     /* shared by all workers */
    egc_workspace *workspace; /* shared: coders run one at a time */
    uint64_t *support;        /* bits of the elements that any worker sends; NULL: none is chosen */
    egc_buf *sampled;         /* views of the sampled workers' messages, in size_only runs */
    egc_buf sum;              /* of them */
    egc_buf joined;           /* the message that messages merged on the way have become */
    uint64_t *decoded;        /* per bucket and round: 1 + the last step that was decoded */
    uint64_t *agreed;         /* per bucket and round: a hash of the delivered bytes */
    egc_fidelity fidelity;
} egc_engine_live;

/* ---- life ------------------------------------------------------------------------------------ */

static void close_live(egc_engine *engine)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    for (size_t w = 0; live->coders && w < engine->n_sampled; w++)
        egc_coders_fini(&live->coders[w]);
    for (size_t b = 0; engine->mergers && b < engine->partition.n_buckets; b++)
        egc_merger_free(engine->mergers[b]);
    egc_free(engine->mergers);
    egc_free(live->coders);
    egc_decoder_free(live->decoder);
    egc_workspace_free(live->workspace);
    live->local.velocity = NULL; /* one of velocities */
    egc_replica_fini(&live->local);
    egc_replica_fini(&live->replica);
    egc_free(live->velocities);
    egc_free(live->vector);
    egc_free(live->gradient);
    egc_free(live->average);
    egc_free(live->support);
    egc_free(live->sampled);
    egc_free(live->decoded);
    egc_free(live->agreed);
    egc_buf_fini(&live->sum);
    egc_buf_fini(&live->joined);
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
    size_t n = engine->n, n_results = engine->partition.n_buckets * engine->choice.n_rounds;
    bool chooses = engine->config->method.compressor->select;
    bool own = engine->local.own_momentum && live->workload->optimizer.momentum > 0;
    live->vector = egc_calloc(n, sizeof(float));
    live->average = egc_calloc(n, sizeof(float));
    live->coders = egc_calloc(engine->n_sampled, sizeof *live->coders);
    live->sampled = egc_calloc(engine->n_sampled, sizeof *live->sampled);
    live->decoded = egc_calloc(n_results, sizeof *live->decoded);
    live->agreed = egc_calloc(n_results, sizeof *live->agreed);
    if (chooses)
        live->support = egc_calloc(n / 64 + 1, sizeof *live->support);
    if (engine->local.steps)
        live->gradient = egc_calloc(n, sizeof(float));
    if (own)
        live->velocities = egc_calloc(engine->n_sampled * n, sizeof(float));
    return live->vector && live->average && live->coders && live->sampled && live->decoded &&
           live->agreed && (live->support || !chooses) &&
           (live->gradient || !engine->local.steps) && (live->velocities || !own);
}

/* The momentum of the error feedback: the method's own, or 0, if local steps have theirs. */
static double coders_momentum(const egc_engine_live *live)
{
    const egc_method *method = &live->base.config->method;
    bool is_zero = live->base.local.own_momentum && isnan(method->options.momentum);
    return is_zero ? 0 : egc_replica_momentum(method, live->workload);
}

/* Weight decay is in the directions of local steps, and so not in the update that follows them. */
static egc_status make_replicas(egc_engine_live *live, egc_error *err)
{
    const egc_engine *engine = &live->base;
    bool velocity =
        !egc_method_has_momentum(&engine->config->method) && !engine->local.own_momentum;
    egc_status status =
        egc_replica_init(&live->replica, engine->config, live->workload, velocity, err);
    if (status || engine->local.steps == 0)
        return status;
    live->replica.optimizer.weight_decay = 0;
    return egc_replica_init(&live->local, engine->config, live->workload, false, err);
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
    egc_coder_config coder = egc_coders_config(engine->config, partition, live->workspace);
    coder.momentum = coders_momentum(live);
    coder.n_workers = engine->n_sampled;
    coder.merge = engine->choice.merge;
    coder.support = live->support;
    if (!status)
        status = egc_decoder_new(&coder, &live->decoder, err);
    for (size_t w = 0; w < engine->n_sampled && !status; w++)
        status = egc_coders_init(&live->coders[w], engine->config, partition, &coder, w,
                                 live->decoder, err);
    if (!status && engine->choice.sparse)
        status = make_mergers(live, &coder, err);
    return status;
}

static egc_status start(egc_engine *engine, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    const egc_method *method = &engine->config->method;
    if (!allocate(live))
        return egc_fail_memory(err, engine->n * sizeof(float));
    egc_status status = make_coders(live, err);
    if (!status)
        status = egc_fidelity_init(&live->fidelity, engine->n, egc_method_has_momentum(method),
                                   coders_momentum(live), method->options.nesterov, err);
    return status ? status : make_replicas(live, err);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The message's pieces, one for each owner of a shard; all of it in one where it is not cut. */
static egc_status write_pieces(egc_engine_live *live, size_t round, size_t worker, size_t b,
                               egc_round_message *message, double *bytes, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t shard = 0; shard < egc_engine_pieces(&live->base, message) && !status; shard++) {
        egc_buf *piece = egc_round_message_piece(message, shard);
        egc_buf_clear(piece);
        status = egc_coders_encode(&live->coders[worker], round, b, shard, piece, err);
        *bytes += (double)piece->len;
    }
    return status;
}

static egc_status write_message(egc_engine_live *live, uint64_t step, size_t round, size_t worker,
                                size_t b, egc_error *err)
{
    egc_engine *engine = &live->base;
    const egc_bucket *bucket = &engine->partition.buckets[b];
    egc_round_message *message = egc_engine_message(engine, step, round, worker, b);
    double *bytes = &egc_engine_stats(engine, step)->totals.message_bytes;
    double start_s = egc_clock_now();
    egc_status status = write_pieces(live, round, worker, b, message, bytes, err);
    message->made_s = egc_clock_now() - start_s;
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)step, worker);
    memcpy(egc_engine_part(engine, step, round, worker, bucket->first_unit),
           &live->coders[worker].parts[bucket->first_unit],
           bucket->n_units * sizeof(egc_part_stats));
    return EGC_OK;
}

/* In size_only runs they are made when the round before was decoded: see make_next_messages. */
static egc_status encode(egc_engine *engine, uint64_t step, size_t round, size_t worker, size_t b,
                         egc_error *err)
{
    return engine->size_only
               ? EGC_OK
               : write_message((egc_engine_live *)engine, step, round, worker, b, err);
}

/* ---- the beginning of a step ----------------------------------------------------------------- */

/* Local SGD (Stich 2018): from the common parameters on. The vector is the sum of the directions:
 * the difference of parameters over the learning rate, so that it is in the unit of a gradient. */
static egc_status take_local_steps(egc_engine_live *live, uint64_t step, size_t worker,
                                   double *loss, egc_error *err)
{
    const egc_engine *engine = &live->base;
    egc_replica *local = &live->local;
    memcpy(local->parameters, live->replica.parameters, engine->n * sizeof *local->parameters);
    local->velocity = live->velocities ? live->velocities + worker * engine->n : NULL;
    return egc_replica_local_steps(local, step * engine->local.steps, engine->local.steps, worker,
                                   egc_replica_lr(&live->replica, step), live->gradient,
                                   live->vector, loss, err);
}

static egc_status compute_vector(egc_engine_live *live, uint64_t step, size_t worker,
                                 egc_error *err)
{
    egc_coders *coders = &live->coders[worker];
    egc_step_totals *totals = &egc_engine_stats(&live->base, step)->totals;
    double loss = NAN;
    egc_status status = live->base.local.steps ? take_local_steps(live, step, worker, &loss, err)
                                               : egc_replica_gradient(&live->replica, step, worker,
                                                                      live->vector, &loss, err);
    if (!status)
        status =
            egc_coders_begin(coders, step, egc_replica_lr(&live->replica, step), live->vector, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)step, worker);
    totals->loss += loss;
    totals->nonfinite += coders->nonfinite;
    egc_fidelity_add(&live->fidelity, live->vector, coders->nonfinite == 0);
    return EGC_OK;
}

static egc_status begin_step(egc_engine *engine, uint64_t step, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    size_t n = egc_engine_n_encoders(engine);
    egc_step_stats *stats = egc_engine_stats(engine, step);
    stats->n_workers = n;
    egc_step_stats_clear(stats, engine->partition.n_units);
    if (live->support)
        stats->totals.union_elements = 0;
    egc_fidelity_begin(&live->fidelity);
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n && !status; i++) {
        size_t w = (size_t)engine->members[i];
        status = compute_vector(live, step, w, err);
        for (size_t b = 0; b < engine->partition.n_buckets && !status; b++)
            status = write_message(live, step, 0, w, b, err);
    }
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

/* True if this worker is the first to decode a result, and so does it for the common replica. */
static bool is_first(egc_engine_live *live, uint64_t step, size_t round, size_t b)
{
    uint64_t *decoded = &live->decoded[b * live->base.choice.n_rounds + round];
    bool first = *decoded <= step;
    *decoded = step + 1;
    return first;
}

#ifndef NDEBUG
/* Every replica must receive the very same bytes. */
static void check_agreement(egc_engine_live *live, size_t round, size_t b, bool first,
                            const egc_round_result *result)
{
    uint64_t hash = EGC_HASH_START, *agreed = &live->agreed[b * live->base.choice.n_rounds + round];
    for (size_t i = 0; i < result->n_messages; i++)
        hash = egc_hash(hash, result->messages[i].data, result->messages[i].len);
    if (first)
        *agreed = hash;
    assert(*agreed == hash);
}
#endif

/* The number of bits of [first, first + n) that are set; clears them. */
static size_t take_bits(uint64_t *bits, size_t first, size_t n)
{
    size_t count = 0, end = first + n;
    while (first < end) {
        size_t shift = first % 64, width = end - first < 64 - shift ? end - first : 64 - shift;
        uint64_t mask = (UINT64_MAX >> (64 - width)) << shift, *word = &bits[first / 64];
        count += (size_t)__builtin_popcountll(*word & mask);
        *word &= ~mask;
        first += width;
    }
    return count;
}

/* Units that are sent dense set no bit: all their elements are sent. */
static void count_union(egc_engine_live *live, egc_step_stats *stats, size_t u)
{
    const egc_unit *unit = &live->base.partition.units[u];
    if (!live->support)
        return;
    size_t chosen = take_bits(live->support, unit->first, unit->count);
    bool dense = stats->units[u].sent == unit->count * egc_engine_n_encoders(&live->base);
    stats->totals.union_elements += (double)(dense ? unit->count : chosen);
}

/* Closes a bucket after its last round: removes the sent part from the error feedback and counts
 * the bucket, in the order of ranks so that no sum depends on who came first. */
static egc_status close_bucket(egc_engine_live *live, uint64_t step, size_t b, egc_error *err)
{
    const egc_bucket *bucket = &live->base.partition.buckets[b];
    egc_step_stats *stats = egc_engine_stats(&live->base, step);
    for (size_t i = 0; i < egc_engine_n_encoders(&live->base); i++) {
        size_t w = (size_t)live->base.members[i];
        egc_status status = egc_coders_finish(&live->coders[w], b, err);
        if (status)
            return egc_error_prefix(err, "worker %zu", w);
        egc_coders_count(&live->coders[w], b, stats);
    }
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++)
        count_union(live, stats, u);
    return EGC_OK;
}

/* Messages that were merged on their way, as one. */
static egc_status join(egc_engine_live *live, uint64_t step, size_t b, egc_round_result *result,
                       egc_error *err)
{
    egc_buf_clear(&live->joined);
    egc_status status = egc_merger_join(live->base.mergers[b], step, result->messages,
                                        result->n_messages, &live->joined, err);
    result->messages = &live->joined;
    result->n_messages = 1;
    return status;
}

/* In size_only runs nothing arrives but lengths: the result is the sampled workers' messages,
 * summed here where the method is made for sums. */
static egc_status use_sampled(egc_engine_live *live, uint64_t step, size_t round, size_t b,
                              egc_round_result *result, egc_error *err)
{
    egc_engine *engine = &live->base;
    egc_element element = engine->choice.round[round].element;
    size_t n = engine->n_sampled;
    for (size_t i = 0; i < n; i++)
        live->sampled[i] = egc_engine_message(engine, step, round, i, b)->message;
    *result = (egc_round_result){.messages = live->sampled, .n_messages = n};
    if (engine->choice.round[round].kind != EGC_COLLECTIVE_ALLREDUCE)
        return EGC_OK;
    egc_buf_clear(&live->sum);
    egc_status status =
        egc_buf_append(&live->sum, live->sampled[0].data, live->sampled[0].len, err);
    for (size_t i = 1; i < n && !status; i++)
        egc_element_add(element, live->sum.data, live->sampled[i].data,
                        live->sum.len / egc_element_bytes(element));
    *result = (egc_round_result){.messages = &live->sum, .n_messages = 1, .reduced = true};
    return status;
}

/* In size_only runs the messages of the next round are made at once: any worker may be the first to
 * need those of another. */
static egc_status make_next_messages(egc_engine_live *live, uint64_t step, size_t round, size_t b,
                                     egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t w = 0; w < live->base.n_sampled && !status; w++)
        status = write_message(live, step, round, w, b, err);
    return status;
}

/* Decodes for the common replica, and notes the host time for one worker, which may receive
 * n_received messages while fewer exist here. The last round includes a worker's work on its error
 * feedback. */
static egc_status decode_timed(egc_engine_live *live, uint64_t step, size_t round, size_t b,
                               const egc_round_result *result, size_t n_received, egc_error *err)
{
    bool last = round + 1 == live->base.choice.n_rounds;
    double *seconds = egc_engine_decoded_s(&live->base, round, b);
    egc_status status = egc_coders_decode(live->decoder, &live->base.partition.buckets[b], step,
                                          round, result, last ? live->average : NULL, seconds, err);
    if (!result->reduced)
        *seconds *= (double)n_received / (double)result->n_messages;
    if (status || !last)
        return status;
    double start_s = egc_clock_now();
    status = close_bucket(live, step, b, err);
    *seconds += (egc_clock_now() - start_s) / (double)egc_engine_n_encoders(&live->base);
    return status;
}

static egc_status decode(egc_engine *engine, uint64_t step, size_t round, size_t b,
                         const egc_round_result *received, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    egc_round_result result = *received;
    bool last = round + 1 == engine->choice.n_rounds;
    if (engine->choice.round[round].kind !=
        EGC_COLLECTIVE_ALLTOALL) { /* each worker has its own part */
        bool first = is_first(live, step, round, b);
#ifndef NDEBUG
        if (!engine->size_only)
            check_agreement(live, round, b, first, received);
#endif
        if (!first)
            return EGC_OK;
    }
    egc_status status = EGC_OK;
    if (engine->size_only)
        status = use_sampled(live, step, round, b, &result, err);
    else if (engine->mergers)
        status = join(live, step, b, &result, err);
    if (!status)
        status = decode_timed(live, step, round, b, &result, received->n_messages, err);
    if (status)
        return egc_error_prefix(err, "step %llu", (unsigned long long)step);
    return last || !engine->size_only ? EGC_OK : make_next_messages(live, step, round + 1, b, err);
}

/* ---- the end of a step ----------------------------------------------------------------------- */

static egc_status end_step(egc_engine *engine, uint64_t step, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    egc_replica *replica = &live->replica;
    egc_step_stats *stats = egc_engine_stats(engine, step);
    for (size_t u = 0; u < engine->partition.n_units; u++)
        stats->correction[u] = egc_decoder_correction(live->decoder, u);
    egc_fidelity_end(&live->fidelity, stats->n_workers, live->average, &stats->totals.cosine,
                     &stats->totals.drift);
    if (!replica->parameters)
        return EGC_OK;
    egc_replica_update(replica, egc_replica_lr(replica, step), live->average, 0, engine->n);
    return egc_reporter_evaluates(engine->config, step + 1)
               ? egc_replica_evaluate(replica, &stats->totals.evaluation, err)
               : EGC_OK;
}

static void regroup(egc_engine *engine)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    egc_decoder_regroup(live->decoder, engine->n_members);
    for (size_t i = 0; i < engine->n_members; i++)
        egc_encoder_regroup(live->coders[engine->members[i]].encoder, i, engine->n_members);
}

const egc_engine_type egc_engine_live_type = {
    .size = sizeof(egc_engine_live),
    .open = open_workload,
    .start = start,
    .begin_step = begin_step,
    .encode = encode,
    .decode = decode,
    .end_step = end_step,
    .regroup = regroup,
    .close = close_live,
};
