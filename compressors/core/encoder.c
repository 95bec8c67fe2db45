/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compressing side of one worker: its steps and its messages. */
#include "compressors/core/encoder.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
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
        .shared_seed = egc_workspace_shared_seed(config->seed),
        .replica = replica,
        .work = config->workspace,
        .support = config->support,
        .may_drop = config->merge >= EGC_MERGE_LARGEST,
        .n_units = config->n_units,
        .lr = NAN,
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

uint64_t egc_workspace_shared_seed(uint64_t run_seed)
{
    return egc_rng_derive_seed(run_seed, 's', 0);
}

/* ---- the gradient of a step ---------------------------------------------------------------- */

/* The squared norms of the units, and their sum. */
static double measure(egc_encoder *e, const float *gradient)
{
    double norm2 = 0;
    for (size_t i = 0; i < e->n_units; i++) {
        const egc_unit *unit = &e->units[i];
        double unit_norm2 = egc_kernels_get()->norm2(gradient + unit->first, unit->count);
        e->unit[i].encoding = (egc_encoding){.gradient_norm2 = unit_norm2};
        norm2 += unit_norm2;
    }
    return norm2;
}

static void count_nonfinite(const float *x, size_t n, egc_gradient_check *out)
{
    for (size_t i = 0; i < n; i++) {
        out->nan_count += isnan(x[i]) != 0;
        out->inf_count += isinf(x[i]) != 0;
    }
}

/* Counts what is not finite, and fails at the first such unit if the method says so. */
static egc_status judge_nonfinite(const egc_encoder *e, const float *gradient,
                                  egc_gradient_check *out, egc_error *err)
{
    for (size_t i = 0; i < e->n_units; i++) {
        const egc_unit *unit = &e->units[i];
        if (isfinite(e->unit[i].encoding.gradient_norm2))
            continue;
        count_nonfinite(gradient + unit->first, unit->count, out);
        if (e->method.options.nonfinite == EGC_NONFINITE_ERROR)
            return egc_fail(err, EGC_ERROR_NONFINITE,
                            "%s: gradient has %zu NaN and %zu Inf among %zu elements", unit->name,
                            out->nan_count, out->inf_count, unit->count);
    }
    return EGC_OK;
}

/* Goes on with a copy of the gradient that has 0 in place of NaN and Inf. */
static egc_status clean_gradient(egc_encoder *e, const float *gradient, egc_error *err)
{
    if (!e->clean)
        e->clean = egc_calloc(e->n, sizeof(float));
    if (!e->clean)
        return egc_fail_memory(err, e->n * sizeof(float));
    for (size_t i = 0; i < e->n; i++)
        e->clean[i] = isfinite(gradient[i]) ? gradient[i] : 0;
    e->gradient = e->clean;
    e->skip = e->method.options.nonfinite == EGC_NONFINITE_SKIP;
    return EGC_OK;
}

/* What the passing of a step does to the residual: decay, and with residual_lr = "rescale" the
 * change of the learning rate, which the velocity goes through as well. */
static void age_memory(egc_encoder *e, double lr)
{
    const egc_method_options *options = &e->method.options;
    double rescale = 1;
    if (options->residual_lr == EGC_RESIDUAL_LR_RESCALE && lr > 0) {
        rescale = e->lr > 0 ? e->lr / lr : 1;
        e->lr = lr;
    }
    float keep = (float)(options->residual_decay * rescale), turn = (float)rescale;
    for (size_t i = 0; e->residual && keep != 1 && i < e->n; i++)
        e->residual[i] *= keep;
    for (size_t i = 0; e->velocity && turn != 1 && i < e->n; i++)
        e->velocity[i] *= turn;
}

egc_status egc_encoder_step(egc_encoder *e, const egc_step_input *input, egc_gradient_check *out,
                            egc_error *err)
{
    *out = (egc_gradient_check){.norm2 = measure(e, input->gradient)};
    e->step = input->step;
    e->gradient = input->gradient;
    e->skip = false;
    if (!isfinite(out->norm2)) {
        egc_status status = judge_nonfinite(e, input->gradient, out, err);
        if (!status)
            status = clean_gradient(e, input->gradient, err);
        if (status)
            return status;
        out->norm2 = measure(e, e->clean);
    }
    double norm = sqrt(out->norm2);
    e->scale = e->local_clip > 0 && norm > e->local_clip ? (float)(e->local_clip / norm) : 1;
    if (!e->skip)
        age_memory(e, input->lr);
    return EGC_OK;
}

/* ---- messages -------------------------------------------------------------------------------- */

egc_status egc_encoder_message(egc_encoder *e, size_t round, size_t first, size_t count,
                               size_t shard, egc_buf *wire, egc_error *err)
{
    const egc_unit *units = &e->units[first];
    size_t frame = wire->len, start;
    egc_status status =
        egc_frame_begin(&e->method, &e->plan, round, units, count, wire, &start, err);
    for (size_t u = first; u < first + count && !status; u++) {
        size_t before = wire->len;
        status = egc_unit_encoder_message(e, u, round, shard, wire, err);
        e->unit[u].encoding.wire_bytes += wire->len - before;
    }
    if (!status)
        status = egc_frame_end(&e->method, &e->plan, round, start, wire, err);
    if (e->plan.round[round].kind == EGC_COLLECTIVE_BROADCAST && !egc_encoder_leads(e))
        wire->len = frame;
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
