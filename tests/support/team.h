/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A team of workers without a network: every round of a method, played by hand. Each worker has a
 * replica of its own, so that what replicas share can only have come in messages. */
#ifndef EGC_TEST_TEAM_H
#define EGC_TEST_TEAM_H

#include <stdlib.h>

#include "support/method.h"

enum { TEAM_MAX = 16 };

typedef struct test_team {
    egc_method method;
    size_t n_workers;
    size_t n_rounds;
    size_t n_units;
    size_t n;
    bool gathers; /* even what could be summed */
    egc_workspace *workspace;
    egc_encoder *encoder[TEAM_MAX];
    egc_decoder *replica[TEAM_MAX];
    egc_buf wire[EGC_ROUNDS_MAX + 1][TEAM_MAX]
                [TEAM_MAX]; /* of the last step: round, worker, owner */
} test_team;

static inline test_team *team_new(const egc_method *method, size_t n_workers, const egc_unit *units,
                                  size_t n_units)
{
    test_team *team = calloc(1, sizeof *team);
    egc_error err = {0};
    size_t longest = 0;
    *team = (test_team){.method = *method,
                        .n_workers = n_workers,
                        .n_units = n_units,
                        .n_rounds = egc_round_plan_count(method)};
    for (size_t u = 0; u < n_units; u++) {
        team->n += units[u].count;
        longest = units[u].count > longest ? units[u].count : longest;
    }
    assert_ok(egc_workspace_new(longest, &team->workspace, &err), err);
    const egc_coder_config config = {
        .method = method,
        .momentum = 0.9,
        .n_workers = n_workers,
        .seed = 1,
        .units = units,
        .n_units = n_units,
        .workspace = team->workspace,
    };
    for (size_t w = 0; w < n_workers; w++) {
        assert_ok(egc_decoder_new(&config, &team->replica[w], &err), err);
        assert_ok(egc_encoder_new(&config, w, team->replica[w], &team->encoder[w], &err), err);
    }
    return team;
}

/* A worker alone with one unit of n elements. */
static inline test_team *team_of_one(const char *name, const char *settings, size_t n)
{
    const egc_unit unit = {.name = "x", .count = n};
    egc_method method = method_of(name, settings);
    return team_new(&method, 1, &unit, 1);
}

static inline void team_free(test_team *team)
{
    for (size_t w = 0; w < team->n_workers; w++) {
        egc_encoder_free(team->encoder[w]);
        egc_decoder_free(team->replica[w]);
    }
    for (size_t r = 0; r <= EGC_ROUNDS_MAX; r++)
        for (size_t w = 0; w < TEAM_MAX; w++)
            for (size_t o = 0; o < TEAM_MAX; o++)
                egc_buf_fini(&team->wire[r][w][o]);
    egc_workspace_free(team->workspace);
    free(team);
}

static inline void team_begin(test_team *team, size_t w, uint64_t step, double lr, const float *g)
{
    egc_error err = {0};
    egc_gradient_check check;
    const egc_step_input input = {.step = step, .lr = lr, .gradient = g};
    assert_ok(egc_encoder_step(team->encoder[w], &input, &check, &err), err);
}

static inline void team_speak(test_team *team, size_t round, size_t w)
{
    bool scatters = egc_round_plan_at(&team->method, round).kind == EGC_COLLECTIVE_ALLTOALL;
    for (size_t owner = 0; owner < (scatters ? team->n_workers : 1); owner++) {
        egc_error err = {0};
        egc_buf *wire = &team->wire[round][w][owner];
        egc_buf_clear(wire);
        assert_ok(egc_encoder_message(team->encoder[w], round, 0, team->n_units, owner, wire, &err),
                  err);
    }
}

/* What the exchange would give worker w, and what its replica makes of it. */
static inline egc_status team_listen(test_team *team, uint64_t step, size_t round, size_t w,
                                     float *average, egc_error *err)
{
    egc_round at = egc_round_plan_at(&team->method, round);
    size_t leader = step % team->n_workers, P = team->n_workers;
    egc_reader readers[TEAM_MAX];
    egc_buf sum = {0};
    egc_decoder_input delivery = {.step = step,
                                  .round = round,
                                  .count = team->n_units,
                                  .shard = w,
                                  .messages = readers,
                                  .n_messages = P};
    for (size_t from = 0; from < P; from++) {
        size_t owner = at.kind == EGC_COLLECTIVE_ALLTOALL ? w : 0;
        const egc_buf *wire = &team->wire[round][from][owner];
        readers[from] = egc_reader_of(wire->data, wire->len);
    }
    if (at.kind == EGC_COLLECTIVE_BROADCAST) {
        readers[0] = readers[leader];
        delivery.n_messages = 1;
    } else if (at.kind == EGC_COLLECTIVE_ALLREDUCE || (at.element && !team->gathers)) {
        egc_error none = {0};
        assert_ok(
            egc_buf_append(&sum, team->wire[round][0][0].data, team->wire[round][0][0].len, &none),
            none);
        for (size_t from = 1; from < P; from++) {
            assert_int_equal(team->wire[round][from][0].len, sum.len);
            egc_element_add(at.element, sum.data, team->wire[round][from][0].data,
                            sum.len / egc_element_bytes(at.element));
        }
        readers[0] = egc_reader_of(sum.data, sum.len);
        delivery.n_messages = 1;
        delivery.reduced = true;
    }
    egc_status status = egc_decoder_decode(team->replica[w], &delivery, average, err);
    egc_buf_fini(&sum);
    return status;
}

/* One whole step: gradients[w] is worker w's. Fills average, on which all replicas agree. */
static inline void team_step(test_team *team, uint64_t step, double lr, float *const *gradients,
                             float *average)
{
    float *other = calloc(team->n, sizeof *other);
    egc_error err = {0};
    for (size_t w = 0; w < team->n_workers; w++) {
        team_begin(team, w, step, lr, gradients[w]);
        team_speak(team, 0, w);
    }
    for (size_t round = 0; round < team->n_rounds; round++) {
        bool last = round + 1 == team->n_rounds;
        for (size_t w = 0; w < team->n_workers; w++) {
            float *out = !last ? NULL : w == 0 ? average : other;
            assert_ok(team_listen(team, step, round, w, out, &err), err);
            if (last && w > 0)
                assert_memory_equal(average, other, team->n * sizeof *average);
        }
        for (size_t w = 0; w < team->n_workers && !last; w++)
            team_speak(team, round + 1, w);
    }
    for (size_t w = 0; w < team->n_workers; w++)
        assert_ok(egc_encoder_finish(team->encoder[w], 0, team->n_units, &err), err);
    free(other);
}

#endif
