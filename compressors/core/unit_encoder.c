/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One unit of one worker in one round: compensate, select, write the bytes, and subtract from the
 * residual the vector that receivers will decode. */
#include "compressors/core/unit_encoder.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "compressors/core/sparse_message.h"
#include "kernels/kernels.h"

/* A unit at one round. */
typedef struct unit_round {
    egc_encoder *e;
    size_t index;
    const egc_unit *unit;
    egc_encoder_unit *own;
    egc_error_feedback_unit error_feedback;
    const float *x; /* the vector to send */
    egc_context context;
    size_t round;
} unit_round;

/* ---- error feedback -------------------------------------------------------------------------- */

static egc_error_feedback_unit error_feedback_of(const egc_encoder *e, const egc_unit *unit)
{
    float *residual = e->residual ? e->residual + unit->first : NULL;
    return (egc_error_feedback_unit){
        .velocity = e->velocity ? e->velocity + unit->first : NULL,
        .residual = residual,
        .input = e->error_feedback->in_place ? residual
                 : e->input                  ? e->input + unit->first
                                             : e->work->input,
        .n = unit->count,
        .momentum = (float)e->momentum,
        .low_pass = (float)e->method.options.low_pass,
        .masking = e->method.options.masking,
        .nesterov = e->method.options.nesterov,
    };
}

/* Decays the residual by one step and, under residual_lr = "rescale", scales residual and velocity
 * by the change of the learning rate, so that each gradient counts at the rate when it arose. */
static void age(const egc_encoder *e, const egc_unit *unit)
{
    const egc_method_options *options = &e->method.options;
    bool rescales = options->residual_lr == EGC_RESIDUAL_LR_RESCALE && e->lr > 0;
    double rescale = rescales && e->lr_before > 0 ? e->lr_before / e->lr : 1;
    float keep = (float)(options->residual_decay * rescale), turn = (float)rescale;
    size_t end = unit->first + unit->count;
    for (size_t i = unit->first; e->residual && keep != 1 && i < end; i++)
        e->residual[i] *= keep;
    for (size_t i = unit->first; e->velocity && turn != 1 && i < end; i++)
        e->velocity[i] *= turn;
}

static egc_status compensate(egc_encoder *e, size_t u, egc_error *err)
{
    age(e, &e->units[u]);
    egc_error_feedback_unit error_feedback = error_feedback_of(e, &e->units[u]);
    egc_encoder_unit *own = &e->unit[u];
    egc_norms norms = e->error_feedback->compensate(&error_feedback, e->scale, own->gradient);
    own->encoding.input_norm2 = norms.norm2;
    own->max_abs = norms.max_abs;
    return isfinite(norms.norm2) ? EGC_OK
                                 : egc_fail(err, EGC_ERROR_NONFINITE, "%s: the residual overflowed",
                                            e->units[u].name);
}

static unit_round unit_at(egc_encoder *e, size_t u, size_t round)
{
    const egc_unit *unit = &e->units[u];
    unit_round at = {
        .e = e,
        .index = u,
        .unit = unit,
        .own = &e->unit[u],
        .error_feedback = error_feedback_of(e, unit),
        .round = round,
        .context = egc_workspace_context(e->work, &e->method, e->units, u, e->step, e->n_workers,
                                         e->run_seed),
    };
    gsl_rng_set(e->work->rng,
                egc_rng_derive_seed(e->seed, e->step, (EGC_ROUNDS_MAX + 1) * u + round));
    at.context.worker = e->worker;
    at.context.max_abs = at.own->max_abs;
    at.context.gradient = round == 0 ? e->unit[u].gradient : NULL;
    at.context.scale = e->scale;
    at.x = at.error_feedback.input;
    if (e->skip) { /* send zeros and leave the residual as it is */
        memset(e->work->input, 0, unit->count * sizeof(float));
        at.x = e->work->input;
        at.context.gradient = NULL;
        at.context.max_abs = 0;
    }
    return at;
}

/* ---- dense units ----------------------------------------------------------------------------- */

/* Divisor applied by each sender before an all-reduce; 1 if the receiver divides. */
static float divisor(const egc_encoder *e)
{
    return e->method.options.predivide ? (float)e->n_workers : 1;
}

/* Statistics of a unit all of whose elements are sent, and error feedback: subtracts work->decoded,
 * the vector that receivers will decode. */
static void account_dense(unit_round *at)
{
    egc_encoder *e = at->e;
    const float *decoded = e->work->decoded;
    size_t n = at->unit->count;
    egc_encoding *out = &at->own->encoding;
    for (size_t i = 0; i < n; i++) {
        double error = (double)at->x[i] - (double)decoded[i];
        out->error_norm2 += error * error;
        out->sent_norm1 += fabs((double)decoded[i]);
    }
    out->sent_norm2 = egc_kernels_get()->norm2(decoded, n);
    out->residual_norm2 = e->residual ? out->error_norm2 : 0;
    out->sent = n;
    out->bound_bits = 32 * (double)n;
    if (e->error_feedback->update_dense && !e->skip)
        e->error_feedback->update_dense(&at->error_feedback, decoded);
}

/* x over the divisor, in work->value where that is not x itself. */
static const float *divided(const unit_round *at)
{
    float by = divisor(at->e);
    if (by == 1)
        return at->x;
    for (size_t i = 0; i < at->unit->count; i++)
        at->e->work->value[i] = at->x[i] / by;
    return at->e->work->value;
}

static void undivide(const unit_round *at, size_t count)
{
    float by = divisor(at->e);
    for (size_t i = 0; by != 1 && i < count; i++)
        at->e->work->decoded[i] *= by;
}

static egc_status send_dense(unit_round *at, egc_buf *wire, egc_error *err)
{
    egc_encoder *e = at->e;
    size_t n = at->unit->count;
    egc_status status = egc_sparse_message_write_values(
        egc_round_plan_dense_codec(&e->plan), NULL, divided(at), n, wire, e->work->decoded, err);
    if (status)
        return status;
    undivide(at, n);
    account_dense(at);
    return EGC_OK;
}

static egc_status send_coded(unit_round *at, egc_buf *wire, egc_error *err)
{
    egc_encoder *e = at->e;
    const egc_compressor_type *type = e->method.compressor;
    size_t n = at->unit->count, start = wire->len;
    egc_status status =
        type->encode(e->method.params, at->own->state, &at->context, divided(at), n, wire, err);
    if (!status)
        status = egc_buf_check(wire, err);
    if (status)
        return status;
    memset(e->work->decoded, 0, n * sizeof *e->work->decoded);
    egc_reader reader = egc_reader_of(wire->data + start, wire->len - start);
    status = type->decode(e->method.params, &reader, 1, e->work->decoded, n, err);
    if (status)
        return status;
    undivide(at, n);
    account_dense(at);
    return EGC_OK;
}

egc_status egc_unit_encoder_finish(egc_encoder *e, size_t u, egc_error *err)
{
    unit_round at = unit_at(e, u, e->plan.n_rounds - 1);
    egc_status status =
        e->plan.rounds->reconstruct(e->method.params, egc_decoder_replica(e->replica, u),
                                    &at.context, e->work->decoded, at.unit->count, err);
    if (!status)
        account_dense(&at);
    return status;
}

/* ---- sparse units ---------------------------------------------------------------------------- */

/* Number of steps whose gradients are in an element that is sent now. */
static uint32_t wait_of(const unit_round *at, uint32_t index)
{
    return (uint32_t)at->e->step + 1 - at->e->sent_at[at->unit->first + index];
}

/* Stores the elements sent until egc_unit_encoder_settle knows which of them the exchange dropped.
 */
static egc_status put_aside(unit_round *at, const egc_selection *selection, const float *decoded,
                            egc_error *err)
{
    egc_buf *sent = &at->own->sent;
    egc_buf_clear(sent);
    egc_status status = egc_buf_reserve(sent, selection->count * sizeof(egc_sent), err);
    for (size_t i = 0; i < selection->count && !status; i++)
        status = egc_buf_append(sent, &(egc_sent){selection->index[i], decoded[i]},
                                sizeof(egc_sent), err);
    return status;
}

static void mark_support(const unit_round *at, const egc_selection *selection)
{
    uint64_t *support = at->e->support;
    for (size_t i = 0; support && i < selection->count; i++) {
        size_t element = at->unit->first + selection->index[i];
        support[element / 64] |= (uint64_t)1 << element % 64;
    }
}

/* Statistics of a selection and error feedback. Subtracts work->decoded, the receivers' values,
 * divided by the factors that were applied before coding (NULL: none), and records the step of
 * sending. */
static egc_status account_sent(unit_round *at, const egc_selection *selection, const float *factor,
                               egc_error *err)
{
    egc_encoder *e = at->e;
    egc_encoding *out = &at->own->encoding;
    float *decoded = e->work->decoded;
    uint32_t *sent_at = e->sent_at && !e->skip ? e->sent_at + at->unit->first : NULL;
    double carried_norm2 = 0, coding_error2 = 0;
    enum { AHEAD = 16 }; /* selected elements are far apart in memory */
    for (size_t i = 0; i < selection->count; i++) {
        uint32_t index = selection->index[i];
        if (sent_at && i + AHEAD < selection->count)
            __builtin_prefetch(&sent_at[selection->index[i + AHEAD]], 1);
        double input = at->x[index], sent = decoded[i];
        decoded[i] = factor ? decoded[i] / factor[i] : decoded[i];
        double left = input - (double)decoded[i];
        carried_norm2 += input * input;
        coding_error2 += left * left;
        out->sent_norm2 += sent * sent;
        out->sent_norm1 += fabs(sent);
        if (sent_at) {
            out->staleness += fabs(sent) * 0.5 * (wait_of(at, index) - 1);
            if (!e->may_drop)
                sent_at[index] = (uint32_t)e->step + 1;
        }
    }
    out->error_norm2 = fmax(0, out->input_norm2 - carried_norm2) + coding_error2;
    out->residual_norm2 = e->residual ? out->error_norm2 : 0;
    out->sent = selection->count;
    mark_support(at, selection);
    if (e->may_drop)
        return put_aside(at, selection, decoded, err);
    if (e->error_feedback->update && !e->skip)
        e->error_feedback->update(&at->error_feedback, selection->index, decoded, selection->count);
    return EGC_OK;
}

/* Updates error feedback with the elements sent that are in the merged message; the others stay in
 * the residual. */
void egc_unit_encoder_settle(egc_encoder *e, size_t u)
{
    egc_encoder_unit *own = &e->unit[u];
    egc_error_feedback_unit error_feedback = error_feedback_of(e, &e->units[u]);
    const egc_sent *sent = (const egc_sent *)(const void *)own->sent.data;
    egc_selection kept = {.index = e->work->index, .value = e->work->decoded};
    size_t n_merged, s = 0;
    const uint32_t *survivor = egc_decoder_merged(e->replica, u, &n_merged);
    for (size_t i = 0; i < own->sent.len / sizeof *sent; i++) {
        uint32_t index = sent[i].index;
        double input = error_feedback.input[index], left = input - (double)sent[i].value;
        while (s < n_merged && survivor[s] < index)
            s++;
        if (s == n_merged || survivor[s] != index) {
            own->encoding.residual_norm2 += e->residual ? input * input - left * left : 0;
            continue;
        }
        if (e->sent_at)
            e->sent_at[e->units[u].first + index] = (uint32_t)e->step + 1;
        kept.index[kept.count] = index;
        kept.value[kept.count++] = sent[i].value;
    }
    if (e->error_feedback->update && !e->skip)
        e->error_feedback->update(&error_feedback, kept.index, kept.value, kept.count);
}

/* Multiplies the selected values by the learning-rate correction of each, from the steps since it
 * was last sent. *factor is NULL when none applies: the values are then read from x. */
static egc_status correct_elements(unit_round *at, egc_selection *selection, float **factor,
                                   egc_error *err)
{
    egc_encoder *e = at->e;
    *factor = NULL;
    if (e->method.options.lr_correction != EGC_CORRECTION_ELEMENT || selection->count == 0)
        return EGC_OK;
    *factor = egc_arena_alloc(&e->work->scratch, selection->count * sizeof **factor);
    if (!*factor)
        return egc_fail_memory(err, selection->count * sizeof **factor);
    for (size_t i = 0; i < selection->count; i++) {
        uint32_t index = selection->index[i];
        (*factor)[i] = (float)egc_method_correction_factor(e->momentum, wait_of(at, index));
        selection->value[i] = (*factor)[i] * at->x[index];
    }
    return EGC_OK;
}

static egc_codec_context coding_of(const unit_round *at)
{
    const egc_method_options *options = &at->e->method.options;
    return (egc_codec_context){
        .bloom_rate = options->bloom_rate,
        .bloom_policy = options->bloom_policy,
        .rng = at->context.rng,
        .scratch = at->context.scratch,
    };
}

static egc_status send_sparse(unit_round *at, egc_buf *wire, egc_error *err)
{
    egc_encoder *e = at->e;
    const egc_compressor_type *type = e->method.compressor;
    egc_selection selection = {.index = e->work->index, .value = e->work->value};
    egc_status status = EGC_OK;
    float *factor = NULL;
    if (!e->skip)
        status = type->select(e->method.params, at->own->state, &at->context, at->x,
                              at->unit->count, &selection, err);
    if (!status)
        status = correct_elements(at, &selection, &factor, err);
    if (status)
        return status;

    bool values_ready = factor || egc_method_has_own_values(&e->method);
    egc_codec_context coding = coding_of(at);
    status = egc_sparse_message_write(
        egc_method_index_codec(&e->method), egc_method_value_codec(&e->method), &coding,
        values_ready ? NULL : at->x, &selection, at->unit->count, wire, e->work->decoded, err);
    if (status)
        return status;
    at->own->encoding.bound_bits = egc_sparse_message_bound_bits(selection.count, at->unit->count);
    return account_sent(at, &selection, factor, err);
}

/* All workers select the same elements, so the message is the values alone. */
static egc_status send_shared(unit_round *at, egc_buf *wire, egc_error *err)
{
    egc_encoder *e = at->e;
    const egc_compressor_type *type = e->method.compressor;
    size_t n = at->unit->count;
    void *known = e->plan.rounds ? (void *)egc_decoder_replica(e->replica, at->index) : NULL;
    egc_selection selection = {.index = e->work->index, .value = e->work->value};
    egc_status status =
        type->select(e->method.params, known, &at->context, NULL, n, &selection, err);
    if (status)
        return status;
    float *factor;
    float gain = type->gain ? (float)type->gain(e->method.params, &at->context, n) : 1;
    for (size_t i = 0; i < selection.count; i++)
        selection.value[i] = at->x[selection.index[i]];
    status = correct_elements(at, &selection, &factor, err);
    if (status)
        return status;
    for (size_t i = 0; i < selection.count; i++)
        selection.value[i] *= gain / divisor(e);
    egc_codec_context coding = coding_of(at);
    status = egc_sparse_message_write_values(egc_method_value_codec(&e->method), &coding,
                                             selection.value, selection.count, wire,
                                             e->work->decoded, err);
    if (status)
        return status;
    undivide(at, selection.count);
    at->own->encoding.bound_bits = 32 * (double)selection.count;
    return account_sent(at, &selection, factor, err);
}

/* ---- any unit, any round --------------------------------------------------------------------- */

static egc_status own_message(unit_round *at, size_t shard, egc_buf *wire, egc_error *err)
{
    egc_encoder *e = at->e;
    const egc_rounds *rounds = e->plan.rounds;
    size_t n = at->unit->count;
    if (rounds->kind[at->round] == EGC_COLLECTIVE_BROADCAST && !egc_unit_encoder_leads(e))
        return EGC_OK;
    if (rounds->kind[at->round] == EGC_COLLECTIVE_ALLTOALL) {
        egc_unit_shard part = egc_unit_shard_of(n, shard, e->n_workers);
        at->context.shard_first = part.first;
        at->context.shard_count = part.count;
    }
    return rounds->message(e->method.params, at->own->state,
                           egc_decoder_replica(e->replica, at->index), &at->context, at->round,
                           at->x, n, wire, err);
}

egc_status egc_unit_encoder_message(egc_encoder *e, size_t u, size_t round, size_t shard,
                                    egc_buf *wire, egc_error *err)
{
    if (round == 0 && shard == 0 && !e->skip) {
        egc_status status = compensate(e, u, err);
        if (status)
            return status;
    }
    unit_round at = unit_at(e, u, round);
    const egc_compressor_type *type = e->method.compressor;
    if (at.own->dense)
        return egc_round_plan_is_last(&e->plan, round) ? send_dense(&at, wire, err) : EGC_OK;
    if (egc_round_plan_is_own(&e->plan, round))
        return own_message(&at, shard, wire, err);
    if (type->traits & EGC_TRAIT_SHARED)
        return send_shared(&at, wire, err);
    return type->select ? send_sparse(&at, wire, err) : send_coded(&at, wire, err);
}
