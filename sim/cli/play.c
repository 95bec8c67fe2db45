/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoders and the decoder are called round by round as a training run calls them; messages pass
 * from one worker to another in buffers, and sums of an all-reduce are made in place. */
#include "cli/play.h"

#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "compressors/core/encoder.h"
#include "compressors/core/round_plan.h"

enum { MOST = EGC_PLAY_WORKERS };

struct egc_play {
    const egc_method *method;
    egc_unit unit;
    size_t n_workers;
    egc_workspace *workspace;
    egc_decoder *decoder;
    egc_encoder *encoder[MOST];
    float *gradient[MOST], *average;
    egc_buf wire[MOST][MOST]; /* [worker][owner of a shard]; owner 0 only but in ALLTOALL rounds */
};

/* The divisor of n closest to its square root from below. */
static size_t rows_of(size_t n)
{
    size_t rows = (size_t)sqrt((double)n);
    while (rows > 1 && n % rows)
        rows--;
    return rows > 0 ? rows : 1;
}

static egc_status make_coders(egc_play *play, uint64_t seed, egc_error *err)
{
    egc_status status = egc_workspace_new(play->unit.count, &play->workspace, err);
    double momentum = play->method->options.momentum;
    const egc_coder_config config = {
        .method = play->method,
        .momentum = isnan(momentum) ? 0.9 : momentum,
        .n_workers = play->n_workers,
        .seed = seed,
        .units = &play->unit,
        .n_units = 1,
        .workspace = play->workspace,
    };
    if (!status)
        status = egc_decoder_new(&config, &play->decoder, err);
    for (size_t w = 0; w < play->n_workers && !status; w++)
        status = egc_encoder_new(&config, w, play->decoder, &play->encoder[w], err);
    return status;
}

egc_status egc_play_new(const egc_method *method, size_t n, size_t n_workers, uint64_t seed,
                        egc_play **out, egc_error *err)
{
    egc_play *play = egc_calloc(1, sizeof *play);
    *out = play;
    if (!play)
        return egc_fail_memory(err, sizeof *play);
    play->method = method;
    play->unit = (egc_unit){.name = "layer", .count = n, .rows = rows_of(n)};
    play->n_workers = n_workers;
    bool made = (play->average = egc_calloc(n, sizeof(float))) != NULL;
    for (size_t w = 0; w < n_workers && made; w++)
        made = (play->gradient[w] = egc_calloc(n, sizeof(float))) != NULL;
    egc_status status =
        made ? make_coders(play, seed, err) : egc_fail_memory(err, (n_workers + 1) * n * 4);
    if (status) {
        egc_play_free(play);
        *out = NULL;
    }
    return status;
}

void egc_play_free(egc_play *play)
{
    for (size_t w = 0; play && w < play->n_workers; w++) {
        egc_encoder_free(play->encoder[w]);
        egc_free(play->gradient[w]);
        for (size_t shard = 0; shard < MOST; shard++)
            egc_buf_fini(&play->wire[w][shard]);
    }
    if (play) {
        egc_decoder_free(play->decoder);
        egc_workspace_free(play->workspace);
        egc_free(play->average);
    }
    egc_free(play);
}

const egc_unit *egc_play_unit(const egc_play *play)
{
    return &play->unit;
}

float *egc_play_gradient(egc_play *play, size_t worker)
{
    return play->gradient[worker];
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* In a BROADCAST round only the leader's time and bytes count. */
static egc_status make_messages(egc_play *play, uint64_t step, size_t round, egc_play_costs *costs,
                                egc_error *err)
{
    egc_collective kind = egc_round_plan_at(play->method, round).kind;
    size_t n_workers = play->n_workers, pieces = kind == EGC_COLLECTIVE_ALLTOALL ? n_workers : 1;
    egc_status status = EGC_OK;
    for (size_t w = 0; w < n_workers && !status; w++) {
        double start_s = egc_clock_now(), bytes = 0;
        for (size_t shard = 0; shard < pieces && !status; shard++) {
            egc_buf *wire = &play->wire[w][shard];
            egc_buf_clear(wire);
            status = egc_encoder_message(play->encoder[w], round, 0, 1, shard, wire, err);
            bytes += (double)wire->len;
        }
        double share = kind != EGC_COLLECTIVE_BROADCAST ? 1.0 / (double)n_workers
                                                        : (double)(w == step % n_workers);
        costs->encode_s += share * (egc_clock_now() - start_s);
        costs->sent_bytes += share * bytes;
    }
    return status;
}

/* Adds the messages of all workers up in that of worker 0, as an all-reduce does. */
static void sum_messages(egc_play *play, egc_element element)
{
    egc_buf *sum = &play->wire[0][0];
    for (size_t w = 1; w < play->n_workers; w++)
        egc_element_add(element, sum->data, play->wire[w][0].data,
                        sum->len / egc_element_bytes(element));
}

/* Counts the time of one message where the messages of a step grow with the number of workers. */
static egc_status deliver(egc_play *play, uint64_t step, size_t round, egc_play_costs *costs,
                          egc_error *err)
{
    egc_round kind = egc_round_plan_at(play->method, round);
    size_t n_workers = play->n_workers, n_rounds = egc_round_plan_count(play->method);
    bool is_cut = kind.kind == EGC_COLLECTIVE_ALLTOALL,
         leads = kind.kind == EGC_COLLECTIVE_BROADCAST;
    bool is_sum = !is_cut && !leads && kind.element != EGC_ELEMENT_NONE;
    size_t n_messages = is_sum || leads ? 1 : n_workers, from = leads ? step % n_workers : 0;
    egc_status status = EGC_OK;
    if (is_sum)
        sum_messages(play, kind.element);
    for (size_t shard = 0; shard < (is_cut ? n_workers : 1) && !status; shard++) {
        egc_reader messages[MOST];
        for (size_t i = 0; i < n_messages; i++) {
            const egc_buf *wire = &play->wire[from + i][shard];
            messages[i] = egc_reader_of(wire->data, wire->len);
        }
        const egc_decoder_input input = {.step = step,
                                         .round = round,
                                         .count = 1,
                                         .shard = shard,
                                         .messages = messages,
                                         .n_messages = n_messages,
                                         .reduced = is_sum};
        double start_s = egc_clock_now();
        status = egc_decoder_decode(play->decoder, &input,
                                    round + 1 == n_rounds ? play->average : NULL, err);
        double n = is_cut ? (double)n_workers : n_rounds == 1 ? (double)n_messages : 1;
        costs->decode_s += (egc_clock_now() - start_s) / n;
    }
    return status;
}

egc_status egc_play_step(egc_play *play, uint64_t step, double lr, egc_play_costs *out,
                         egc_error *err)
{
    egc_status status = EGC_OK;
    *out = (egc_play_costs){0};
    for (size_t w = 0; w < play->n_workers && !status; w++) {
        egc_gradient_check check;
        const egc_step_input input = {.step = step, .lr = lr, .gradient = play->gradient[w]};
        status = egc_encoder_step(play->encoder[w], &input, &check, err);
    }
    for (size_t round = 0; round < egc_round_plan_count(play->method) && !status; round++) {
        status = make_messages(play, step, round, out, err);
        if (!status)
            status = deliver(play, step, round, out, err);
    }
    double start_s = egc_clock_now();
    for (size_t w = 0; w < play->n_workers && !status; w++)
        status = egc_encoder_finish(play->encoder[w], 0, 1, err);
    out->encode_s += (egc_clock_now() - start_s) / (double)play->n_workers;
    return status;
}
