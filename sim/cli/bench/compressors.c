/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plays the rounds of a method among four workers that share a replica, as a training run does, and
 * times what one of them does. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/bench/library.h"
#include "workloads/synthetic/layers.h"

enum { P = 4, STEPS = 6 }; /* the first step warms up */

typedef struct play {
    const egc_method *method;
    egc_unit unit;
    egc_workload *workload;
    egc_workspace *workspace;
    egc_decoder *decoder;
    egc_encoder *encoder[P];
    float *gradient[P], *average;
    egc_buf wire[P][P]; /* of each worker; in ALLTOALL rounds for each owner of a shard */
} play;

/* ---- life ------------------------------------------------------------------------------------ */

/* Matrices as square as n allows. */
static size_t rows_of(size_t n)
{
    size_t rows = (size_t)sqrt((double)n);
    while (rows > 1 && n % rows)
        rows--;
    return rows > 0 ? rows : 1;
}

/* One layer of synthetic gradients, of the workload's usual distribution. */
static egc_status open_workload(play *p, uint64_t seed, egc_error *err)
{
    const egc_workload_type *type;
    egc_synthetic_params params;
    egc_synthetic_row row;
    egc_status status = egc_workload_find("synthetic", &type, err);
    if (status)
        return status;
    egc_param_init(egc_synthetic_table, &params);
    egc_param_init(egc_synthetic_row_table, &row);
    snprintf(row.name, sizeof row.name, "layer");
    snprintf(row.dims, sizeof row.dims, "%zux%zu", p->unit.rows, p->unit.count / p->unit.rows);
    params.layers = (egc_param_list){&row, 1};
    const egc_workload_request request = {.workers = P, .steps = STEPS, .seed = seed};
    return egc_workload_new(type, &params, &request, &p->workload, err);
}

static egc_status make_coders(play *p, uint64_t seed, egc_error *err)
{
    egc_status status = egc_workspace_new(p->unit.count, &p->workspace, err);
    double momentum = p->method->options.momentum;
    const egc_coder_config config = {
        .method = p->method,
        .momentum = isnan(momentum) ? 0.9 : momentum,
        .n_workers = P,
        .seed = seed,
        .units = &p->unit,
        .n_units = 1,
        .workspace = p->workspace,
    };
    if (!status)
        status = egc_decoder_new(&config, &p->decoder, err);
    for (size_t w = 0; w < P && !status; w++)
        status = egc_encoder_new(&config, w, p->decoder, &p->encoder[w], err);
    return status;
}

static egc_status play_init(play *p, const egc_method *method, size_t n, uint64_t seed,
                            egc_error *err)
{
    *p = (play){.method = method, .unit = {.name = "layer", .count = n, .rows = rows_of(n)}};
    bool made = (p->average = egc_calloc(n, sizeof(float))) != NULL;
    for (size_t w = 0; w < P && made; w++)
        made = (p->gradient[w] = egc_calloc(n, sizeof(float))) != NULL;
    egc_status status = made ? EGC_OK : egc_fail_memory(err, (P + 1) * n * sizeof(float));
    if (!status)
        status = open_workload(p, seed, err);
    return status ? status : make_coders(p, seed, err);
}

static void play_fini(play *p)
{
    for (size_t w = 0; w < P; w++) {
        egc_encoder_free(p->encoder[w]);
        egc_free(p->gradient[w]);
        for (size_t shard = 0; shard < P; shard++)
            egc_buf_fini(&p->wire[w][shard]);
    }
    egc_decoder_free(p->decoder);
    egc_workspace_free(p->workspace);
    egc_workload_free(p->workload);
    egc_free(p->average);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static egc_status begin_step(play *p, uint64_t step, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t w = 0; w < P && !status; w++) {
        double loss;
        egc_gradient_check check;
        const egc_step_input input = {.step = step, .lr = NAN, .gradient = p->gradient[w]};
        status =
            p->workload->type->gradient(p->workload, step, w, NULL, p->gradient[w], &loss, err);
        if (!status)
            status = egc_encoder_step(p->encoder[w], &input, &check, err);
    }
    return status;
}

/* Adds what a worker takes for its message to *encode_s: the leader, where only it has to say
 * something. */
static egc_status make_messages(play *p, uint64_t step, size_t round, double *encode_s,
                                egc_error *err)
{
    egc_collective kind = egc_round_plan_at(p->method, round).kind;
    size_t pieces = kind == EGC_COLLECTIVE_ALLTOALL ? P : 1;
    egc_status status = EGC_OK;
    for (size_t w = 0; w < P && !status; w++) {
        double start_s = egc_clock_now();
        for (size_t shard = 0; shard < pieces && !status; shard++) {
            egc_buf_clear(&p->wire[w][shard]);
            status =
                egc_encoder_message(p->encoder[w], round, 0, 1, shard, &p->wire[w][shard], err);
        }
        double made_s = egc_clock_now() - start_s;
        if (kind != EGC_COLLECTIVE_BROADCAST)
            *encode_s += made_s / P;
        else if (w == step % P)
            *encode_s += made_s;
    }
    return status;
}

/* What an exchange would do. */
static void sum_messages(play *p, egc_element element)
{
    egc_buf *sum = &p->wire[0][0];
    for (size_t w = 1; w < P; w++)
        egc_element_add(element, sum->data, p->wire[w][0].data,
                        sum->len / egc_element_bytes(element));
}

/* Adds what it takes for a worker to take in what a round gives it, or one message of that where
 * all of it would grow with the number of workers. */
static egc_status deliver(play *p, uint64_t step, size_t round, double *decode_s, egc_error *err)
{
    egc_round kind = egc_round_plan_at(p->method, round);
    size_t n_rounds = egc_round_plan_count(p->method);
    bool is_cut = kind.kind == EGC_COLLECTIVE_ALLTOALL,
         leads = kind.kind == EGC_COLLECTIVE_BROADCAST;
    bool is_sum = !is_cut && !leads && kind.element != EGC_ELEMENT_NONE;
    size_t n_messages = is_sum || leads ? 1 : P, from = leads ? step % P : 0;
    egc_status status = EGC_OK;
    if (is_sum)
        sum_messages(p, kind.element);
    for (size_t shard = 0; shard < (is_cut ? P : 1) && !status; shard++) {
        egc_reader readers[P];
        for (size_t i = 0; i < n_messages; i++) {
            const egc_buf *wire = &p->wire[from + i][shard];
            readers[i] = egc_reader_of(wire->data, wire->len);
        }
        const egc_decoder_input delivery = {.step = step,
                                            .round = round,
                                            .count = 1,
                                            .shard = shard,
                                            .messages = readers,
                                            .n_messages = n_messages,
                                            .reduced = is_sum};
        double start_s = egc_clock_now();
        status = egc_decoder_decode(p->decoder, &delivery,
                                    round + 1 == n_rounds ? p->average : NULL, err);
        double share = is_cut ? P : n_rounds == 1 ? (double)n_messages : 1;
        *decode_s += (egc_clock_now() - start_s) / share;
    }
    return status;
}

static egc_status play_step(play *p, uint64_t step, double *encode_s, double *decode_s,
                            egc_error *err)
{
    egc_status status = begin_step(p, step, err);
    *encode_s = *decode_s = 0;
    for (size_t round = 0; round < egc_round_plan_count(p->method) && !status; round++) {
        status = make_messages(p, step, round, encode_s, err);
        if (!status)
            status = deliver(p, step, round, decode_s, err);
    }
    double start_s = egc_clock_now();
    for (size_t w = 0; w < P && !status; w++)
        status = egc_encoder_finish(p->encoder[w], 0, 1, err);
    *encode_s += (egc_clock_now() - start_s) / P;
    return status;
}

/* ---- methods and sizes ----------------------------------------------------------------------- */

static egc_status bench_method(const egc_method *method, size_t n, uint64_t seed,
                               egc_bench_cost *out, egc_error *err)
{
    play p;
    double encode_s[STEPS], decode_s[STEPS];
    egc_status status = play_init(&p, method, n, seed, err);
    for (uint64_t step = 0; step < STEPS && !status; step++)
        status = play_step(&p, step, &encode_s[step], &decode_s[step], err);
    play_fini(&p);
    if (status)
        return egc_error_prefix(err, "%s, %zu elements", method->name, n);
    out->encode_s = egc_bench_timer_median(encode_s + 1, STEPS - 1);
    out->decode_s = egc_bench_timer_median(decode_s + 1, STEPS - 1);
    return EGC_OK;
}

egc_status egc_bench_compressors(const egc_bench_request *request,
                                 egc_status (*take)(void *arg, const egc_bench_cost *cost,
                                                    egc_error *err),
                                 void *arg, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t m = 0; m < request->n_methods && !status; m++) {
        const egc_method *method = &request->methods[m];
        egc_buf params = {0};
        status = egc_method_describe(method, &params, err);
        if (!status)
            status = egc_buf_append(&params, "", 1, err);
        for (size_t i = 0; i < request->n_elements && !status; i++) {
            egc_bench_cost cost = {.method = method->name,
                                   .params = (const char *)params.data,
                                   .elements = request->elements[i]};
            status = bench_method(method, cost.elements, request->seed, &cost, err);
            if (!status)
                status = take(arg, &cost, err);
        }
        egc_buf_fini(&params);
    }
    return status;
}
