/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoders and decoders at work on the buckets of a partition: the one place where training calls
 * them, and the loop through the rounds of a participant that compresses alone. */
#include "train/core/coders.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "compressors/core/round_plan.h"
#include "train/cost/compression_time.h"

/* ---- life ----------------------------------------------------------------------------------- */

egc_coder_config egc_coders_config(const egc_train_config *config, const egc_partition *partition,
                                   egc_workspace *workspace)
{
    return (egc_coder_config){
        .method = &config->method,
        .n_workers = 1,
        .seed = (uint64_t)config->options.seed,
        .units = partition->units,
        .n_units = partition->n_units,
        .workspace = workspace,
    };
}

static egc_status init_alone(egc_coders *coders, const egc_coder_config *coder, egc_error *err)
{
    const egc_partition *partition = coders->partition;
    const egc_unit *last = &partition->units[partition->n_units - 1];
    size_t n = last->first + last->count;
    if (coders->n_rounds == 1)
        return EGC_OK;
    coders->decoded = egc_calloc(n, sizeof *coders->decoded);
    return coders->decoded ? egc_decoder_new(coder, &coders->own, err)
                           : egc_fail_memory(err, n * sizeof *coders->decoded);
}

egc_status egc_coders_init(egc_coders *coders, const egc_train_config *config,
                           const egc_partition *partition, const egc_coder_config *coder,
                           size_t number, const egc_decoder *shared, egc_error *err)
{
    *coders = (egc_coders){
        .config = config,
        .partition = partition,
        .method = coder->method,
        .n_rounds = egc_round_plan_count(coder->method),
        .parts = egc_calloc(partition->n_units, sizeof *coders->parts),
        .messages = egc_calloc(partition->n_buckets, sizeof *coders->messages),
        .encode_s = egc_calloc(partition->n_buckets, sizeof *coders->encode_s),
    };
    if (!coders->parts || !coders->messages || !coders->encode_s)
        return egc_fail_memory(err, partition->n_units * sizeof *coders->parts);
    egc_status status = shared ? EGC_OK : init_alone(coders, coder, err);
    if (status)
        return status;
    status = egc_encoder_new(coder, number, shared ? shared : coders->own, &coders->encoder, err);
    if (!status && coders->own)
        egc_encoder_regroup(coders->encoder, 0,
                            1); /* the leader, and owner of all, of its rounds */
    return status;
}

void egc_coders_fini(egc_coders *coders)
{
    for (size_t b = 0; coders->messages && b < coders->partition->n_buckets; b++)
        egc_buf_fini(&coders->messages[b]);
    egc_encoder_free(coders->encoder);
    egc_decoder_free(coders->own);
    egc_buf_fini(&coders->part);
    egc_free(coders->messages);
    egc_free(coders->encode_s);
    egc_free(coders->decoded);
    egc_free(coders->parts);
}

/* ---- times ----------------------------------------------------------------------------------- */

static egc_compression_time time_of(const egc_coders *coders, size_t b, size_t round, double host_s)
{
    return (egc_compression_time){
        .config = coders->config,
        .method = coders->method,
        .partition = coders->partition,
        .bucket = &coders->partition->buckets[b],
        .round = round,
        .host_s = host_s,
    };
}

static double encode_time(const egc_coders *coders, size_t b, size_t round, double host_s)
{
    const egc_compression_time time = time_of(coders, b, round, host_s);
    return egc_compression_time_encode(&time, &coders->parts[time.bucket->first_unit]);
}

double egc_coders_decode_time(const egc_coders *coders, size_t b, size_t round,
                              const egc_round_result *result, double host_s)
{
    const egc_compression_time time = time_of(coders, b, round, host_s);
    return egc_compression_time_decode(&time, result);
}

/* ---- together -------------------------------------------------------------------------------- */

egc_status egc_coders_begin(egc_coders *coders, uint64_t step, double lr, const float *vector,
                            egc_error *err)
{
    egc_gradient_check check;
    const egc_step_input input = {.step = step, .lr = lr, .gradient = vector};
    egc_status status = egc_encoder_step(coders->encoder, &input, &check, err);
    coders->nonfinite = (double)(check.nan_count + check.inf_count);
    coders->message_bytes = 0;
    return status;
}

egc_status egc_coders_encode(egc_coders *coders, size_t round, size_t b, size_t shard, egc_buf *out,
                             egc_error *err)
{
    const egc_bucket *bucket = &coders->partition->buckets[b];
    egc_status status = egc_encoder_message(coders->encoder, round, bucket->first_unit,
                                            bucket->n_units, shard, out, err);
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++) {
        const egc_encoding *encoding = egc_encoder_encoding(coders->encoder, u);
        coders->parts[u] = (egc_part_stats){encoding->sent, encoding->wire_bytes};
    }
    return status;
}

/* Appends one part of a message of several, after its length. */
static egc_status append_part(egc_buf *message, const egc_buf *part, egc_error *err)
{
    uint32_t len = (uint32_t)part->len;
    egc_status status = egc_buf_append(message, &len, sizeof len, err);
    return status ? status : egc_buf_append(message, part->data, part->len, err);
}

egc_status egc_coders_write(egc_coders *coders, size_t round, size_t b, size_t n_shards,
                            egc_error *err)
{
    egc_buf *message = &coders->messages[b];
    egc_status status = EGC_OK;
    double start_s = egc_clock_now();
    egc_buf_clear(message);
    if (n_shards == 1)
        status = egc_coders_encode(coders, round, b, 0, message, err);
    for (size_t shard = 0; n_shards > 1 && shard < n_shards && !status; shard++) {
        egc_buf_clear(&coders->part);
        status = egc_coders_encode(coders, round, b, shard, &coders->part, err);
        if (!status)
            status = append_part(message, &coders->part, err);
    }
    coders->message_bytes += (double)message->len;
    coders->encode_s[b] = encode_time(coders, b, round, egc_clock_now() - start_s);
    return status;
}

egc_status egc_coders_next_part(egc_reader *rest, egc_buf *part, egc_error *err)
{
    const uint8_t *bytes;
    uint32_t len = 0;
    egc_status status = egc_reader_take(rest, sizeof len, &bytes, err);
    if (!status) {
        memcpy(&len, bytes, sizeof len);
        status = egc_reader_take(rest, len, &bytes, err);
    }
    *part = (egc_buf){.data = status ? NULL : (uint8_t *)(uintptr_t)bytes, .len = len};
    return status;
}

egc_status egc_coders_decode(egc_decoder *decoder, const egc_bucket *bucket, uint64_t step,
                             size_t round, const egc_round_result *result, float *average,
                             double *host_s, egc_error *err)
{
    size_t n = result->n_messages;
    egc_reader *readers = egc_calloc(n, sizeof *readers);
    if (!readers)
        return egc_fail_memory(err, n * sizeof *readers);
    for (size_t i = 0; i < n; i++)
        readers[i] = egc_reader_of(result->messages[i].data, result->messages[i].len);
    const egc_decoder_input input = {
        .step = step,
        .round = round,
        .first = bucket->first_unit,
        .count = bucket->n_units,
        .shard = result->shard,
        .messages = readers,
        .n_messages = n,
        .reduced = result->reduced,
    };
    double start_s = egc_clock_now();
    egc_status status = egc_decoder_decode(decoder, &input, average, err);
    *host_s = egc_clock_now() - start_s;
    egc_free(readers);
    return status;
}

egc_status egc_coders_finish(egc_coders *coders, size_t b, egc_error *err)
{
    const egc_bucket *bucket = &coders->partition->buckets[b];
    return egc_encoder_finish(coders->encoder, bucket->first_unit, bucket->n_units, err);
}

void egc_coders_count(const egc_coders *coders, size_t b, egc_step_stats *stats)
{
    const egc_bucket *bucket = &coders->partition->buckets[b];
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++)
        egc_step_stats_add(stats, u, egc_encoder_encoding(coders->encoder, u));
}

void egc_coders_note_correction(const egc_decoder *decoder, const egc_bucket *bucket,
                                egc_step_stats *stats)
{
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++)
        stats->correction[u] = egc_decoder_correction(decoder, u);
}

/* ---- alone ----------------------------------------------------------------------------------- */

/* The result of a round with one worker: its own message. */
static egc_round_result result_of(const egc_coders *coders, size_t round, const egc_buf *message)
{
    bool reduced = coders->n_rounds > 1 &&
                   egc_round_plan_at(coders->method, round).kind == EGC_COLLECTIVE_ALLREDUCE;
    return (egc_round_result){.messages = message, .n_messages = 1, .reduced = reduced};
}

/* Appends the message of one of several rounds, and decodes its result for the next round. Adds the
 * device time of that decoding to *decode_s; the last round is decoded by the receivers only. */
static egc_status play_round(egc_coders *coders, uint64_t step, size_t round, size_t b,
                             double *decode_s, egc_error *err)
{
    egc_buf *part = &coders->part;
    bool last = round + 1 == coders->n_rounds;
    double host_s;
    egc_buf_clear(part);
    egc_status status = egc_coders_encode(coders, round, b, 0, part, err);
    if (status)
        return status;
    const egc_round_result result = result_of(coders, round, part);
    status = append_part(&coders->messages[b], part, err);
    if (!status)
        status = egc_coders_decode(coders->own, &coders->partition->buckets[b], step, round,
                                   &result, last ? coders->decoded : NULL, &host_s, err);
    if (!status && !last)
        *decode_s += egc_coders_decode_time(coders, b, round, &result, host_s);
    return status;
}

static egc_status compress_bucket(egc_coders *coders, uint64_t step, size_t b, egc_error *err)
{
    double *seconds = &coders->encode_s[b];
    egc_status status = EGC_OK;
    egc_buf_clear(&coders->messages[b]);
    *seconds = 0;
    for (size_t round = 0; round < coders->n_rounds && !status; round++) {
        double start_s = egc_clock_now();
        status = coders->n_rounds == 1
                     ? egc_coders_encode(coders, round, b, 0, &coders->messages[b], err)
                     : play_round(coders, step, round, b, seconds, err);
        if (!status && round + 1 == coders->n_rounds)
            status = egc_coders_finish(coders, b, err);
        *seconds += encode_time(coders, b, round, egc_clock_now() - start_s);
    }
    coders->message_bytes += (double)coders->messages[b].len;
    return status;
}

egc_status egc_coders_compress(egc_coders *coders, uint64_t step, double lr, const float *vector,
                               egc_error *err)
{
    egc_status status = egc_coders_begin(coders, step, lr, vector, err);
    for (size_t b = 0; b < coders->partition->n_buckets && !status; b++)
        status = compress_bucket(coders, step, b, err);
    return status;
}

void egc_coders_count_all(const egc_coders *coders, egc_step_stats *stats)
{
    for (size_t b = 0; b < coders->partition->n_buckets; b++)
        egc_coders_count(coders, b, stats);
    stats->totals.message_bytes += coders->message_bytes;
    stats->totals.nonfinite += coders->nonfinite;
}

egc_status egc_coders_decode_alone(const egc_coders *coders, egc_decoder *decoder, uint64_t step,
                                   size_t b, const egc_buf *message, float *out, double *decode_s,
                                   egc_error *err)
{
    egc_reader rest = egc_reader_of(message->data, message->len);
    egc_status status = EGC_OK;
    for (size_t round = 0; round < coders->n_rounds && !status; round++) {
        egc_buf part = *message; /* a view */
        double host_s = 0;
        bool last = round + 1 == coders->n_rounds;
        if (coders->n_rounds > 1)
            status = egc_coders_next_part(&rest, &part, err);
        const egc_round_result result = result_of(coders, round, &part);
        if (!status)
            status = egc_coders_decode(decoder, &coders->partition->buckets[b], step, round,
                                       &result, last ? out : NULL, &host_s, err);
        *decode_s += egc_coders_decode_time(coders, b, round, &result, host_s);
    }
    if (!status && coders->n_rounds > 1 && egc_reader_left(&rest))
        status = egc_fail(err, EGC_ERROR_FORMAT, "%zu bytes are left after the last round",
                          egc_reader_left(&rest));
    return status;
}
