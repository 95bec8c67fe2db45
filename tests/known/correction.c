/* SPDX-License-Identifier: GPL-3.0-or-later */
/* c(tau): the values that follow from its formula, worked out in decimal, and the property it was
 * derived from: with it, a constant gradient moves a weight as far as uncompressed momentum SGD. */
#include "support/test.h"

#include "compressors/core/method.h"

static void correction__known_values(void **state)
{
    (void)state;
    const double answers[][2] = {{1, 10}, {2, 6.8966}, {10, 2.4166}, {100, 1.0989}, {1000, 1.0091}};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        assert_true(fabs(egc_method_correction_factor(0.9, answers[i][0]) - answers[i][1]) <= 5e-5);
    assert_true(egc_method_correction_factor(0, 7) == 1);
}

/* g = 1 at every step, sent every tau steps with masking: each send carries
 * sum_{j=1..tau} (1 - m^j)/(1 - m), where momentum SGD would have moved tau/(1 - m). */
static void correction__restores_the_gain_of_momentum(void **state)
{
    (void)state;
    const double m = 0.9;
    for (int tau = 1; tau <= 500; tau += 7) {
        double u = 0, v = 0;
        for (int j = 0; j < tau; j++)
            v += u = m * u + 1;
        assert_close(egc_method_correction_factor(m, tau) * v, tau / (1 - m), 1e-12);
    }
}

static void correction__ladder_of_warmup(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    assert_ok(egc_method_init(&method, "dgc", &err), err);
    method.options.warmup = 50;
    const double rungs[] = {0.25, 0.0625, 0.015625, 0.00390625, 0.001};
    for (uint64_t step = 0; step < 60; step++)
        assert_close(egc_method_density(&method, step), rungs[step < 50 ? step / 10 : 4], 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correction__known_values),
        cmocka_unit_test(correction__restores_the_gain_of_momentum),
        cmocka_unit_test(correction__ladder_of_warmup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
