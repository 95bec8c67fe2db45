/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every method inside the simulation: with its real rounds over real exchanges it learns what the
 * same method learns when its rounds are played by hand, sends as many bytes, and takes the time
 * that its exchanges take. */
#include "exchange/tuning.h"
#include "support/team.h"
#include "train/quadratic.h"

enum { P = 4, STEPS = 6 };
static const egc_unit units[] = {{.name = "small", .count = SMALL},
                                 {.name = "large", .first = SMALL, .count = LARGE, .rows = ROWS}};

/* Momentum SGD, and momentum in the memory where the method has it there, by hand. */
static void train_by_hand(const egc_method *method, float *x, double *bytes)
{
    static float g[P][N], average[N], b[N];
    float *gradients[P] = {g[0], g[1], g[2], g[3]};
    double loss;
    egc_error err;
    test_team *team = team_new(method, P, units, 2);
    float momentum = egc_method_has_momentum(method) ? 0 : 0.5f;
    memset(x, 0, N * sizeof *x);
    memset(b, 0, sizeof b);
    *bytes = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        for (size_t w = 0; w < P; w++)
            assert_int_equal(gradient(NULL, step, w, x, g[w], &loss, &err), EGC_OK);
        team_step(team, step, 0.05, gradients, average);
        for (size_t i = 0; i < N; i++) {
            b[i] = momentum * b[i] + average[i];
            x[i] -= 0.05f * b[i];
        }
        for (size_t r = 0; r < team->n_rounds; r++)
            for (size_t w = 0; w < P; w++)
                for (size_t owner = 0; owner < P; owner++)
                    *bytes += (double)team->wire[r][w][owner].len / P / STEPS;
    }
    team_free(team);
}

static void check_method(const char *name)
{
    static float x[N];
    double bytes, sum = 0, scale = 0;
    egc_train_config config = config_of(&closed, name, P, STEPS);
    config.method.options.momentum = 0.9;                      /* the team's */
    config.method.options.granularity = EGC_GRANULARITY_LAYER; /* so are the team's units */
    train_by_hand(&config.method, x, &bytes);
    const result *r = run(&config);
    if (r->status)
        fail_msg("%s: %s", name, r->err.message);
    for (size_t i = 0; i < N; i++) {
        sum += (double)x[i];
        scale += fabs((double)x[i]);
    }
    /* sums are made in another order round the ring, which halves feel */
    egc_element element = egc_round_plan_at(&config.method, 0).element;
    bool halves = element == EGC_ELEMENT_FP16 || element == EGC_ELEMENT_BF16;
    if (!(fabs(r->summary.metrics.test_loss - sum) <= (halves ? 1e-3 : 1e-5) * scale))
        fail_msg("%s: %.9g learnt in the simulation, %.9g by hand", name,
                 r->summary.metrics.test_loss, sum);
    assert_close(r->summary.metrics.sent_bytes, bytes, 1e-12);
    assert_true(isfinite(r->summary.metrics.rel_error) && r->summary.metrics.sent_bytes > 0);
}

static void methods__simulated_rounds_are_the_real_ones(void **state)
{
    (void)state;
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++)
        check_method((*type)->name);
    for (const egc_method_preset *const *preset = egc_method_presets(); *preset; preset++)
        check_method((*preset)->name);
}

/* Without computation a step takes what its exchanges take, one after the other: PowerSGD two sums
 * of rank times rows and columns (and the dense vector with the second), CLT-k a broadcast and a
 * sum, a vote an all-to-all and a gathering. */
static double closed_form(const egc_train_config *config, const char *exchange, double n)
{
    const egc_exchange_type *type;
    const egc_cluster_common *common = config->cluster_params;
    egc_error err;
    assert_ok(egc_exchange_find(exchange, &type, &err), err);
    return egc_tuning_closed_form(type, P, n, common->latency_s, 1 / common->bandwidth_Bps, 0);
}

static void methods__rounds_take_their_time(void **state)
{
    (void)state;
    const double columns = (double)LARGE / ROWS;
    forward_s = backward_s = 0;
    egc_train_config config = config_of(&closed, "powersgd", P, 2);
    set(&config, "rank", "4"); /* so that every chunk is as long */
    const result *r = run(&config);
    assert_int_equal(r->status, EGC_OK);
    assert_close(r->summary.metrics.step_s,
                 closed_form(&config, "rabenseifner", 4 * 4 * ROWS) +
                     closed_form(&config, "rabenseifner", 4 * (4 * columns + SMALL)),
                 1e-3);
    assert_string_equal(r->summary.exchange, "rabenseifner");

    config = config_of(&closed, "signsgd", P, 2);
    r = run(&config);
    double shards = 0; /* of each owner: bits of both units, behind a fingerprint */
    shards = 2 + (SMALL / P + 7) / 8 + (LARGE / P + 7) / 8;
    assert_close(r->summary.metrics.step_s,
                 closed_form(&config, "alltoall", P * shards) +
                     closed_form(&config, "allgather-rd", shards),
                 0.02); /* the gathering's own framing */
    assert_string_equal(r->summary.exchange, "alltoall+allgather-rd");

    config = config_of(&closed, "cltk", P, 2);
    r = run(&config);
    double values = 1 + 9; /* 1 % of each */
    double indices = r->summary.metrics.sent_bytes * P - 4 * values * P;
    assert_close(r->summary.metrics.step_s,
                 closed_form(&config, "broadcast-tree", indices) +
                     closed_form(&config, "rabenseifner", 4 * values),
                 1e-3);
    assert_string_equal(r->summary.exchange, "broadcast-tree+rabenseifner");
    forward_s = 0.001, backward_s = 0.002;
}

/* An exchange that is named carries the rounds it can. */
static void methods__named_exchanges_carry_what_they_can(void **state)
{
    (void)state;
    egc_error err = {0};
    egc_train_config config = config_of(&closed, "signsgd", P, 2);
    assert_ok(egc_exchange_find("allgather-ring", &config.exchange, &err), err);
    const result *r = run(&config);
    assert_int_equal(r->status, EGC_OK);
    assert_string_equal(r->summary.exchange, "alltoall+allgather-ring");
    assert_ok(egc_exchange_find("ring", &config.exchange, &err), err);
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "exchange: ring sums messages, which suits no round of method signsgd; use auto "
                 "(here alltoall+allgather-rd)");
}

/* A sum beyond the largest half is reported with what helps, and division before the sum helps. */
static void methods__halves_overflow_loudly(void **state)
{
    (void)state;
    egc_error err = {0};
    static float g[2][N], average[N];
    float *gradients[] = {g[0], g[1]};
    g[0][3] = g[1][3] = 40000;
    egc_method method;
    assert_ok(egc_method_init(&method, "fp16", &err), err);
    test_team *team = team_new(&method, 2, units, 2);
    for (size_t w = 0; w < 2; w++) {
        team_begin(team, w, 0, NAN, g[w]);
        team_speak(team, 0, w);
    }
    assert_fails(team_listen(team, 0, 0, 0, average, &err), err, EGC_ERROR_NONFINITE,
                 "small: the sum over 2 workers is too large for the elements it is made in; use "
                 "predivide = true, value = \"bf16\" or clip");
    team_free(team);
    method.options.predivide = true;
    team = team_new(&method, 2, units, 2);
    team_step(team, 0, NAN, gradients, average);
    assert_true(average[3] == 40000);
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods__simulated_rounds_are_the_real_ones),
        cmocka_unit_test(methods__rounds_take_their_time),
        cmocka_unit_test(methods__named_exchanges_carry_what_they_can),
        cmocka_unit_test(methods__halves_overflow_loudly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
