/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rounds of a step: what each worker says in them, and what comes of it. */
#include <assert.h>
#include <math.h>

#include "base/rng.h"
#include "train/live.h"
#include "train/optimizer.h"

/* ---- messages -------------------------------------------------------------------------------- */

/* The message's pieces, one for each owner of a shard; all of it in one where it is not cut. */
static egc_status write_pieces(egc_live *live, size_t round, size_t worker, size_t b,
                               egc_outgoing *out, double *bytes, egc_error *err)
{
    const egc_bucket *bucket = &live->base.plan.buckets[b];
    egc_status status = EGC_OK;
    for (size_t shard = 0; shard < egc_learning_pieces(&live->base, out) && !status; shard++) {
        egc_buf *piece = egc_outgoing_piece(out, shard);
        egc_buf_clear(piece);
        status = egc_encoder_message(live->encoder[worker], round, bucket->first_unit,
                                     bucket->n_units, shard, piece, err);
        *bytes += (double)piece->len;
    }
    return status;
}

egc_status egc_live_make_message(egc_learning *learning, uint64_t step, size_t round, size_t worker,
                                 size_t b, egc_error *err)
{
    egc_live *live = (egc_live *)learning;
    const egc_bucket *bucket = &learning->plan.buckets[b];
    egc_outgoing *out = egc_learning_outgoing(learning, step, round, worker, b);
    double *bytes = &egc_learning_learnt(learning, step)->totals.message_bytes;
    egc_status status = write_pieces(live, round, worker, b, out, bytes, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)step, worker);
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++) {
        const egc_encoding *encoding = egc_encoder_encoding(live->encoder[worker], u);
        *egc_learning_part(learning, step, round, worker, u) =
            (egc_learnt_part){.sent = encoding->sent, .wire_bytes = encoding->wire_bytes};
    }
    return EGC_OK;
}

/* ---- the beginning of a step ----------------------------------------------------------------- */

static egc_status one_gradient(egc_live *live, uint64_t step, size_t worker, egc_error *err)
{
    egc_workload *workload = live->workload;
    egc_learnt_totals *totals = &egc_learning_learnt(&live->base, step)->totals;
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

egc_status egc_live_begin_step(egc_learning *learning, uint64_t step, egc_error *err)
{
    egc_live *live = (egc_live *)learning;
    egc_learnt_clear(egc_learning_learnt(learning, step), learning->plan.n_units);
    egc_fidelity_begin(&live->fidelity);
    egc_status status = EGC_OK;
    for (size_t w = 0; w < learning->n_workers && !status; w++) {
        status = one_gradient(live, step, w, err);
        for (size_t b = 0; b < learning->plan.n_buckets && !status; b++)
            status = egc_live_make_message(learning, step, 0, w, b, err);
    }
    return status;
}

/* ---- deliveries ------------------------------------------------------------------------------ */

/* Whether this worker is to take the delivery in for the replica that all share. */
static bool is_first(egc_live *live, uint64_t step, size_t round, size_t b)
{
    uint64_t *taken = &live->taken[b * live->base.route.n_rounds + round];
    bool first = *taken <= step;
    *taken = step + 1;
    return first;
}

#ifndef NDEBUG
/* Every replica must receive the very same bytes. */
static void check_agreement(egc_live *live, size_t round, size_t b, bool first,
                            const egc_received *received)
{
    uint64_t hash = EGC_HASH_START, *agreed = &live->agreed[b * live->base.route.n_rounds + round];
    for (size_t i = 0; i < received->n_messages; i++)
        hash = egc_hash(hash, received->messages[i].data, received->messages[i].len);
    if (first)
        *agreed = hash;
    assert(*agreed == hash);
}
#endif

/* After the last round: what was sent leaves the memories, and the step's account is closed, in the
 * order of ranks so that no sum depends on who came first. */
static egc_status close_bucket(egc_live *live, uint64_t step, size_t b, egc_error *err)
{
    const egc_bucket *bucket = &live->base.plan.buckets[b];
    egc_learnt *learnt = egc_learning_learnt(&live->base, step);
    for (size_t w = 0; w < live->base.n_workers; w++) {
        egc_status status =
            egc_encoder_finish(live->encoder[w], bucket->first_unit, bucket->n_units, err);
        if (status)
            return egc_error_prefix(err, "worker %zu", w);
        for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++)
            egc_learnt_add(learnt, u, egc_encoder_encoding(live->encoder[w], u));
    }
    return EGC_OK;
}

egc_status egc_live_take(egc_learning *learning, uint64_t step, size_t round, size_t b,
                         const egc_received *received, egc_error *err)
{
    egc_live *live = (egc_live *)learning;
    const egc_bucket *bucket = &learning->plan.buckets[b];
    bool last = round + 1 == learning->route.n_rounds;
    if (learning->route.round[round].kind !=
        EGC_ROUND_SCATTER) { /* of which everyone gets another part */
        bool first = is_first(live, step, round, b);
#ifndef NDEBUG
        check_agreement(live, round, b, first, received);
#endif
        if (!first)
            return EGC_OK;
    }
    for (size_t i = 0; i < received->n_messages; i++)
        live->readers[i] = egc_reader_of(received->messages[i].data, received->messages[i].len);
    const egc_delivery delivery = {
        .step = step,
        .round = round,
        .first = bucket->first_unit,
        .count = bucket->n_units,
        .shard = received->shard,
        .messages = live->readers,
        .n_messages = received->n_messages,
        .reduced = received->reduced,
    };
    egc_status status =
        egc_decoder_take(live->decoder, &delivery, last ? live->average : NULL, err);
    if (!status && last)
        status = close_bucket(live, step, b, err);
    if (status)
        return egc_error_prefix(err, "step %llu", (unsigned long long)step);
    return EGC_OK;
}
