/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rounds of a step: what each worker says in them, and what comes of it. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "train/cost.h"
#include "train/optimizer.h"
#include "train/run.h"

/* ---- messages -------------------------------------------------------------------------------- */

/* Device time that the units' parts of a message stand for. wire_bytes are the units' so far. */
static double encode_s(const egc_run *run, size_t worker, const egc_bucket *bucket, size_t round)
{
    const egc_training_config *config = run->config;
    double seconds = 0;
    if (config->options.cost != EGC_COST_MODEL)
        return 0;
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++) {
        const egc_encoding *encoding = egc_encoder_encoding(run->encoder[worker], u);
        const egc_cost_work work = {
            .round = round,
            .n = run->plan.units[u].count,
            .sent = encoding->sent,
            .wire_bytes = (double)encoding->wire_bytes,
        };
        seconds += egc_cost_encode(&config->method, &config->device, &work);
    }
    return seconds;
}

/* The message's pieces, one for each owner of a shard; all of it in one where it is not cut. */
static egc_status write_pieces(egc_run *run, size_t worker, const egc_bucket *bucket, size_t round,
                               egc_outgoing *out, egc_error *err)
{
    size_t n_pieces = out->pieces ? run->n_workers : 1;
    egc_status status = EGC_OK;
    for (size_t shard = 0; shard < n_pieces && !status; shard++) {
        egc_buf *piece = out->pieces ? &out->pieces[shard] : &out->message;
        egc_buf_clear(piece);
        status = egc_encoder_message(run->encoder[worker], round, bucket->first_unit,
                                     bucket->n_units, shard, piece, err);
        out->bytes += (double)piece->len;
    }
    return status;
}

egc_status egc_run_make_message(egc_run *run, uint64_t step, size_t round, size_t worker, size_t b,
                                egc_error *err)
{
    const egc_bucket *bucket = &run->plan.buckets[b];
    egc_outgoing *out = egc_run_outgoing(run, step, round, worker, b);
    out->bytes = 0;
    egc_status status = write_pieces(run, worker, bucket, round, out, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)step, worker);
    out->encode_s = encode_s(run, worker, bucket, round);
    return EGC_OK;
}

/* ---- the beginning of a step ----------------------------------------------------------------- */

static egc_status one_gradient(egc_run *run, uint64_t step, size_t worker, egc_error *err)
{
    egc_tally *tally = egc_run_tally(run, step);
    double loss = NAN;
    egc_gradient_check check;
    egc_status status = run->workload->type->gradient(run->workload, step, worker, run->parameters,
                                                      run->gradient, &loss, err);
    if (!status && run->parameters && !isfinite(loss))
        status = egc_fail(err, EGC_ERROR_NONFINITE, "training loss is not finite");
    const egc_step_input input = {
        .step = step,
        .lr =
            egc_optimizer_lr(&run->workload->optimizer, step, (uint64_t)run->config->options.steps),
        .gradient = run->gradient,
    };
    if (!status)
        status = egc_encoder_step(run->encoder[worker], &input, &check, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)step, worker);
    tally->loss += loss;
    tally->nonfinite += (double)(check.nan_count + check.inf_count);
    bool finite = check.nan_count + check.inf_count == 0;
    egc_fidelity_add(&run->fidelity, run->gradient, finite);
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
            status = egc_run_make_message(run, step, 0, w, b, err);
    }
    return status;
}

/* ---- deliveries ------------------------------------------------------------------------------ */

/* Whether this worker is to take the delivery in for the replica that all share. */
static bool is_first(egc_run *run, uint64_t step, size_t round, size_t b)
{
    uint64_t *taken = &run->taken[b * run->route.n_rounds + round];
    bool first = *taken <= step;
    *taken = step + 1;
    return first;
}

#ifndef NDEBUG
/* Every replica must receive the very same bytes. */
static void check_agreement(egc_run *run, size_t round, size_t b, bool first,
                            const egc_received *received)
{
    uint64_t hash = EGC_HASH_START, *agreed = &run->agreed[b * run->route.n_rounds + round];
    for (size_t i = 0; i < received->n_messages; i++)
        hash = egc_hash(hash, received->messages[i].data, received->messages[i].len);
    if (first)
        *agreed = hash;
    assert(*agreed == hash);
}
#endif

/* After the last round: what was sent leaves the memories, and the step's account is closed, in the
 * order of ranks so that no sum depends on who came first. */
static egc_status close_bucket(egc_run *run, uint64_t step, size_t b, egc_error *err)
{
    const egc_bucket *bucket = &run->plan.buckets[b];
    egc_tally *tally = egc_run_tally(run, step);
    for (size_t w = 0; w < run->n_workers; w++) {
        egc_status status =
            egc_encoder_finish(run->encoder[w], bucket->first_unit, bucket->n_units, err);
        if (status)
            return egc_error_prefix(err, "worker %zu", w);
        for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++)
            egc_tally_add(tally, u, egc_encoder_encoding(run->encoder[w], u));
        for (size_t r = 0; r < run->route.n_rounds; r++)
            tally->message_bytes += egc_run_outgoing(run, step, r, w, b)->bytes;
    }
    return EGC_OK;
}

egc_status egc_run_take(egc_run *run, uint64_t step, size_t round, size_t b,
                        const egc_received *received, egc_error *err)
{
    const egc_bucket *bucket = &run->plan.buckets[b];
    bool last = round + 1 == run->route.n_rounds;
    if (run->route.round[round].kind !=
        EGC_ROUND_SCATTER) { /* of which everyone gets another part */
        bool first = is_first(run, step, round, b);
#ifndef NDEBUG
        check_agreement(run, round, b, first, received);
#endif
        if (!first)
            return EGC_OK;
    }
    for (size_t i = 0; i < received->n_messages; i++)
        run->readers[i] = egc_reader_of(received->messages[i].data, received->messages[i].len);
    const egc_delivery delivery = {
        .step = step,
        .round = round,
        .first = bucket->first_unit,
        .count = bucket->n_units,
        .shard = received->shard,
        .messages = run->readers,
        .n_messages = received->n_messages,
        .reduced = received->reduced,
    };
    egc_status status = egc_decoder_take(run->decoder, &delivery, last ? run->average : NULL, err);
    if (!status && last)
        status = close_bucket(run, step, b, err);
    if (status)
        return egc_error_prefix(err, "step %llu", (unsigned long long)step);
    return EGC_OK;
}
