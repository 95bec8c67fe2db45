/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What servers answer.
 *
 * dense: the bucket's parameters, 4 bytes each.
 *
 * recompress, sync (DoubleSqueeze, Tang et al. 2019): the averaged gradient goes through the
 * server's own encoder, whose memory keeps what was not sent. Server and workers apply the decoded
 * average, with the same optimiser, so that all hold the same parameters at every step.
 *
 * recompress, async and ssp: what the server's parameters are ahead of the worker's, which the
 * server knows since it told them. The worker adds what it decodes. There is no memory: what was
 * not sent is in the next difference, so that a worker's parameters lag behind the server's and
 * never drift away. */
#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "compressors/core/encoder.h"
#include "train/core/delta.h"
#include "train/cost/compression_time.h"
#include "train/ps/ps.h"

/* ---- how servers compress -------------------------------------------------------------------- */

/* The workers' method without what belongs to single gradients: momentum and its correction, which
 * would be applied twice, and clipping. */
egc_status egc_ps_pull_method(const egc_train_config *config, egc_method *out, egc_error *err)
{
    const egc_ps_params *params = config->algorithm_params;
    const egc_error_feedback_type *error_feedback =
        egc_error_feedback_types()[config->method.options.error_feedback];
    egc_method_options *options = &out->options;
    *out = params->mode == EGC_PS_SYNC ? config->method : egc_delta_method(&config->method);
    options->nesterov = false;
    options->clip = 0;
    options->lr_correction = EGC_CORRECTION_NONE;
    options->low_pass = egc_param_find(egc_method_option_params, "low_pass")->def;
    if (params->mode == EGC_PS_SYNC && error_feedback->has_residual && !error_feedback->accumulates)
        options->error_feedback = egc_error_feedback_position("residual");
    egc_status status = egc_method_check(out, err);
    return status ? egc_error_prefix(err, "algorithm.pull: recompress: at a server") : EGC_OK;
}

/* Units of a bucket as a vector of their own. */
static egc_status make_coders(egc_ps_pull_coder *coder, egc_coder_config *config,
                              const egc_bucket *range, size_t number, egc_error *err)
{
    egc_unit *units = egc_calloc(range->n_units, sizeof *units);
    if (!units)
        return egc_fail_memory(err, range->n_units * sizeof *units);
    memcpy(units, config->units + range->first_unit, range->n_units * sizeof *units);
    for (size_t u = 0; u < range->n_units; u++)
        units[u].first -= range->first;
    config->units = units;
    config->n_units = range->n_units;
    egc_status status = egc_encoder_new(config, number, NULL, &coder->encoder, err);
    if (!status)
        status = egc_decoder_new(config, &coder->decoder, err);
    egc_free(units);
    return status;
}

egc_status egc_ps_pull_coder_init(egc_ps_pull_coder *coder, const egc_ps *all,
                                  const egc_ps_bucket *bucket, size_t number, egc_error *err)
{
    egc_coder_config config = egc_trainer_coder_config(&all->trainer, 1);
    config.method = &all->down;
    config.seed = egc_rng_derive_seed(config.seed, 'p', bucket->number);
    *coder = (egc_ps_pull_coder){0};
    return make_coders(coder, &config, egc_ps_range(all, bucket), number, err);
}

void egc_ps_pull_coder_fini(egc_ps_pull_coder *coder)
{
    egc_encoder_free(coder->encoder);
    egc_decoder_free(coder->decoder);
    egc_buf_fini(&coder->message);
}

/* What took host_s here. */
static egc_compression_time charge_of(const egc_ps *all, const egc_bucket *range, double host_s)
{
    return (egc_compression_time){.config = all->trainer.config,
                                  .method = &all->down,
                                  .partition = &all->trainer.partition,
                                  .bucket = range,
                                  .host_s = host_s};
}

static double charge(const egc_ps *all, const egc_ps_pull_coder *coder, const egc_bucket *range,
                     double host_s)
{
    const egc_compression_time what = charge_of(all, range, host_s);
    egc_part_stats *parts = all->trainer.stats.parts;
    for (size_t u = 0; u < range->n_units; u++) {
        const egc_encoding *encoding = egc_encoder_encoding(coder->encoder, u);
        parts[u] = (egc_part_stats){encoding->sent, encoding->wire_bytes};
    }
    return egc_compression_time_encode(&what, parts);
}

/* step counts the coder's own calls. */
static egc_status encode(const egc_ps *all, egc_ps_pull_coder *coder, const egc_bucket *range,
                         uint64_t step, const float *vector, double *encode_s, egc_error *err)
{
    egc_gradient_check check;
    const egc_trainer *trainer = &all->trainer;
    const egc_step_input input = {
        .step = step, .lr = egc_trainer_lr(trainer, trainer->step), .gradient = vector};
    double start_s = egc_clock_now();
    egc_buf_clear(&coder->message);
    egc_status status = egc_encoder_step(coder->encoder, &input, &check, err);
    if (!status)
        status = egc_encoder_message(coder->encoder, 0, 0, range->n_units, 0, &coder->message, err);
    if (!status)
        status = egc_encoder_finish(coder->encoder, 0, range->n_units, err);
    if (!status)
        *encode_s = charge(all, coder, range, egc_clock_now() - start_s);
    return status;
}

/* Writes range->count floats. */
static egc_status decode(egc_ps_pull_coder *coder, const egc_bucket *range, uint64_t step,
                         const void *message, size_t bytes, float *out, egc_error *err)
{
    egc_reader reader = egc_reader_of(message, bytes);
    const egc_decoder_input delivery = {
        .step = step, .count = range->n_units, .messages = &reader, .n_messages = 1};
    double start_s = egc_clock_now();
    egc_status status = egc_decoder_decode(coder->decoder, &delivery, out, err);
    coder->decoded_s = egc_clock_now() - start_s;
    return status;
}

/* ---- at the server --------------------------------------------------------------------------- */

egc_status egc_ps_pull_compress_average(egc_ps *all, egc_ps_bucket *bucket, double *encode_s,
                                        egc_error *err)
{
    const egc_bucket *range = egc_ps_range(all, bucket);
    egc_ps_pull_coder *coder = &bucket->coders[0];
    float *average = all->average + range->first;
    egc_status status = encode(all, coder, range, bucket->updates, average, encode_s, err);
    return status ? status
                  : decode(coder, range, bucket->updates, coder->message.data, coder->message.len,
                           average, err);
}

egc_status egc_ps_pull_compress_difference(egc_ps *all, egc_ps_bucket *bucket,
                                           const egc_ps_worker *worker, double *encode_s,
                                           egc_error *err)
{
    const egc_bucket *range = egc_ps_range(all, bucket);
    const float *ahead = all->parameters + range->first, *held = worker->parameters + range->first;
    for (size_t i = 0; i < range->count; i++)
        all->scratch[i] = ahead[i] - held[i];
    return encode(all, &bucket->coders[worker->rank], range, worker->step, all->scratch, encode_s,
                  err);
}

egc_status egc_ps_pull_answer(egc_ps *all, egc_ps_bucket *bucket, size_t worker, egc_reader *out,
                              egc_error *err)
{
    const egc_bucket *range = egc_ps_range(all, bucket);
    const float *parameters = all->parameters + range->first;
    bool sync = all->params->mode == EGC_PS_SYNC;
    if (all->params->pull == EGC_PS_PULL_RECOMPRESS) {
        const egc_buf *message = &bucket->coders[sync ? 0 : worker].message;
        *out = egc_reader_of(message->data, message->len);
        return EGC_OK;
    }
    *out = egc_reader_of(parameters, range->count * sizeof *parameters);
    if (sync) /* nobody changes them before all have pushed again */
        return EGC_OK;
    egc_buf *answer = &bucket->answers[worker];
    egc_buf_clear(answer);
    egc_status status = egc_buf_append(answer, parameters, range->count * sizeof *parameters, err);
    *out = egc_reader_of(answer->data, answer->len);
    return status;
}

/* ---- at the worker --------------------------------------------------------------------------- */

static egc_status add_difference(egc_ps_worker *w, egc_ps_bucket *bucket, const egc_buf *answer,
                                 egc_error *err)
{
    const egc_bucket *range = egc_ps_range(w->ps, bucket);
    float *held = w->parameters + range->first, *difference = w->ps->scratch;
    egc_status status = decode(&bucket->coders[w->rank], range, w->step, answer->data, answer->len,
                               difference, err);
    for (size_t i = 0; i < range->count && !status; i++)
        held[i] += difference[i];
    return status;
}

/* In sync all workers would decode the same bytes to what the server has made of them already. */
static void check_answer(const egc_ps_worker *w, const egc_ps_bucket *bucket, const egc_buf *answer)
{
    const egc_bucket *range = egc_ps_range(w->ps, bucket);
    bool dense = w->ps->params->pull == EGC_PS_PULL_DENSE;
    const void *said =
        dense ? (const void *)(w->parameters + range->first) : bucket->coders[0].message.data;
    assert(answer->len == 0 || memcmp(answer->data, said, answer->len) == 0);
    (void)said, (void)answer;
}

egc_status egc_ps_pull_decode_answer(egc_ps_worker *w, egc_ps_bucket *bucket, const egc_buf *answer,
                                     double *decode_s, egc_error *err)
{
    const egc_bucket *range = egc_ps_range(w->ps, bucket);
    bool dense = w->ps->params->pull == EGC_PS_PULL_DENSE;
    bool sync = w->ps->params->mode == EGC_PS_SYNC;
    egc_status status = EGC_OK;
    if (sync)
        check_answer(w, bucket, answer);
    else if (dense)
        memcpy(w->parameters + range->first, answer->data, answer->len);
    else
        status = add_difference(w, bucket, answer, err);
    const egc_compression_time what =
        charge_of(w->ps, range, bucket->coders[sync ? 0 : w->rank].decoded_s);
    const egc_round_result received = {.messages = answer, .n_messages = 1};
    *decode_s = dense ? 0 : egc_compression_time_decode(&what, &received);
    return status;
}
