/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rounds of a step: what each worker says in them, and what comes of it. */
#include <assert.h>
#include <math.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"
#include "compressors/core/encoder.h"
#include "compressors/core/round_plan.h"
#include "train/core/optimizer.h"
#include "train/sync/engine_live.h"

/* ---- messages -------------------------------------------------------------------------------- */

/* The message's pieces, one for each owner of a shard; all of it in one where it is not cut. */
static egc_status write_pieces(egc_engine_live *live, size_t round, size_t worker, size_t b,
                               egc_round_message *out, double *bytes, egc_error *err)
{
    const egc_bucket *bucket = &live->base.partition.buckets[b];
    egc_status status = EGC_OK;
    for (size_t shard = 0; shard < egc_engine_pieces(&live->base, out) && !status; shard++) {
        egc_buf *piece = egc_round_message_piece(out, shard);
        egc_buf_clear(piece);
        status = egc_encoder_message(live->encoder[worker], round, bucket->first_unit,
                                     bucket->n_units, shard, piece, err);
        *bytes += (double)piece->len;
    }
    return status;
}

static egc_status write_message(egc_engine_live *live, uint64_t step, size_t round, size_t worker,
                                size_t b, egc_error *err)
{
    egc_engine *engine = &live->base;
    const egc_bucket *bucket = &engine->partition.buckets[b];
    egc_round_message *out = egc_engine_message(engine, step, round, worker, b);
    double *bytes = &egc_engine_stats(engine, step)->totals.message_bytes;
    double start_s = egc_clock_now();
    egc_status status = write_pieces(live, round, worker, b, out, bytes, err);
    out->made_s = egc_clock_now() - start_s;
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)step, worker);
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++) {
        const egc_encoding *encoding = egc_encoder_encoding(live->encoder[worker], u);
        *egc_engine_part(engine, step, round, worker, u) =
            (egc_part_stats){.sent = encoding->sent, .wire_bytes = encoding->wire_bytes};
    }
    return EGC_OK;
}

egc_status egc_engine_live_encode(egc_engine *engine, uint64_t step, size_t round, size_t worker,
                                  size_t b, egc_error *err)
{
    return engine->size_only
               ? EGC_OK
               : write_message((egc_engine_live *)engine, step, round, worker, b, err);
}

/* ---- the beginning of a step ----------------------------------------------------------------- */

static egc_status one_gradient(egc_engine_live *live, uint64_t step, size_t worker, egc_error *err)
{
    egc_workload *workload = live->workload;
    egc_step_totals *totals = &egc_engine_stats(&live->base, step)->totals;
    double loss = NAN;
    egc_gradient_check check;
    egc_status status = workload->type->gradient(workload, step, worker, live->parameters,
                                                 live->gradient, &loss, err);
    if (!status && live->parameters && !isfinite(loss))
        status = egc_fail(err, EGC_ERROR_NONFINITE, "training loss is not finite");
    const egc_step_input input = {
        .step = step,
        .lr = egc_optimizer_lr(&workload->optimizer, step,
                               (uint64_t)live->base.config->options.steps),
        .gradient = live->gradient,
    };
    if (!status)
        status = egc_encoder_step(live->encoder[worker], &input, &check, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)step, worker);
    totals->loss += loss;
    totals->nonfinite += (double)(check.nan_count + check.inf_count);
    bool finite = check.nan_count + check.inf_count == 0;
    egc_fidelity_add(&live->fidelity, live->gradient, finite);
    return EGC_OK;
}

egc_status egc_engine_live_begin_step(egc_engine *engine, uint64_t step, egc_error *err)
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
        status = one_gradient(live, step, w, err);
        for (size_t b = 0; b < engine->partition.n_buckets && !status; b++)
            status = write_message(live, step, 0, w, b, err);
    }
    return status;
}

/* ---- deliveries ------------------------------------------------------------------------------ */

/* Whether this worker is to take the delivery in for the replica that all share. */
static bool is_first(egc_engine_live *live, uint64_t step, size_t round, size_t b)
{
    uint64_t *taken = &live->taken[b * live->base.choice.n_rounds + round];
    bool first = *taken <= step;
    *taken = step + 1;
    return first;
}

#ifndef NDEBUG
/* Every replica must receive the very same bytes. */
static void check_agreement(egc_engine_live *live, size_t round, size_t b, bool first,
                            const egc_round_result *received)
{
    uint64_t hash = EGC_HASH_START, *agreed = &live->agreed[b * live->base.choice.n_rounds + round];
    for (size_t i = 0; i < received->n_messages; i++)
        hash = egc_hash(hash, received->messages[i].data, received->messages[i].len);
    if (first)
        *agreed = hash;
    assert(*agreed == hash);
}
#endif

/* How many bits of [first, first + n) are set, which they are no longer. */
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

/* Of units that are sent dense no bit is set: all elements are. */
static void count_union(egc_engine_live *live, egc_step_stats *stats, size_t u)
{
    const egc_unit *unit = &live->base.partition.units[u];
    if (!live->support)
        return;
    size_t chosen = take_bits(live->support, unit->first, unit->count);
    bool dense = stats->units[u].sent == unit->count * egc_engine_n_encoders(&live->base);
    stats->totals.union_elements += (double)(dense ? unit->count : chosen);
}

/* After the last round: what was sent leaves the memories, and the step's account is closed, in the
 * order of ranks so that no sum depends on who came first. */
static egc_status close_bucket(egc_engine_live *live, uint64_t step, size_t b, egc_error *err)
{
    const egc_bucket *bucket = &live->base.partition.buckets[b];
    egc_step_stats *stats = egc_engine_stats(&live->base, step);
    for (size_t i = 0; i < egc_engine_n_encoders(&live->base); i++) {
        size_t w = (size_t)live->base.members[i];
        egc_status status =
            egc_encoder_finish(live->encoder[w], bucket->first_unit, bucket->n_units, err);
        if (status)
            return egc_error_prefix(err, "worker %zu", w);
        for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++)
            egc_step_stats_add(stats, u, egc_encoder_encoding(live->encoder[w], u));
    }
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++)
        count_union(live, stats, u);
    return EGC_OK;
}

/* The messages that came, or what came of merging them. */
static egc_status deliver(egc_engine_live *live, const egc_round_result *received,
                          egc_decoder_input *delivery, size_t b, egc_error *err)
{
    egc_merger *merger = live->base.mergers ? live->base.mergers[b] : NULL;
    for (size_t i = 0; i < received->n_messages && !merger; i++)
        live->readers[i] = egc_reader_of(received->messages[i].data, received->messages[i].len);
    delivery->n_messages = merger ? 1 : received->n_messages;
    delivery->reduced = received->reduced;
    delivery->shard = received->shard;
    if (!merger)
        return EGC_OK;
    egc_buf_clear(&live->joined);
    egc_status status = egc_merger_join(merger, delivery->step, received->messages,
                                        received->n_messages, &live->joined, err);
    live->readers[0] = egc_reader_of(live->joined.data, live->joined.len);
    return status;
}

/* In hollow runs nothing comes but lengths: what the learners sent is delivered, summed here where
 * only a sum means something. */
static egc_status deliver_sampled(egc_engine_live *live, egc_decoder_input *delivery, size_t b,
                                  egc_error *err)
{
    egc_engine *engine = &live->base;
    const egc_round *round = &engine->choice.round[delivery->round];
    const egc_round_message *first =
        egc_engine_message(engine, delivery->step, delivery->round, 0, b);
    size_t element_bytes = egc_element_bytes(round->element), n = engine->n_sampled;
    egc_status status = EGC_OK;
    delivery->n_messages = n;
    for (size_t i = 0; i < n; i++) {
        const egc_buf *message =
            &egc_engine_message(engine, delivery->step, delivery->round, i, b)->message;
        live->readers[i] = egc_reader_of(message->data, message->len);
    }
    if (round->kind != EGC_COLLECTIVE_ALLREDUCE)
        return EGC_OK;
    egc_buf_clear(&live->sum);
    status = egc_buf_append(&live->sum, first->message.data, first->message.len, err);
    for (size_t i = 1; i < n && !status; i++)
        egc_element_add(round->element, live->sum.data, live->readers[i].next,
                        live->sum.len / element_bytes);
    live->readers[0] = egc_reader_of(live->sum.data, live->sum.len);
    delivery->n_messages = 1;
    delivery->reduced = true;
    return status;
}

/* In hollow runs the messages of the next round are made at once: nobody knows which worker is the
 * first to need those of another. */
static egc_status make_next_messages(egc_engine_live *live, uint64_t step, size_t round, size_t b,
                                     egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t w = 0; w < live->base.n_sampled && !status; w++)
        status = write_message(live, step, round, w, b, err);
    return status;
}

/* One replica stands for all: what one of them took, who may get more messages than are here. Of
 * the last round that includes what a worker then does to its memory. */
static egc_status take_timed(egc_engine_live *live, size_t b, const egc_decoder_input *delivery,
                             size_t n_received, egc_error *err)
{
    size_t round = delivery->round, n_messages = delivery->n_messages;
    bool last = round + 1 == live->base.choice.n_rounds;
    double start_s = egc_clock_now();
    egc_status status =
        egc_decoder_decode(live->decoder, delivery, last ? live->average : NULL, err);
    double taken_s = egc_clock_now() - start_s;
    if (!delivery->reduced)
        taken_s *= (double)n_received / (double)n_messages;
    if (!status && last) {
        start_s = egc_clock_now();
        status = close_bucket(live, delivery->step, b, err);
        taken_s += (egc_clock_now() - start_s) / (double)egc_engine_n_encoders(&live->base);
    }
    *egc_engine_decoded_s(&live->base, round, b) = taken_s;
    return status;
}

egc_status egc_engine_live_decode(egc_engine *engine, uint64_t step, size_t round, size_t b,
                                  const egc_round_result *received, egc_error *err)
{
    egc_engine_live *live = (egc_engine_live *)engine;
    const egc_bucket *bucket = &engine->partition.buckets[b];
    bool last = round + 1 == engine->choice.n_rounds;
    if (engine->choice.round[round].kind !=
        EGC_COLLECTIVE_ALLTOALL) { /* of which everyone gets another part */
        bool first = is_first(live, step, round, b);
#ifndef NDEBUG
        if (!engine->size_only)
            check_agreement(live, round, b, first, received);
#endif
        if (!first)
            return EGC_OK;
    }
    egc_decoder_input delivery = {
        .step = step,
        .round = round,
        .first = bucket->first_unit,
        .count = bucket->n_units,
        .messages = live->readers,
    };
    egc_status status = engine->size_only ? deliver_sampled(live, &delivery, b, err)
                                          : deliver(live, received, &delivery, b, err);
    if (!status)
        status = take_timed(live, b, &delivery, received->n_messages, err);
    if (status)
        return egc_error_prefix(err, "step %llu", (unsigned long long)step);
    return last || !engine->size_only ? EGC_OK : make_next_messages(live, step, round + 1, b, err);
}
