/* SPDX-License-Identifier: GPL-3.0-or-later */
/* residual_norm of messages that are not merged: 0 without error feedback, whatever they leave out,
 * and with it, in the first step, the part of the gradient that they leave out. */
#include "train/quadratic.h"

enum { WORKERS = 3, STEPS = 4 };

/* One sparse method in one round and in several, and dense ones: coded by value, by the compressor,
 * and reconstructed after several rounds. */
static const struct row {
    const char *method;
    double first_error; /* rel_error of the first step is at least this */
} rows[] = {
    {"topk", 0.1},  {"cltk", 0.1},     {"fp16", 0},
    {"qsgd", 1e-3}, {"terngrad", 0.1}, {"powersgd", 1e-9},
};

static void residual__none_without_error_feedback(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        egc_train_config config = config_of(&closed, rows[i].method, WORKERS, STEPS);
        set(&config, "memory", "none");
        config.options.layers = true;
        const result *r = run(&config);
        if (r->status)
            fail_msg("%s: %s", rows[i].method, r->err.message);
        for (int step = 0; step < STEPS; step++)
            if (r->step[step].residual_norm != 0)
                fail_msg("%s: residual_norm %g", rows[i].method, r->step[step].residual_norm);
        assert_true(r->step[0].rel_error >= rows[i].first_error);
        assert_true(r->step[STEPS - 1].rel_error > 0);
        assert_true(r->largest_residual_norm == 0 && r->units > 0);
    }
}

/* The input of the first step is the gradient, of which the residual is the error. */
static void residual__the_error_with_error_feedback(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        egc_train_config config = config_of(&closed, rows[i].method, WORKERS, 1);
        set(&config, "memory", "residual");
        config.options.layers = true;
        const result *r = run(&config);
        if (r->status)
            fail_msg("%s: %s", rows[i].method, r->err.message);
        assert_true(r->step[0].residual_norm >= rows[i].first_error);
        if (fabs(r->step[0].residual_norm - r->step[0].rel_error) > 1e-9)
            fail_msg("%s: residual_norm %g, rel_error %g", rows[i].method, r->step[0].residual_norm,
                     r->step[0].rel_error);
        assert_true(r->largest_residual_norm >= r->step[0].residual_norm);
    }
}

/* The 2 largest of targets 1 ... 17 sixteenths, in turn, times the worker's number: sums of squares
 * by hand. One unit, so that the numbers are those of the whole vector. */
static void residual__topk_by_hand(void **state)
{
    (void)state;
    egc_train_config config = config_of(&closed, "topk", WORKERS, 1);
    set(&config, "memory", "residual");
    set(&config, "granularity", "model");
    set(&config, "ratio", "0.058"); /* 58 of 1000 elements: those with i % 17 == 16 */
    const result *r = run(&config);
    double all = 0, left = 0;
    for (size_t i = 0; i < N; i++) {
        double square = (double)(i % 17 + 1) * (double)(i % 17 + 1);
        all += square;
        left += i % 17 == 16 ? 0 : square;
    }
    assert_int_equal(r->status, EGC_OK);
    assert_true(r->step[0].density == 0.058);
    assert_close(r->step[0].residual_norm, sqrt(left / all), 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual__none_without_error_feedback),
        cmocka_unit_test(residual__the_error_with_error_feedback),
        cmocka_unit_test(residual__topk_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
