/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a worker of the public interface: the order of calls is checked here, once, so that
 * the coders of compressors/core may rely on it. */
#include <inttypes.h>
#include <math.h>

#include "compressors/api/worker.h"

#define REFUSE(...) return egc_fail(err, EGC_ERROR_UNSUPPORTED, __VA_ARGS__)

static egc_status find_bucket(const egc_worker *w, size_t bucket, egc_error *err)
{
    if (bucket >= w->n_buckets)
        return egc_fail(err, EGC_ERROR_RANGE, "bucket must be below %zu, got %zu", w->n_buckets,
                        bucket);
    if (!w->has_begun)
        REFUSE("no step is under way: egc_step_begin comes first");
    return EGC_OK;
}

static egc_status find_round(const egc_worker *w, size_t bucket, size_t round, egc_error *err)
{
    if (round >= w->plan.n_rounds)
        return egc_fail(err, EGC_ERROR_RANGE, "round must be below %zu, got %zu", w->plan.n_rounds,
                        round);
    return find_bucket(w, bucket, err);
}

/* ---- sending --------------------------------------------------------------------------------- */

egc_status egc_step_begin(egc_worker *w, uint64_t step, double lr, egc_error *err)
{
    if (w->has_begun && step <= w->step)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "step must be larger than the one before, %" PRIu64 ", got %" PRIu64,
                        w->step, step);
    w->has_begun = true;
    w->step = step;
    w->n_gradients = 0;
    for (size_t b = 0; b < w->n_buckets; b++) {
        w->buckets[b].has_gradient = false;
        w->buckets[b].n_made = w->buckets[b].n_absorbed = 0;
    }
    if (w->encoder)
        egc_encoder_begin(w->encoder, step, lr);
    return EGC_OK;
}

egc_status egc_step_gradient(egc_worker *w, size_t bucket, const float *gradient, egc_error *err)
{
    egc_status status = find_bucket(w, bucket, err);
    if (status)
        return status;
    egc_worker_bucket *b = &w->buckets[bucket];
    if (!w->encoder)
        REFUSE("a receiver has no gradient");
    if (b->has_gradient)
        REFUSE("bucket %zu has its gradient of this step already", bucket);
    b->check = (egc_gradient_check){0};
    status = egc_encoder_gradient(w->encoder, b->first_unit, b->n_units, gradient, &b->check, err);
    if (status)
        return status;
    b->has_gradient = true;
    w->n_gradients++;
    return EGC_OK;
}

static egc_status check_message(const egc_worker *w, size_t bucket, size_t round, egc_error *err)
{
    egc_status status = find_round(w, bucket, round, err);
    if (status)
        return status;
    const egc_worker_bucket *b = &w->buckets[bucket];
    if (!b->has_gradient)
        REFUSE("bucket %zu has no gradient at this step: egc_step_gradient comes first", bucket);
    if (egc_worker_needs_whole_gradient(w) && w->n_gradients < w->n_buckets)
        REFUSE("clip and nonfinite = \"skip\" need the gradients of all %zu buckets first, got %zu",
               w->n_buckets, w->n_gradients);
    if (round != b->n_made || round != b->n_absorbed)
        REFUSE("bucket %zu: messages of round %zu come once, after round %zu was absorbed", bucket,
               round, round ? round - 1 : 0);
    return EGC_OK;
}

egc_status egc_step_message(egc_worker *w, size_t bucket, size_t round, egc_message *messages,
                            egc_error *err)
{
    egc_status status = check_message(w, bucket, round, err);
    if (status)
        return status;
    egc_worker_bucket *b = &w->buckets[bucket];
    size_t n = egc_worker_round(w, round).n_messages;
    for (size_t m = 0; m < n && !status; m++) {
        egc_buf *wire = &b->wire[m];
        egc_buf_clear(wire);
        status = egc_encoder_message(w->encoder, round, b->first_unit, b->n_units, m, wire, err);
        messages[m] = (egc_message){wire->data, wire->len};
    }
    b->n_made += !status;
    b->has_gradient = !status; /* it may be in the residual already, and must not enter twice */
    return status;
}

/* ---- receiving ------------------------------------------------------------------------------- */

static egc_status check_absorb(const egc_worker *w, size_t bucket, size_t round,
                               const float *average, egc_error *err)
{
    egc_status status = find_round(w, bucket, round, err);
    if (status)
        return status;
    const egc_worker_bucket *b = &w->buckets[bucket];
    if (round != b->n_absorbed || (w->encoder && round >= b->n_made))
        REFUSE("bucket %zu: round %zu is absorbed once, after its messages were made and the round "
               "before was absorbed",
               bucket, round);
    if (round + 1 == w->plan.n_rounds && !average)
        return egc_fail(err, EGC_ERROR_RANGE, "average must not be NULL in the last round");
    return EGC_OK;
}

static egc_status check_number(const egc_worker *w, size_t round, size_t n, egc_error *err)
{
    egc_collective collective = egc_worker_round(w, round).collective;
    bool any = w->plan.n_rounds == 1 && !egc_round_plan_is_own(&w->plan, round) &&
               !w->method.options.predivide;
    size_t most = collective == EGC_COLLECTIVE_BROADCAST ? 1 : w->n_workers;
    size_t least = any ? 1 : most;
    if (collective == EGC_COLLECTIVE_ALLREDUCE)
        REFUSE("round %zu is an all-reduce: hand in the sum by egc_step_absorb_sum", round);
    if (n < least || n > most)
        return egc_fail(err, EGC_ERROR_RANGE, "messages must be in [%zu, %zu], got %zu", least,
                        most, n);
    return EGC_OK;
}

static egc_status absorb(egc_worker *w, size_t bucket, size_t round, const egc_message *messages,
                         size_t n, bool reduced, float *average, egc_error *err)
{
    egc_worker_bucket *b = &w->buckets[bucket];
    bool last = round + 1 == w->plan.n_rounds;
    for (size_t i = 0; i < n; i++)
        w->readers[i] = egc_reader_of(messages[i].data, messages[i].len);
    const egc_decoder_input delivery = {
        .step = w->step,
        .round = round,
        .first = b->first_unit,
        .count = b->n_units,
        .shard = w->rank,
        .messages = w->readers,
        .n_messages = n,
        .reduced = reduced,
        .origin = b->first,
    };
    egc_status status = egc_decoder_decode(w->decoder, &delivery, last ? average : NULL, err);
    if (!status && last && w->encoder)
        status = egc_encoder_finish(w->encoder, b->first_unit, b->n_units, err);
    b->n_absorbed += !status;
    return status;
}

egc_status egc_step_absorb(egc_worker *w, size_t bucket, size_t round, const egc_message *messages,
                           size_t n_messages, float *average, egc_error *err)
{
    egc_status status = check_absorb(w, bucket, round, average, err);
    if (!status)
        status = check_number(w, round, n_messages, err);
    return status ? status : absorb(w, bucket, round, messages, n_messages, false, average, err);
}

egc_status egc_step_absorb_sum(egc_worker *w, size_t bucket, size_t round, const egc_message *sum,
                               float *average, egc_error *err)
{
    egc_status status = check_absorb(w, bucket, round, average, err);
    if (status)
        return status;
    if (egc_worker_round(w, round).element == EGC_ELEMENT_NONE)
        REFUSE("the messages of round %zu of %s cannot be summed", round, w->method.name);
    return absorb(w, bucket, round, sum, 1, true, average, err);
}

/* ---- metrics --------------------------------------------------------------------------------- */

egc_status egc_step_metrics(const egc_worker *w, size_t bucket, egc_bucket_metrics *out,
                            egc_error *err)
{
    egc_status status = find_bucket(w, bucket, err);
    if (status)
        return status;
    const egc_worker_bucket *b = &w->buckets[bucket];
    *out = (egc_bucket_metrics){.nan_count = b->check.nan_count, .inf_count = b->check.inf_count};
    for (size_t u = b->first_unit; u < b->first_unit + b->n_units; u++) {
        out->correction += egc_decoder_correction(w->decoder, u) / (double)b->n_units;
        if (!w->encoder)
            continue;
        const egc_encoding *unit = egc_encoder_encoding(w->encoder, u);
        out->sent += unit->sent;
        out->bytes += unit->wire_bytes;
        out->gradient_norm2 += unit->gradient_norm2;
        out->input_norm2 += unit->input_norm2;
        out->sent_norm2 += unit->sent_norm2;
        out->error_norm2 += unit->error_norm2;
        out->residual_norm2 += unit->residual_norm2;
    }
    return EGC_OK;
}
