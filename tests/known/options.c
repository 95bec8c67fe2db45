/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of methods, worked out by hand. */
#include "support/inputs.h"
#include "support/method.h"
#include "support/team.h"
#include "support/test.h"

/* A method that makes sense. */
static egc_method checked(const char *name, const char *settings)
{
    egc_method method = method_of(name, settings);
    egc_error err = {0};
    assert_ok(egc_method_check(&method, &err), err);
    return method;
}

static const egc_unit one = {.name = "one", .count = 2};

/* threshold 2.5 of a residual that grows by 1 a step and decays by half: 1, 1.5, 1.75, ... never
 * gets there; without decay it does at the third step. */
static void options__residuals_decay(void **state)
{
    (void)state;
    egc_method method = checked("threshold", "tau=2.5;residual_decay=0.5");
    test_team *team = team_new(&method, 1, &one, 1);
    float g[2] = {1, 0}, average[2], *gradients[] = {g};
    const float want[] = {1, 1.5, 1.75};
    for (uint64_t step = 0; step < 3; step++) {
        team_step(team, step, NAN, gradients, average);
        assert_true(egc_encoder_residual(team->encoder[0])[0] == want[step] && average[0] == 0);
    }
    team_free(team);
}

/* A gradient of 1 that arose at a rate of 0.4 weighs 4 when it is applied at 0.1: residual and
 * velocity both. Momentum 0.9: u = 1, v = 1; then u = 0.9 * 4 + 1, v = 4 + u. */
static void options__rescaling_applies_at_the_rate_of_origin(void **state)
{
    (void)state;
    float g[2] = {1, 0}, average[2], *gradients[] = {g};
    egc_method method = checked("threshold", "tau=100;residual_lr=rescale");
    test_team *team = team_new(&method, 1, &one, 1);
    team_step(team, 0, 0.4, gradients, average);
    team_step(team, 1, 0.1, gradients, average);
    assert_close((double)egc_encoder_residual(team->encoder[0])[0], 5, 1e-6);
    team_free(team);

    method = checked("threshold", "tau=100;memory=momentum;residual_lr=rescale");
    team = team_new(&method, 1, &one, 1);
    team_step(team, 0, 0.4, gradients, average);
    team_step(team, 1, 0.1, gradients, average);
    assert_close((double)egc_encoder_velocity(team->encoder[0])[0], 4.6, 1e-6);
    assert_close((double)egc_encoder_residual(team->encoder[0])[0], 8.6, 1e-6);
    team_free(team);
}

/* Element correction: an element that waited tau steps is sent times c(tau), and its residual is
 * empty afterwards. With m = 0.9 and g = 1 the residual after 2 steps is 1 + 1.9 = 2.9, above 2;
 * c(2) = 6.896..., and 2.9 c(2) = 20: what momentum SGD would have moved in 2 steps. */
static void options__elements_are_corrected_by_their_wait(void **state)
{
    (void)state;
    egc_method method = checked("threshold", "tau=2;memory=momentum;lr_correction=element");
    test_team *team = team_new(&method, 1, &one, 1);
    float g[2] = {1, 3}, average[2], *gradients[] = {g};
    team_step(team, 0, NAN, gradients, average);
    assert_true(average[0] == 0);
    assert_close((double)average[1], 30, 1e-6); /* sent at once: c(1) = 10 */
    team_step(team, 1, NAN, gradients, average);
    assert_close((double)average[0], 20, 1e-6);
    assert_true(fabs((double)egc_encoder_residual(team->encoder[0])[0]) < 1e-6);
    assert_true(egc_encoder_velocity(team->encoder[0])[0] == 0);
    team_free(team);
}

/* Warm-up to 0.001 in 50 steps. Exponential: 0.001^(1/6) = .3162, .1, .0316, .01, .00316. */
static void options__warmup_schedules(void **state)
{
    (void)state;
    egc_method method = checked("topk", "ratio=0.001;warmup=50;warmup_schedule=exponential");
    for (uint64_t step = 0; step < 60; step++) {
        double e = step < 50 ? 1 + (double)(step / 10) : 6;
        assert_close(egc_method_density(&method, step), pow(10, -e / 2), 1e-12);
    }
}

/* Biases go dense, and what is dense is exact; matrices are compressed. */
static void options__vectors_may_go_dense(void **state)
{
    (void)state;
    const egc_unit units[] = {{.name = "w", .count = 6, .rows = 2},
                              {.name = "b", .first = 6, .count = 3}};
    egc_method method = checked("topk", "ratio=0.01;dense_vectors=true");
    test_team *team = team_new(&method, 1, units, 2);
    float g[9] = {1, 2, 3, 4, 5, -6, 7, 8, 9}, average[9], *gradients[] = {g};
    team_step(team, 0, NAN, gradients, average);
    const float want[9] = {0, 0, 0, 0, 0, -6, 7, 8, 9};
    assert_memory_equal(average, want, sizeof want);
    assert_int_equal(egc_encoder_encoding(team->encoder[0], 1)->wire_bytes, 12);
    team_free(team);
}

/* EF21 with top-1 of a constant gradient: h takes in one element a step, and what is applied is h
 * whole. */
static void options__ef21_by_hand(void **state)
{
    (void)state;
    egc_method method = checked("topk", "ratio=0.5;memory=ef21");
    test_team *team = team_new(&method, 1, &one, 1);
    float g[2] = {1, -4}, average[2], *gradients[] = {g};
    team_step(team, 0, NAN, gradients, average);
    assert_true(average[0] == 0 && average[1] == -4);
    team_step(team, 1, NAN, gradients, average);
    assert_true(average[0] == 1 && average[1] == -4);
    team_free(team);
}

/* low_pass = 0.25 and nothing sent of the first element: e = 0.25, then 0.75 * 0.25 + 0.25 * 1.25.
 */
static void options__low_pass_by_hand(void **state)
{
    (void)state;
    egc_method method = checked("topk", "ratio=0.5;memory=lowpass;low_pass=0.25");
    test_team *team = team_new(&method, 1, &one, 1);
    float g[2] = {1, -4}, average[2], *gradients[] = {g};
    const float want[] = {0.25, 0.5};
    for (uint64_t step = 0; step < 2; step++) {
        team_step(team, step, NAN, gradients, average);
        assert_true(average[0] == 0 && average[1] == -4);
        assert_true(egc_encoder_residual(team->encoder[0])[0] == want[step]);
        assert_true(egc_encoder_residual(team->encoder[0])[1] == 0);
    }
    team_free(team);
}

/* The entropy coder changes bytes and nothing else. */
static void options__entropy_coding_is_lossless(void **state)
{
    (void)state;
    enum { N = 5000 };
    const egc_unit unit = {.name = "u", .count = N};
    static float g[2][N], plain[N], coded[N];
    float *gradients[] = {g[0], g[1]};
    fill_input(g[0], N, GAUSSIAN, 1);
    fill_input(g[1], N, HEAVY_TAIL, 2);
    egc_method without = checked("topk", "ratio=0.1"), with = without;
    with.options.entropy = EGC_ENTROPY_RANGE;
    test_team *a = team_new(&without, 2, &unit, 1), *b = team_new(&with, 2, &unit, 1);
    team_step(a, 0, NAN, gradients, plain);
    team_step(b, 0, NAN, gradients, coded);
    assert_memory_equal(plain, coded, sizeof plain);
    assert_true(b->wire[0][0][0].len < a->wire[0][0][0].len); /* exponents repeat */
    team_free(a);
    team_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options__residuals_decay),
        cmocka_unit_test(options__rescaling_applies_at_the_rate_of_origin),
        cmocka_unit_test(options__elements_are_corrected_by_their_wait),
        cmocka_unit_test(options__warmup_schedules),
        cmocka_unit_test(options__vectors_may_go_dense),
        cmocka_unit_test(options__ef21_by_hand),
        cmocka_unit_test(options__low_pass_by_hand),
        cmocka_unit_test(options__entropy_coding_is_lossless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
