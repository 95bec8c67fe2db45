/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compressing side of one worker: memory, selection, bytes, and what stays behind. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "codec/codec.h"
#include "compressors/message.h"
#include "compressors/method.h"
#include "compressors/sparse.h"
#include "compressors/workspace.h"
#include "kernels/kernels.h"

extern const egc_compressor_type egc_compressor_none;

struct egc_encoder {
    egc_method method;
    const egc_memory_type *memory;
    double momentum;
    double local_clip; /* 0: none */
    uint64_t seed;

    egc_workspace *work; /* borrowed */

    egc_unit *units;
    size_t n_units;
    size_t n;          /* floats in all */
    void **unit_state; /* one for each unit, NULL where the compressor has none */
    double *norm2;     /* of each unit's gradient, at the step under way */

    float *velocity;   /* n, or NULL */
    float *residual;   /* n, or NULL */
    uint32_t *sent_at; /* 1 + the step at which each element was last sent; NULL without residual */
    float *clean;      /* n, made on the first gradient with NaN or Inf in it */

    uint64_t step; /* of the step under way */
    const float *gradient;
    float scale;
    bool skip;
};

/* ---- life ---------------------------------------------------------------------------------- */

void egc_encoder_free(egc_encoder *encoder)
{
    if (!encoder)
        return;
    for (size_t i = 0; encoder->unit_state && i < encoder->n_units; i++)
        egc_free(encoder->unit_state[i]);
    egc_free(encoder->unit_state);
    egc_free(encoder->units);
    egc_free(encoder->norm2);
    egc_free(encoder->velocity);
    egc_free(encoder->residual);
    egc_free(encoder->sent_at);
    egc_free(encoder->clean);
    egc_free(encoder);
}

static bool allocate_units(egc_encoder *e, const egc_unit *units)
{
    e->units = egc_calloc(e->n_units, sizeof *e->units);
    e->unit_state = egc_calloc(e->n_units, sizeof *e->unit_state);
    e->norm2 = egc_calloc(e->n_units, sizeof *e->norm2);
    if (!e->units || !e->unit_state || !e->norm2)
        return false;
    memcpy(e->units, units, e->n_units * sizeof *units);
    const egc_compressor_type *type = e->method.compressor;
    for (size_t i = 0; i < e->n_units; i++) {
        e->n += units[i].count;
        if (!type->state_size)
            continue;
        e->unit_state[i] = egc_calloc(1, type->state_size(e->method.params, &units[i]));
        if (!e->unit_state[i])
            return false;
    }
    return true;
}

static bool allocate_memory(egc_encoder *e)
{
    if (e->memory->has_velocity && !(e->velocity = egc_calloc(e->n, sizeof(float))))
        return false;
    if (!e->memory->has_residual)
        return true;
    e->residual = egc_calloc(e->n, sizeof(float));
    e->sent_at = egc_calloc(e->n, sizeof(uint32_t));
    return e->residual && e->sent_at;
}

egc_status egc_encoder_new(const egc_method *method, double momentum, size_t n_workers,
                           const egc_unit *units, size_t n_units, uint64_t seed,
                           egc_workspace *workspace, egc_encoder **out, egc_error *err)
{
    egc_encoder *e = egc_calloc(1, sizeof *e);
    if (!e)
        return egc_fail_memory(err, sizeof *e);
    e->method = *method;
    e->memory = egc_memory_types()[method->options.memory];
    e->momentum = momentum;
    e->local_clip = method->options.clip / sqrt((double)n_workers);
    e->seed = seed;
    e->work = workspace;
    e->n_units = n_units;
    if (!allocate_units(e, units) || !allocate_memory(e)) {
        size_t wanted = e->n * 3 * sizeof(float);
        egc_encoder_free(e);
        return egc_fail_memory(err, wanted);
    }
    *out = e;
    return EGC_OK;
}

const float *egc_encoder_residual(const egc_encoder *encoder)
{
    return encoder->residual;
}

const float *egc_encoder_velocity(const egc_encoder *encoder)
{
    return encoder->velocity;
}

/* ---- the gradient of a step ---------------------------------------------------------------- */

static void count_nonfinite(const float *x, size_t n, egc_gradient_check *out)
{
    for (size_t i = 0; i < n; i++) {
        out->nan_count += isnan(x[i]) != 0;
        out->inf_count += isinf(x[i]) != 0;
    }
}

/* A copy of the gradient with 0 in place of NaN and Inf. */
static egc_status clean_gradient(egc_encoder *e, const float *gradient, egc_gradient_check *out,
                                 egc_error *err)
{
    if (!e->clean)
        e->clean = egc_calloc(e->n, sizeof(float));
    if (!e->clean)
        return egc_fail_memory(err, e->n * sizeof(float));
    for (size_t i = 0; i < e->n; i++)
        e->clean[i] = isfinite(gradient[i]) ? gradient[i] : 0;
    out->norm2 = 0;
    for (size_t i = 0; i < e->n_units; i++) {
        const egc_unit *unit = &e->units[i];
        e->norm2[i] = egc_kernels_get()->norm2(e->clean + unit->first, unit->count);
        out->norm2 += e->norm2[i];
    }
    e->gradient = e->clean;
    return EGC_OK;
}

egc_status egc_encoder_step(egc_encoder *e, uint64_t step, const float *gradient,
                            egc_gradient_check *out, egc_error *err)
{
    *out = (egc_gradient_check){0};
    e->step = step;
    e->gradient = gradient;
    e->skip = false;
    for (size_t i = 0; i < e->n_units; i++) {
        const egc_unit *unit = &e->units[i];
        e->norm2[i] = egc_kernels_get()->norm2(gradient + unit->first, unit->count);
        out->norm2 += e->norm2[i];
        if (isfinite(e->norm2[i]))
            continue;
        count_nonfinite(gradient + unit->first, unit->count, out);
        if (e->method.options.nonfinite == EGC_NONFINITE_ERROR)
            return egc_fail(err, EGC_ERROR_NONFINITE,
                            "%s: gradient has %zu NaN and %zu Inf among %zu elements", unit->name,
                            out->nan_count, out->inf_count, unit->count);
    }
    if (!isfinite(out->norm2)) {
        egc_status status = clean_gradient(e, gradient, out, err);
        if (status)
            return status;
        e->skip = e->method.options.nonfinite == EGC_NONFINITE_SKIP;
    }
    double norm = sqrt(out->norm2);
    e->scale = e->local_clip > 0 && norm > e->local_clip ? (float)(e->local_clip / norm) : 1;
    return EGC_OK;
}

/* ---- one unit ------------------------------------------------------------------------------ */

static egc_memory_unit memory_of(const egc_encoder *e, const egc_unit *unit)
{
    return (egc_memory_unit){
        .velocity = e->velocity ? e->velocity + unit->first : NULL,
        .residual = e->residual ? e->residual + unit->first : NULL,
        .input = e->memory->in_place ? e->residual + unit->first : e->work->input,
        .n = unit->count,
        .momentum = (float)e->momentum,
        .masking = e->method.options.masking,
        .nesterov = e->method.options.nesterov,
    };
}

static egc_context context_for(egc_encoder *e, size_t unit, float max_abs)
{
    egc_arena_reset(&e->work->scratch);
    gsl_rng_set(e->work->rng, egc_seed_derive(e->seed, e->step, unit));
    return (egc_context){
        .step = e->step,
        .density = egc_method_density(&e->method, e->step),
        .max_abs = max_abs,
        .rng = e->work->rng,
        .scratch = &e->work->scratch,
    };
}

/* Sums over what was sent, and the wait of each element since it was last sent. */
static void account_sent(egc_encoder *e, const egc_unit *unit, size_t count, egc_encoding *out)
{
    double carried_norm2 = 0, coding_error2 = 0;
    uint32_t now = (uint32_t)e->step + 1;
    enum { AHEAD = 16 }; /* chosen elements lie far apart in memory */
    for (size_t i = 0; i < count; i++) {
        if (e->sent_at && i + AHEAD < count)
            __builtin_prefetch(&e->sent_at[unit->first + e->work->index[i + AHEAD]], 1);
        double value = e->work->value[i], decoded = e->work->decoded[i];
        carried_norm2 += value * value;
        coding_error2 += (value - decoded) * (value - decoded);
        out->sent_norm2 += decoded * decoded;
        out->sent_norm1 += fabs(decoded);
        if (e->sent_at) {
            uint32_t *sent_at = &e->sent_at[unit->first + e->work->index[i]];
            out->staleness += fabs(decoded) * 0.5 * (now - *sent_at - 1);
            *sent_at = now;
        }
    }
    out->error_norm2 = fmax(0, out->input_norm2 - carried_norm2) + coding_error2;
    out->residual_norm2 = e->residual ? out->error_norm2 : 0;
}

static egc_status encode_sparse(egc_encoder *e, size_t u, const egc_memory_unit *memory,
                                float max_abs, egc_buf *wire, egc_encoding *out, egc_error *err)
{
    const egc_unit *unit = &e->units[u];
    const egc_method_options *options = &e->method.options;
    const egc_compressor_type *type = e->method.compressor;
    egc_selection selection = {.index = e->work->index, .value = e->work->value};
    egc_context context = context_for(e, u, max_abs);
    egc_status status = type->select(e->method.params, e->unit_state[u], &context, memory->input,
                                     unit->count, &selection, err);
    if (status)
        return status;
    const egc_index_codec *index_codec =
        options->index ? egc_index_codecs()[options->index - 1] : NULL;
    const egc_coding coding = {.rng = context.rng, .scratch = context.scratch};
    const float *x = type->traits & EGC_TRAIT_OWN_VALUES ? NULL : memory->input;
    status = egc_sparse_write(index_codec, egc_value_codecs()[options->value], &coding, x,
                              &selection, unit->count, wire, e->work->decoded, err);
    if (status)
        return status;
    account_sent(e, unit, selection.count, out);
    if (e->memory->update)
        e->memory->update(memory, e->work->index, e->work->decoded, selection.count);
    out->sent = selection.count;
    out->bound_bits = egc_sparse_bound_bits(selection.count, unit->count);
    return EGC_OK;
}

/* Coders, and units too small to be worth selecting from. */
static egc_status encode_dense(egc_encoder *e, size_t u, const egc_compressor_type *coder,
                               const egc_memory_unit *memory, float max_abs, egc_buf *wire,
                               egc_encoding *out, egc_error *err)
{
    const egc_kernels *kernels = egc_kernels_get();
    size_t n = e->units[u].count, start = wire->len;
    egc_context context = context_for(e, u, max_abs);
    egc_status status =
        coder->encode(e->method.params, e->unit_state[u], &context, memory->input, n, wire, err);
    if (status)
        return status;
    memset(e->work->decoded, 0, n * sizeof *e->work->decoded);
    egc_reader reader = egc_reader_of(wire->data + start, wire->len - start);
    status = coder->decode(e->method.params, &reader, 1, e->work->decoded, n, err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        out->sent_norm1 += fabs((double)e->work->decoded[i]);
    out->sent_norm2 = kernels->norm2(e->work->decoded, n);
    for (size_t i = 0; i < n; i++) {
        double error = (double)memory->input[i] - (double)e->work->decoded[i];
        out->error_norm2 += error * error;
    }
    if (e->memory->update_dense)
        e->memory->update_dense(memory, e->work->decoded);
    out->residual_norm2 = e->residual ? out->error_norm2 : 0;
    out->sent = n;
    out->bound_bits = 32 * (double)n;
    return EGC_OK;
}

/* The message of a worker that sits this step out. */
static egc_status encode_nothing(egc_encoder *e, size_t u, const egc_compressor_type *coder,
                                 egc_buf *wire, egc_error *err)
{
    if (!coder)
        return egc_sparse_write(NULL, egc_value_codecs()[e->method.options.value], NULL, NULL,
                                &(egc_selection){0}, e->units[u].count, wire, NULL, err);
    egc_context context = context_for(e, u, 0);
    memset(e->work->decoded, 0, e->units[u].count * sizeof *e->work->decoded);
    return coder->encode(e->method.params, e->unit_state[u], &context, e->work->decoded,
                         e->units[u].count, wire, err);
}

egc_status egc_encoder_begin(egc_encoder *e, size_t first, size_t count, egc_buf *wire,
                             egc_error *err)
{
    if (egc_method_is_linear(&e->method))
        return EGC_OK;
    uint16_t print = egc_message_fingerprint(&e->method, &e->units[first], count);
    uint8_t bytes[] = {(uint8_t)print, (uint8_t)(print >> 8)};
    return egc_buf_append(wire, bytes, sizeof bytes, err);
}

egc_status egc_encoder_encode(egc_encoder *e, size_t u, egc_buf *wire, egc_encoding *out,
                              egc_error *err)
{
    const egc_unit *unit = &e->units[u];
    const egc_compressor_type *coder = egc_unit_is_dense(&e->method, unit) ? &egc_compressor_none
                                       : e->method.compressor->select      ? NULL
                                                                           : e->method.compressor;
    const float *gradient = e->gradient + unit->first;
    size_t start = wire->len;
    egc_status status;
    *out = (egc_encoding){0};
    if (e->skip) {
        status = encode_nothing(e, u, coder, wire, err);
    } else {
        egc_memory_unit memory = memory_of(e, unit);
        out->gradient_norm2 = e->norm2[u];
        egc_norms norms = e->memory->compensate(&memory, e->scale, gradient);
        out->input_norm2 = norms.norm2;
        if (!isfinite(out->input_norm2))
            return egc_fail(err, EGC_ERROR_NONFINITE, "%s: the memory overflowed", unit->name);
        status = coder ? encode_dense(e, u, coder, &memory, norms.max_abs, wire, out, err)
                       : encode_sparse(e, u, &memory, norms.max_abs, wire, out, err);
    }
    out->wire_bytes = wire->len - start;
    return status;
}
