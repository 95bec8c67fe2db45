/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/describe/wire.h"

#include <gsl/gsl_randist.h>

#include "base/mem.h"
#include "base/rng.h"

enum { ROWS = 1000, N = ROWS * ROWS };

typedef struct lone_worker {
    egc_workspace *workspace;
    egc_decoder *replica;
    egc_encoder *encoder;
    float *gradient, *average;
    egc_buf wire;
} lone_worker;

static void worker_fini(lone_worker *w)
{
    egc_encoder_free(w->encoder);
    egc_decoder_free(w->replica);
    egc_workspace_free(w->workspace);
    egc_free(w->gradient);
    egc_free(w->average);
    egc_buf_fini(&w->wire);
}

static egc_status make_gradient(lone_worker *w, egc_error *err)
{
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    w->gradient = egc_calloc(N, sizeof *w->gradient);
    w->average = egc_calloc(N, sizeof *w->average);
    bool made = rng && w->gradient && w->average;
    if (made)
        gsl_rng_set(rng, 1);
    for (size_t i = 0; made && i < N; i++)
        w->gradient[i] = (float)gsl_ran_gaussian_ziggurat(rng, 1e-3);
    gsl_rng_free(rng);
    return made ? EGC_OK : egc_fail_memory(err, N * sizeof(float));
}

static egc_status worker_init(lone_worker *w, const egc_method *method, egc_error *err)
{
    static const egc_unit unit = {.name = "layer", .count = N, .rows = ROWS};
    egc_coder_config config = {
        .method = method, .momentum = 0.9, .n_workers = 1, .seed = 1, .units = &unit, .n_units = 1};
    *w = (lone_worker){0};
    egc_status status = make_gradient(w, err);
    if (!status)
        status = egc_workspace_new(N, &w->workspace, err);
    config.workspace = w->workspace;
    if (!status)
        status = egc_decoder_new(&config, &w->replica, err);
    if (!status)
        status = egc_encoder_new(&config, 0, w->replica, &w->encoder, err);
    return status;
}

/* Says one round and takes it in: a team of one hears itself. */
static egc_status play_round(lone_worker *w, size_t round, size_t n_rounds, size_t *bytes,
                             egc_error *err)
{
    egc_buf_clear(&w->wire);
    egc_status status = egc_encoder_message(w->encoder, round, 0, 1, 0, &w->wire, err);
    if (status)
        return status;
    *bytes += w->wire.len;
    egc_reader message = egc_reader_of(w->wire.data, w->wire.len);
    const egc_decoder_input delivery = {
        .round = round, .count = 1, .messages = &message, .n_messages = 1};
    return egc_decoder_decode(w->replica, &delivery, round + 1 == n_rounds ? w->average : NULL,
                              err);
}

egc_status egc_wire_bits(const egc_method *method, double *bits, egc_error *err)
{
    lone_worker w;
    egc_gradient_check check;
    size_t bytes = 0, n_rounds = egc_round_plan_count(method);
    egc_status status = worker_init(&w, method, err);
    const egc_step_input input = {.lr = 0.1, .gradient = w.gradient};
    if (!status)
        status = egc_encoder_step(w.encoder, &input, &check, err);
    for (size_t round = 0; round < n_rounds && !status; round++)
        status = play_round(&w, round, n_rounds, &bytes, err);
    worker_fini(&w);
    *bits = 8.0 * (double)bytes / N;
    return status;
}
