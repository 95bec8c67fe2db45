/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of an encoder, the beginning of a step (non-finite elements, clipping, ageing of the
 * residual) and the frames of its messages. The work on one unit is in unit_encoder.c. */
#include "compressors/core/encoder.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "compressors/core/frame.h"
#include "compressors/core/unit_encoder.h"
#include "kernels/kernels.h"

/* ---- life ---------------------------------------------------------------------------------- */

void egc_encoder_free(egc_encoder *encoder)
{
    if (!encoder)
        return;
    for (size_t i = 0; encoder->unit && i < encoder->n_units; i++) {
        egc_free(encoder->unit[i].state);
        egc_buf_fini(&encoder->unit[i].sent);
    }
    egc_free(encoder->unit);
    egc_free(encoder->units);
    egc_free(encoder->velocity);
    egc_free(encoder->residual);
    egc_free(encoder->input);
    egc_free(encoder->sent_at);
    egc_free(encoder->clean);
    egc_free(encoder);
}

static bool allocate_units(egc_encoder *e, const egc_unit *units)
{
    e->units = egc_calloc(e->n_units, sizeof *e->units);
    e->unit = egc_calloc(e->n_units, sizeof *e->unit);
    if (!e->units || !e->unit)
        return false;
    memcpy(e->units, units, e->n_units * sizeof *units);
    const egc_compressor_type *type = e->method.compressor;
    for (size_t i = 0; i < e->n_units; i++) {
        e->n += units[i].count;
        e->unit[i].dense = egc_method_sends_dense(&e->method, &units[i]);
        if (!type->state_size)
            continue;
        e->unit[i].state = egc_calloc(1, type->state_size(e->method.params, &units[i]));
        if (!e->unit[i].state)
            return false;
    }
    return true;
}

static bool allocate_memory(egc_encoder *e)
{
    bool later = (e->plan.n_rounds > 1 || e->may_drop) && !e->error_feedback->in_place;
    if (e->error_feedback->has_velocity && !(e->velocity = egc_calloc(e->n, sizeof(float))))
        return false;
    if (later && !(e->input = egc_calloc(e->n, sizeof(float))))
        return false;
    if (!e->error_feedback->has_residual)
        return true;
    e->residual = egc_calloc(e->n, sizeof(float));
    e->sent_at = egc_calloc(e->n, sizeof(uint32_t));
    return e->residual && e->sent_at;
}

egc_status egc_encoder_new(const egc_coder_config *config, size_t worker,
                           const egc_decoder *replica, egc_encoder **out, egc_error *err)
{
    egc_encoder *e = egc_calloc(1, sizeof *e);
    if (!e)
        return egc_fail_memory(err, sizeof *e);
    *e = (egc_encoder){
        .method = *config->method,
        .plan = egc_round_plan_of(config->method),
        .error_feedback = egc_error_feedback_types()[config->method->options.error_feedback],
        .momentum = config->momentum,
        .worker = worker,
        .n_workers = config->n_workers,
        .local_clip = config->method->options.clip / sqrt((double)config->n_workers),
        .seed = egc_rng_derive_seed(config->seed, 'e', worker),
        .run_seed = config->seed,
        .replica = replica,
        .work = config->workspace,
        .support = config->support,
        .may_drop = config->merge >= EGC_MERGE_LARGEST,
        .n_units = config->n_units,
        .lr = NAN,
        .lr_before = NAN,
    };
    if (!allocate_units(e, config->units) || !allocate_memory(e)) {
        size_t wanted = e->n * 3 * sizeof(float);
        egc_encoder_free(e);
        return egc_fail_memory(err, wanted);
    }
    *out = e;
    return EGC_OK;
}

void egc_encoder_regroup(egc_encoder *encoder, size_t worker, size_t n_workers)
{
    encoder->worker = worker;
    encoder->n_workers = n_workers;
    encoder->local_clip = encoder->method.options.clip / sqrt((double)n_workers);
}

const float *egc_encoder_residual(const egc_encoder *encoder)
{
    return encoder->residual;
}

const float *egc_encoder_velocity(const egc_encoder *encoder)
{
    return encoder->velocity;
}

const egc_encoding *egc_encoder_encoding(const egc_encoder *encoder, size_t unit)
{
    return &encoder->unit[unit].encoding;
}

/* ---- the gradient of a step ---------------------------------------------------------------- */

void egc_encoder_begin(egc_encoder *e, uint64_t step, double lr)
{
    if (!e->skip && e->lr > 0)
        e->lr_before = e->lr;
    e->step = step;
    e->lr = lr;
    e->norm2 = 0;
    e->skip = false;
}

/* Counts NaN and Inf in the gradient of unit u, and goes on with a copy that has 0 in their places,
 * unless the method says that they are errors. */
static egc_status clean_gradient(egc_encoder *e, size_t u, egc_gradient_check *out, egc_error *err)
{
    const egc_unit *unit = &e->units[u];
    const float *gradient = e->unit[u].gradient;
    for (size_t i = 0; i < unit->count; i++) {
        out->nan_count += isnan(gradient[i]) != 0;
        out->inf_count += isinf(gradient[i]) != 0;
    }
    if (e->method.options.nonfinite == EGC_NONFINITE_ERROR)
        return egc_fail(err, EGC_ERROR_NONFINITE,
                        "%s: gradient has %zu NaN and %zu Inf among %zu elements", unit->name,
                        out->nan_count, out->inf_count, unit->count);
    if (!e->clean)
        e->clean = egc_calloc(e->n, sizeof(float));
    if (!e->clean)
        return egc_fail_memory(err, e->n * sizeof(float));
    float *clean = e->clean + unit->first;
    for (size_t i = 0; i < unit->count; i++)
        clean[i] = isfinite(gradient[i]) ? gradient[i] : 0;
    e->unit[u].gradient = clean;
    e->skip = e->method.options.nonfinite == EGC_NONFINITE_SKIP;
    return EGC_OK;
}

egc_status egc_encoder_gradient(egc_encoder *e, size_t first, size_t count, const float *gradient,
                                egc_gradient_check *out, egc_error *err)
{
    *out = (egc_gradient_check){0};
    for (size_t u = first; u < first + count; u++) {
        egc_encoder_unit *own = &e->unit[u];
        size_t n = e->units[u].count;
        double norm2 = egc_kernels_get()->norm2(gradient, n);
        own->gradient = gradient;
        if (!isfinite(norm2)) {
            egc_status status = clean_gradient(e, u, out, err);
            if (status)
                return status;
            norm2 = egc_kernels_get()->norm2(own->gradient, n);
        }
        own->encoding = (egc_encoding){.gradient_norm2 = norm2};
        out->norm2 += norm2;
        e->norm2 += norm2;
        gradient += n;
    }
    double norm = sqrt(e->norm2);
    e->scale = e->local_clip > 0 && norm > e->local_clip ? (float)(e->local_clip / norm) : 1;
    return EGC_OK;
}

egc_status egc_encoder_step(egc_encoder *e, const egc_step_input *input, egc_gradient_check *out,
                            egc_error *err)
{
    egc_encoder_begin(e, input->step, input->lr);
    return egc_encoder_gradient(e, 0, e->n_units, input->gradient, out, err);
}

/* ---- messages -------------------------------------------------------------------------------- */

egc_status egc_encoder_message(egc_encoder *e, size_t round, size_t first, size_t count,
                               size_t shard, egc_buf *wire, egc_error *err)
{
    egc_frame frame = {&e->method, &e->plan, round, &e->units[first], count};
    size_t begin = wire->len, start;
    egc_status status = egc_frame_begin(&frame, wire, &start, err);
    for (size_t u = first; u < first + count && !status; u++) {
        size_t before = wire->len;
        status = egc_unit_encoder_message(e, u, round, shard, wire, err);
        e->unit[u].encoding.wire_bytes += wire->len - before;
    }
    if (!status)
        status = egc_frame_end(&frame, start, wire, err);
    if (e->plan.round[round].kind == EGC_COLLECTIVE_BROADCAST && !egc_unit_encoder_leads(e))
        wire->len = begin;
    return status;
}

egc_status egc_encoder_finish(egc_encoder *e, size_t first, size_t count, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t u = first; u < first + count && !status; u++) {
        if (egc_round_plan_is_own(&e->plan, e->plan.n_rounds - 1) && !e->unit[u].dense)
            status = egc_unit_encoder_finish(e, u, err);
        if (e->may_drop && !e->unit[u].dense)
            egc_unit_encoder_settle(e, u);
    }
    return status;
}
