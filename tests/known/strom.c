/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixed thresholds, plain and Strom's. */
#include "support/select.h"

/* The magnitude counts. Public code took the minimum of tau and the signed maximum, so that a
 * vector of negative elements was sent whole. */
static void strom__threshold_of_negative_elements(void **state)
{
    (void)state;
    const float x[] = {-0.5f, -2, -0.25f, -1};
    assert_chooses("threshold", "tau=0.75", x, 1, 3);
    assert_chooses("threshold", "tau=1", x, 1); /* strictly above */
    assert_none("threshold", "tau=3", x, 4);
}

static void strom__by_hand(void **state)
{
    (void)state;
    const float x[] = {0.7f, -2, 0.5f, -0.4f};
    assert_chooses("strom", "tau=0.5", x, 0, 1);
    egc_method method = method_of("strom", "tau=0.5");
    egc_selection s = run(&method, (call){0}, x, 4);
    assert_true(s.value[0] == 0.5f && s.value[1] == -0.5f);
    release(&s);
}

/* At most one tau a step, with plain error feedback around: 2.6 is sent as 1, 1 and keeps 0.6, and
 * a gradient of 2 tau a step outgrows what is sent. */
static void strom__sends_one_tau_a_step(void **state)
{
    (void)state;
    egc_method method = method_of("strom", "tau=1");
    float residual[2] = {2.5f, 0};
    for (uint64_t step = 0; step < 4; step++) {
        residual[1] += 2;
        egc_selection s = run(&method, (call){.step = step}, residual, 2);
        for (size_t i = 0; i < s.count; i++)
            residual[s.index[i]] -= s.value[i];
        release(&s);
    }
    assert_true(residual[0] == 0.5f && residual[1] == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strom__threshold_of_negative_elements),
        cmocka_unit_test(strom__by_hand),
        cmocka_unit_test(strom__sends_one_tau_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
