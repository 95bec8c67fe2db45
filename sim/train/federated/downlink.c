/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server compresses with a sender's coders and decodes its own message, to move its copy of the
 * view exactly as the clients do. Past messages are kept in a list, oldest first. */
#include "train/federated/downlink.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/core/decoder.h"
#include "train/core/delta.h"

/* ---- life ----------------------------------------------------------------------------------- */

static egc_status make_coders(egc_downlink *downlink, egc_error *err)
{
    egc_trainer *trainer = downlink->trainer;
    egc_coder_config coder =
        egc_coders_config(trainer->config, &trainer->partition, trainer->workspace);
    downlink->method = egc_delta_method(coder.method);
    coder.method = &downlink->method;
    egc_status status = egc_coders_init(&downlink->coders, trainer->config, &trainer->partition,
                                        &coder, trainer->n_workers, NULL, err);
    return status ? status : egc_decoder_new(&coder, &downlink->decoder, err);
}

egc_status egc_downlink_init(egc_downlink *downlink, egc_trainer *trainer, bool compressed,
                             const float *parameters, egc_error *err)
{
    *downlink = (egc_downlink){.trainer = trainer};
    if (!compressed)
        return EGC_OK;
    downlink->view = egc_calloc(trainer->n, sizeof(float));
    downlink->scratch = egc_calloc(trainer->n, sizeof(float));
    if (!downlink->view || !downlink->scratch)
        return egc_fail_memory(err, trainer->n * sizeof(float));
    memcpy(downlink->view, parameters, trainer->n * sizeof(float));
    return make_coders(downlink, err);
}

static void forget_oldest(egc_downlink *downlink)
{
    egc_downlink_change *oldest = downlink->oldest;
    downlink->oldest = oldest->newer;
    if (!downlink->oldest)
        downlink->newest = NULL;
    downlink->bytes -= oldest->message.len;
    downlink->n_changes--;
    egc_buf_fini(&oldest->message);
    egc_free(oldest);
}

void egc_downlink_fini(egc_downlink *downlink)
{
    while (downlink->oldest)
        forget_oldest(downlink);
    egc_coders_fini(&downlink->coders);
    egc_decoder_free(downlink->decoder);
    egc_free(downlink->view);
    egc_free(downlink->scratch);
}

/* ---- a round -------------------------------------------------------------------------------- */

/* Keeps the round's messages, as one, for clients that miss it. */
static egc_status remember(egc_downlink *downlink, double decode_s, egc_error *err)
{
    const egc_trainer *trainer = downlink->trainer;
    egc_downlink_change *change = egc_calloc(1, sizeof *change);
    if (!change)
        return egc_fail_memory(err, sizeof *change);
    *(downlink->newest ? &downlink->newest->newer : &downlink->oldest) = change;
    downlink->newest = change;
    downlink->n_changes++;
    change->decode_s = decode_s;
    for (size_t b = 0; b < trainer->partition.n_buckets; b++) {
        const egc_buf *message = &downlink->coders.messages[b];
        egc_status status = egc_buf_append(&change->message, message->data, message->len, err);
        if (status)
            return status;
        downlink->bytes += message->len;
    }
    while (downlink->n_changes && downlink->bytes > trainer->n * sizeof(float))
        forget_oldest(downlink);
    return EGC_OK;
}

/* Adds the decoded message to the view, as every client does. */
static egc_status move_view(egc_downlink *downlink, double *decode_s, egc_error *err)
{
    egc_trainer *trainer = downlink->trainer;
    *decode_s = 0;
    for (size_t b = 0; b < trainer->partition.n_buckets; b++) {
        egc_status status =
            egc_trainer_decode(trainer, &downlink->coders, downlink->decoder, trainer->step, b,
                               &downlink->coders.messages[b], downlink->scratch, decode_s, err);
        if (status)
            return status;
    }
    for (size_t i = 0; i < trainer->n; i++)
        downlink->view[i] += downlink->scratch[i];
    return EGC_OK;
}

egc_status egc_downlink_advance(egc_downlink *downlink, const float *parameters, egc_error *err)
{
    const egc_trainer *trainer = downlink->trainer;
    double decode_s = 0;
    if (!downlink->view || trainer->step == 0)
        return EGC_OK;
    for (size_t i = 0; i < trainer->n; i++)
        downlink->scratch[i] = parameters[i] - downlink->view[i];
    egc_status status =
        egc_coders_compress(&downlink->coders, trainer->step, NAN, downlink->scratch, err);
    if (!status)
        status = move_view(downlink, &decode_s, err);
    if (!status)
        status = remember(downlink, decode_s, err);
    if (status)
        return egc_error_prefix(err, "round %llu: downlink", (unsigned long long)trainer->step);
    downlink->encode_s = decode_s; /* the server decodes too */
    for (size_t b = 0; b < trainer->partition.n_buckets; b++)
        downlink->encode_s += downlink->coders.encode_s[b];
    return EGC_OK;
}

const float *egc_downlink_view(const egc_downlink *downlink, const float *parameters)
{
    return downlink->view ? downlink->view : parameters;
}

/* Writes the last `behind` changes, which must be kept. */
static egc_status write_changes(const egc_downlink *downlink, uint64_t behind, egc_buf *out,
                                double *decode_s, egc_error *err)
{
    uint64_t age = downlink->n_changes;
    egc_status status = EGC_OK;
    for (const egc_downlink_change *change = downlink->oldest; change && !status;
         change = change->newer) {
        if (age-- > behind)
            continue;
        status = egc_buf_append(out, change->message.data, change->message.len, err);
        *decode_s += change->decode_s;
    }
    return status;
}

egc_status egc_downlink_write(const egc_downlink *downlink, const float *parameters,
                              uint64_t behind, egc_buf *out, double *decode_s, egc_error *err)
{
    egc_buf_clear(out);
    *decode_s = 0;
    if (downlink->view && behind <= downlink->n_changes)
        return write_changes(downlink, behind, out, decode_s, err);
    return egc_buf_append(out, egc_downlink_view(downlink, parameters),
                          downlink->trainer->n * sizeof(float), err);
}
