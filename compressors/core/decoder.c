/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes the results of rounds unit by unit: the compressor's own rounds go to its `absorb`; the
 * value round is summed in the order of ranks, divided by the number of workers and multiplied by
 * the learning-rate correction. */
#include "compressors/core/decoder.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/core/frame.h"
#include "compressors/core/sparse_message.h"
#include "kernels/kernels.h"

/* The decoder's state of a unit. */
typedef struct unit_state {
    void *replica; /* the compressor's; NULL where it has no rounds */
    bool dense;
    double sent;     /* elements in the messages since the last correction */
    double messages; /* their number */
    double density;  /* smoothed; NAN before the first step */
    double correction;
    egc_buf merged; /* uint32_t: the elements of the last merged message */
} unit_state;

struct egc_decoder {
    egc_method method;
    egc_round_plan plan;
    double momentum;
    size_t n_workers;
    size_t n_plain;
    uint64_t seed; /* the seed of the run */
    egc_unit *units;
    unit_state *state;
    size_t n_units;
    float *applied;      /* sum of all means so far, for error feedback that accumulates; or NULL */
    egc_buf *plain;      /* n_plain: the unpacked messages of the entropy coder */
    egc_workspace *work; /* borrowed */
    egc_merge_rule merge;
};

/* ---- life ---------------------------------------------------------------------------------- */

void egc_decoder_free(egc_decoder *decoder)
{
    if (!decoder)
        return;
    for (size_t i = 0; decoder->state && i < decoder->n_units; i++) {
        egc_free(decoder->state[i].replica);
        egc_buf_fini(&decoder->state[i].merged);
    }
    for (size_t w = 0; decoder->plain && w < decoder->n_plain; w++)
        egc_buf_fini(&decoder->plain[w]);
    egc_free(decoder->plain);
    egc_free(decoder->applied);
    egc_free(decoder->units);
    egc_free(decoder->state);
    egc_free(decoder);
}

static bool allocate(egc_decoder *d, const egc_unit *units)
{
    size_t n = 0;
    d->units = egc_calloc(d->n_units, sizeof *d->units);
    d->state = egc_calloc(d->n_units, sizeof *d->state);
    d->n_plain = d->n_workers;
    d->plain = egc_calloc(d->n_workers, sizeof *d->plain);
    if (!d->units || !d->state || !d->plain)
        return false;
    memcpy(d->units, units, d->n_units * sizeof *units);
    for (size_t i = 0; i < d->n_units; i++) {
        bool dense = egc_method_sends_dense(&d->method, &units[i]);
        d->state[i] = (unit_state){.dense = dense, .density = NAN, .correction = 1};
        n += units[i].count;
        if (dense || !d->plan.rounds || !d->plan.rounds->replica_size)
            continue;
        d->state[i].replica =
            egc_calloc(1, d->plan.rounds->replica_size(d->method.params, &units[i]));
        if (!d->state[i].replica)
            return false;
    }
    bool accumulates = egc_error_feedback_types()[d->method.options.error_feedback]->accumulates;
    if (accumulates)
        d->applied = egc_calloc(n, sizeof *d->applied);
    return d->applied || !accumulates;
}

void egc_decoder_regroup(egc_decoder *decoder, size_t n_workers)
{
    decoder->n_workers = n_workers;
}

egc_status egc_decoder_new(const egc_coder_config *config, egc_decoder **out, egc_error *err)
{
    egc_decoder *d = egc_calloc(1, sizeof *d);
    if (!d)
        return egc_fail_memory(err, sizeof *d);
    *d = (egc_decoder){
        .method = *config->method,
        .plan = egc_round_plan_of(config->method),
        .momentum = config->momentum,
        .n_workers = config->n_workers,
        .seed = config->seed,
        .n_units = config->n_units,
        .work = config->workspace,
        .merge = config->merge,
    };
    if (!allocate(d, config->units)) {
        egc_decoder_free(d);
        return egc_fail_memory(err, config->n_units * sizeof(unit_state));
    }
    *out = d;
    return EGC_OK;
}

const void *egc_decoder_replica(const egc_decoder *decoder, size_t unit)
{
    return decoder->state[unit].replica;
}

const uint32_t *egc_decoder_merged(const egc_decoder *decoder, size_t unit, size_t *count)
{
    const egc_buf *merged = &decoder->state[unit].merged;
    *count = merged->len / sizeof(uint32_t);
    return (const uint32_t *)(const void *)merged->data;
}

double egc_decoder_correction(const egc_decoder *decoder, size_t unit)
{
    return decoder->state[unit].correction;
}

/* ---- one unit of one delivery ---------------------------------------------------------------- */

/* A unit, and where its mean goes. */
typedef struct unit_input {
    egc_decoder *d;
    const egc_decoder_input *delivery;
    const egc_unit *unit;
    unit_state *state;
    egc_context context;
    float *sum;
} unit_input;

static void name_worker(const egc_decoder_input *delivery, size_t worker, egc_error *err)
{
    if (delivery->n_messages > 1)
        egc_error_prefix(err, "message of worker %zu", worker);
}

static void add_selection(unit_input *at, const egc_selection *selection)
{
    for (size_t i = 0; i < selection->count; i++)
        at->sum[selection->index[i]] += selection->value[i];
    at->state->sent += (double)selection->count;
    at->state->messages++;
}

static egc_status add_sparse(unit_input *at, egc_reader *message, egc_error *err)
{
    egc_workspace *work = at->d->work;
    egc_selection selection = {.index = work->index, .value = work->value};
    egc_status status = egc_sparse_message_read(message, &selection, at->unit->count, err);
    if (status)
        return status;
    add_selection(at, &selection);
    if (at->d->merge < EGC_MERGE_LARGEST)
        return EGC_OK;
    egc_buf_clear(&at->state->merged);
    return egc_buf_append(&at->state->merged, selection.index,
                          selection.count * sizeof *selection.index, err);
}

static egc_status add_dense(unit_input *at, egc_reader *message, egc_error *err)
{
    float *value = at->d->work->value;
    size_t n = at->unit->count;
    egc_status status = egc_sparse_message_read_values(egc_round_plan_dense_codec(&at->d->plan),
                                                       message, value, n, err);
    if (!status)
        egc_kernels_get()->axpy(1, value, at->sum, n);
    return status;
}

static egc_status add_coded(unit_input *at, egc_reader *message, egc_error *err)
{
    return at->d->method.compressor->decode(at->d->method.params, message, 1, at->sum,
                                            at->unit->count, err);
}

/* The selection is the same for all workers: made once, then every message's values. */
static egc_status add_shared(unit_input *at, egc_error *err)
{
    egc_decoder *d = at->d;
    egc_workspace *work = d->work;
    egc_selection selection = {.index = work->index, .value = work->value};
    egc_status status = d->method.compressor->select(
        d->method.params, at->state->replica, &at->context, NULL, at->unit->count, &selection, err);
    for (size_t w = 0; w < at->delivery->n_messages && !status; w++) {
        status = egc_sparse_message_read_values(egc_method_value_codec(&d->method),
                                                &at->delivery->messages[w], work->value,
                                                selection.count, err);
        if (status)
            name_worker(at->delivery, w, err);
        else
            add_selection(at, &selection);
    }
    return status;
}

/* The sum over all workers, in the order of ranks. */
static egc_status add_messages(unit_input *at, egc_error *err)
{
    bool sparse = at->d->method.compressor->select;
    egc_status status = EGC_OK;
    for (size_t w = 0; w < at->delivery->n_messages && !status; w++) {
        egc_reader *message = &at->delivery->messages[w];
        status = at->state->dense && !at->d->merge ? add_dense(at, message, err)
                 : sparse                          ? add_sparse(at, message, err)
                                                   : add_coded(at, message, err);
        if (status)
            name_worker(at->delivery, w, err);
    }
    return status;
}

static egc_status absorb(unit_input *at, egc_error *err)
{
    egc_decoder *d = at->d;
    const egc_decoder_input *delivery = at->delivery;
    size_t n = at->unit->count;
    if (d->plan.rounds->kind[delivery->round] == EGC_COLLECTIVE_ALLTOALL) {
        egc_unit_shard part = egc_unit_shard_of(n, delivery->shard, d->n_workers);
        at->context.shard_first = part.first;
        at->context.shard_count = part.count;
    }
    return d->plan.rounds->absorb(d->method.params, at->state->replica, &at->context,
                                  delivery->round, delivery->messages, delivery->n_messages, n,
                                  err);
}

/* ---- the mean -------------------------------------------------------------------------------- */

/* Without masking nothing is lost, and units sent dense are never masked: they count no messages
 * here. A unit of which nothing was ever sent has tau = infinity and c = 1. */
static void correct(unit_input *at)
{
    const egc_method_options *options = &at->d->method.options;
    unit_state *state = at->state;
    if (options->lr_correction != EGC_CORRECTION_LAYER || !options->masking ||
        !egc_method_has_momentum(&at->d->method) || state->messages == 0)
        return;
    double smoothing = isnan(state->density) ? 0 : options->lr_smoothing;
    double density = state->sent / state->messages / (double)at->unit->count;
    state->density = (smoothing > 0 ? smoothing * state->density : 0) + (1 - smoothing) * density;
    state->sent = state->messages = 0;
    state->correction =
        state->density > 0 ? egc_method_correction_factor(at->d->momentum, 1 / state->density) : 1;
    for (size_t i = 0; i < at->unit->count; i++)
        at->sum[i] *= (float)state->correction;
}

/* Error feedback that accumulates applies the sum of all means so far. */
static void accumulate(unit_input *at)
{
    if (!at->d->applied)
        return;
    float *applied = at->d->applied + at->unit->first;
    for (size_t i = 0; i < at->unit->count; i++)
        at->sum[i] = applied[i] += at->sum[i];
}

static egc_status average(unit_input *at, egc_error *err)
{
    egc_decoder *d = at->d;
    size_t n = at->unit->count;
    bool divided = d->method.options.predivide;
    size_t n_summed = at->delivery->reduced ? d->n_workers : at->delivery->n_messages;
    memset(at->sum, 0, n * sizeof *at->sum);
    bool shared = d->method.compressor->traits & EGC_TRAIT_SHARED && !at->state->dense;
    egc_status status = shared ? add_shared(at, err) : add_messages(at, err);
    if (status)
        return status;
    float share = divided ? 1 : 1 / (float)n_summed;
    for (size_t i = 0; i < n; i++)
        at->sum[i] *= share;
    correct(at);
    accumulate(at);
    return EGC_OK;
}

static egc_status reconstruct(unit_input *at, egc_error *err)
{
    egc_decoder *d = at->d;
    egc_status status = d->plan.rounds->reconstruct(d->method.params, at->state->replica,
                                                    &at->context, at->sum, at->unit->count, err);
    if (!status)
        accumulate(at);
    return status;
}

/* ---- a delivery ------------------------------------------------------------------------------ */

static egc_status decode_unit(egc_decoder *d, const egc_decoder_input *delivery, size_t u,
                              float *out, egc_error *err)
{
    const egc_unit *unit = &d->units[u];
    unit_input at = {
        .d = d,
        .delivery = delivery,
        .unit = unit,
        .state = &d->state[u],
        .sum = out ? out + (unit->first - delivery->origin) : NULL,
        .context = egc_workspace_context(d->work, &d->method, d->units, u, delivery->step,
                                         d->n_workers, d->seed),
    };
    bool last = egc_round_plan_is_last(&d->plan, delivery->round);
    if (at.state->dense)
        return last ? average(&at, err) : EGC_OK;
    if (!egc_round_plan_is_own(&d->plan, delivery->round))
        return average(&at, err);
    egc_status status = absorb(&at, err);
    return !status && last ? reconstruct(&at, err) : status;
}

static egc_status open_frames(egc_decoder *d, const egc_decoder_input *delivery, egc_error *err)
{
    egc_frame frame = {
        .method = &d->method,
        .plan = &d->plan,
        .round = d->merge ? EGC_ROUND_MERGED : delivery->round,
        .units = &d->units[delivery->first],
        .count = delivery->count,
    };
    for (size_t w = 0; w < delivery->n_messages; w++) {
        egc_status status = egc_frame_open(&frame, &delivery->messages[w], &d->plain[w], err);
        if (status) {
            name_worker(delivery, w, err);
            return status;
        }
    }
    return EGC_OK;
}

/* Summed messages are finite, so a value that is not is an overflow of the sum. */
static egc_status blame_sum(const egc_decoder *d, egc_error *err)
{
    return egc_fail(err, EGC_ERROR_NONFINITE,
                    "the sum over %zu workers is too large for the elements it is made in; use "
                    "predivide = true, value = \"bf16\" or clip",
                    d->n_workers);
}

egc_status egc_decoder_decode(egc_decoder *d, const egc_decoder_input *delivery, float *out,
                              egc_error *err)
{
    egc_status status = open_frames(d, delivery, err);
    for (size_t u = delivery->first; u < delivery->first + delivery->count && !status; u++) {
        status = decode_unit(d, delivery, u, out, err);
        if (status == EGC_ERROR_FORMAT && delivery->reduced && !d->merge)
            status = blame_sum(d, err);
        if (status)
            egc_error_prefix(err, "%s", d->units[u].name);
    }
    for (size_t w = 0; w < delivery->n_messages && !status; w++)
        status = egc_frame_close(&delivery->messages[w], err);
    return status;
}
