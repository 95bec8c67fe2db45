/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dryden's two sides by hand and by sorting. */
#include <stdlib.h>

#include "support/select.h"

static void dryden__by_hand(void **state)
{
    (void)state;
    const float x[] = {4, -1, 2, -3, 1, 0};
    assert_chooses("dryden", "ratio=0.5", x, 0, 3);
    assert_chooses("dryden", "ratio=0.7", x, 0, 2, 3); /* floor(2.1) and floor(1.4) */
    assert_chooses("dryden", "ratio=1", x, 0, 1, 2, 3, 4);
    const float negative[] = {-1, -2, -2, -2}, zeros[4] = {0}, one[] = {-1};
    assert_chooses("dryden", "ratio=0.5", negative, 1, 2);
    assert_none("dryden", "", zeros, 4);
    assert_all("dryden", "", one, 1);
    egc_method method = method_of("dryden", "");
    assert_string_equal(egc_codec_value_types()[method.options.value]->name, "sign_mean");
}

/* Either side against a sort. */
static void dryden__sides_are_exact(void **state)
{
    (void)state;
    float x[1023], side[1023];
    egc_method method = method_of("dryden", "ratio=0.1");
    for (int family = 0; family < N_FAMILIES; family++) {
        fill_input(x, 1023, family, 37);
        egc_selection s = run(&method, (call){0}, x, 1023);
        for (int negative = 0; negative < 2; negative++) {
            size_t n = 0, chosen = 0;
            for (int i = 0; i < 1023; i++)
                if (negative ? x[i] < 0 : x[i] > 0)
                    side[n++] = x[i];
            qsort(side, n, sizeof *side, larger_first);
            size_t k = n ? (size_t)fmax(1, floor(0.1 * (double)n)) : 0;
            for (size_t i = 0; i < s.count; i++)
                if (negative ? x[s.index[i]] < 0 : x[s.index[i]] > 0) {
                    chosen++;
                    assert_true(fabsf(x[s.index[i]]) >= fabsf(side[k - 1]));
                }
            assert_int_equal(chosen, k);
        }
        release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dryden__by_hand),
        cmocka_unit_test(dryden__sides_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
