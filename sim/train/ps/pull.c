/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answers of servers to pushes.
 *
 * dense: the bucket's parameters, 4 bytes each.
 *
 * recompress, sync (DoubleSqueeze, Tang et al. 2019): the averaged gradient, compressed by the
 * server's own encoder with error feedback. Server and workers apply the decoded average with the
 * same optimiser, so that all hold the same parameters at every step.
 *
 * recompress, async and ssp: the difference between the server's parameters and the worker's, which
 * the server knows because it sent them. The worker adds the decoded difference. No error feedback
 * is needed: the part that was not sent is in the next difference, so that a worker's parameters
 * lag behind the server's without drifting away. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "compressors/core/encoder.h"
#include "train/core/delta.h"
#include "train/ps/ps.h"

/* ---- coders ---------------------------------------------------------------------------------- */

/* The workers' method without the options for single gradients: momentum and its correction, which
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

egc_status egc_ps_pull_coder_init(egc_ps_pull_coder *coder, const egc_ps *all,
                                  const egc_ps_bucket *bucket, size_t number, egc_error *err)
{
    const egc_trainer *trainer = &all->trainer;
    egc_coder_config config = egc_trainer_coder_config(trainer, 1);
    *coder = (egc_ps_pull_coder){0};
    egc_status status =
        egc_partition_of_bucket(&trainer->partition, bucket->number, &coder->partition, err);
    config.method = &all->down;
    config.seed = egc_rng_derive_seed(config.seed, 'p', bucket->number);
    config.units = coder->partition.units;
    config.n_units = coder->partition.n_units;
    if (!status)
        status = egc_coders_init(&coder->coders, trainer->config, &coder->partition, &config,
                                 number, NULL, err);
    return status ? status : egc_decoder_new(&config, &coder->decoder, err);
}

void egc_ps_pull_coder_fini(egc_ps_pull_coder *coder)
{
    if (coder->coders.partition)
        egc_coders_fini(&coder->coders);
    egc_decoder_free(coder->decoder);
    egc_partition_fini(&coder->partition);
}

/* Compresses the bucket's floats; step counts the calls of this coder. */
static egc_status compress(const egc_ps *all, egc_ps_pull_coder *coder, uint64_t step,
                           const float *vector, double *encode_s, egc_error *err)
{
    double lr = egc_replica_lr(&all->replica, all->trainer.step);
    egc_status status = egc_coders_compress(&coder->coders, step, lr, vector, err);
    *encode_s = coder->coders.encode_s[0];
    return status;
}

/* Decodes to the bucket's floats. */
static egc_status decode(egc_ps_pull_coder *coder, uint64_t step, const egc_buf *message,
                         float *out, egc_error *err)
{
    coder->decode_s = 0;
    return egc_coders_decode_alone(&coder->coders, coder->decoder, step, 0, message, out,
                                   &coder->decode_s, err);
}

/* ---- at the server --------------------------------------------------------------------------- */

egc_status egc_ps_pull_compress_average(egc_ps *all, egc_ps_bucket *bucket, double *encode_s,
                                        egc_error *err)
{
    egc_ps_pull_coder *coder = &bucket->coders[0];
    float *average = all->average + egc_ps_range(all, bucket)->first;
    egc_status status = compress(all, coder, bucket->updates, average, encode_s, err);
    return status ? status
                  : decode(coder, bucket->updates, &coder->coders.messages[0], average, err);
}

egc_status egc_ps_pull_compress_difference(egc_ps *all, egc_ps_bucket *bucket,
                                           const egc_ps_worker *worker, double *encode_s,
                                           egc_error *err)
{
    const egc_bucket *range = egc_ps_range(all, bucket);
    const float *ahead = all->replica.parameters + range->first;
    const float *held = worker->replica->parameters + range->first;
    for (size_t i = 0; i < range->count; i++)
        all->scratch[i] = ahead[i] - held[i];
    return compress(all, &bucket->coders[worker->rank], worker->step, all->scratch, encode_s, err);
}

egc_status egc_ps_pull_answer(egc_ps *all, egc_ps_bucket *bucket, size_t worker, egc_reader *out,
                              egc_error *err)
{
    const egc_bucket *range = egc_ps_range(all, bucket);
    const float *parameters = all->replica.parameters + range->first;
    bool sync = all->params->mode == EGC_PS_SYNC;
    if (bucket->push > 0 || all->params->pull == EGC_PS_PULL_SUM) {
        *out = egc_reader_of(bucket->reply.data, bucket->reply.len);
        return EGC_OK;
    }
    if (all->params->pull == EGC_PS_PULL_RECOMPRESS) {
        const egc_buf *message = &bucket->coders[sync ? 0 : worker].coders.messages[0];
        *out = egc_reader_of(message->data, message->len);
        return EGC_OK;
    }
    *out = egc_reader_of(parameters, range->count * sizeof *parameters);
    if (sync) /* they do not change before all have pushed again */
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
    float *held = w->replica->parameters + range->first, *difference = w->ps->scratch;
    egc_status status = decode(&bucket->coders[w->rank], w->step, answer, difference, err);
    for (size_t i = 0; i < range->count && !status; i++)
        held[i] += difference[i];
    return status;
}

/* In sync the server has decoded the same bytes already, for all workers. */
static void check_answer(const egc_ps_worker *w, const egc_ps_bucket *bucket, const egc_buf *answer)
{
    const egc_bucket *range = egc_ps_range(w->ps, bucket);
    const void *sent = bucket->reply.data;
    if (w->ps->params->pull == EGC_PS_PULL_DENSE)
        sent = w->replica->parameters + range->first;
    else if (w->ps->params->pull == EGC_PS_PULL_RECOMPRESS)
        sent = bucket->coders[0].coders.messages[0].data;
    assert(answer->len == 0 || memcmp(answer->data, sent, answer->len) == 0);
    (void)sent, (void)answer;
}

egc_status egc_ps_pull_decode_answer(egc_ps_worker *w, egc_ps_bucket *bucket, const egc_buf *answer,
                                     double *decode_s, egc_error *err)
{
    const egc_bucket *range = egc_ps_range(w->ps, bucket);
    bool dense = w->ps->params->pull == EGC_PS_PULL_DENSE;
    bool sync = w->ps->params->mode == EGC_PS_SYNC;
    egc_status status = EGC_OK;
    if (w->ps->params->pull == EGC_PS_PULL_SUM) {
        const egc_round_result sum = {.messages = answer, .n_messages = 1, .reduced = true};
        check_answer(w, bucket, answer);
        *decode_s = egc_coders_decode_time(&w->coders, bucket->number, 0, &sum, 0);
        return EGC_OK;
    }
    if (sync)
        check_answer(w, bucket, answer);
    else if (dense)
        memcpy(w->replica->parameters + range->first, answer->data, answer->len);
    else
        status = add_difference(w, bucket, answer, err);
    *decode_s = dense ? 0 : bucket->coders[sync ? 0 : w->rank].decode_s;
    return status;
}
