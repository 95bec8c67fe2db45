/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AdaComp's bins by hand, and those of zeros. */
#include "support/select.h"

static void adacomp__by_hand(void **state)
{
    (void)state;
    const float x[] = {4, -3, 1, 0, 2, -2}, g[] = {1, -1.5f, 1, 0, 0, 0.5f},
                twice[] = {0.5f, -0.75f, 0.5f, 0, 0, 0.25f};
    egc_method method = method_of("adacomp", "bin=3");
    egc_selection s = run(&method, (call){.gradient = g, .scale = 1}, x, 6);
    check_chosen(&s, (const uint32_t[]){0, 1, 4}, 3, "adacomp");
    assert_true(s.value[0] == 3 && s.value[1] == -3 && s.value[2] == 3);
    release(&s);
    /* the memory took in twice this gradient: the same again */
    s = run(&method, (call){.gradient = twice, .scale = 2}, x, 6);
    check_chosen(&s, (const uint32_t[]){0, 1, 4}, 3, "adacomp, scaled");
    release(&s);
    /* without a gradient: the largest of each bin, both of them where they are equal */
    s = run(&method, (call){.scale = 1}, x, 6);
    check_chosen(&s, (const uint32_t[]){0, 4, 5}, 3, "adacomp without gradient");
    assert_true(s.value[2] == -3);
    release(&s);
}

/* Zeros are as large as the largest of a bin of zeros, and would all be sent; an element of 0 that
 * its gradient would make the largest has no sign to send. The last bin may be short. */
static void adacomp__bins_of_zeros(void **state)
{
    (void)state;
    const float x[] = {0, 0, 0, 0, 6, -2, 1.5f}, g[] = {0, 1, 0, 9, 0, -4, 0};
    egc_method method = method_of("adacomp", "bin=3");
    egc_selection s = run(&method, (call){.gradient = g, .scale = 1}, x, 7);
    check_chosen(&s, (const uint32_t[]){4, 5, 6}, 3, "adacomp");
    assert_true(s.value[0] == 2.5f && s.value[1] == -2.5f && s.value[2] == 2.5f); /* (0+6+1.5)/3 */
    release(&s);
    const float zeros[10] = {0}, one[] = {-4};
    assert_none("adacomp", "bin=3", zeros, 10);
    assert_all("adacomp", "", one, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adacomp__by_hand),
        cmocka_unit_test(adacomp__bins_of_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
