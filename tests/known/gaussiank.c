/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gaussian-k by hand and on Gaussian data. */
#include <stdlib.h>

#include "support/select.h"

static void gaussiank__by_hand(void **state)
{
    (void)state;
    const float x[] = {3, -1, 1, -3};
    assert_chooses("gaussiank", "ratio=0.5", x, 0, 3);
    /* mu = 1.36, sd = 1.91 and t = 3.81 has 2 above it, more than 4/3 of k = 1; 1.5 t has none, and
     * 0.75 t = 2.86 is the last */
    const float rounds[] = {0, 0, 0, 4, 0, 2.9f, 4, 0};
    assert_chooses("gaussiank", "ratio=0.2", rounds, 3, 5, 6);
    const float below[] = {0, 0, 0, 4, 0, 2.7f, 4, 0};
    assert_chooses("gaussiank", "ratio=0.2", below, 3, 6);
}

/* Within [2k/3, 4k/3] on what it was made for. */
static void gaussiank__on_gaussian_data(void **state)
{
    (void)state;
    const double ratios[] = {0.3, 0.01, 0.001};
    for (uint64_t seed = 0; seed < 3; seed++) {
        float *x = gaussian(1000000, 10 + seed);
        for (int r = 0; r < 3; r++) {
            char settings[32];
            snprintf(settings, sizeof settings, "ratio=%g", ratios[r]);
            double k = ratios[r] * 1e6, count = (double)count_of("gaussiank", settings, x, 1000000);
            assert_true(3 * count >= 2 * k && 3 * count <= 4 * k);
        }
        free(x);
    }
}

/* One element has no deviation: in public code its NaN made every comparison false, for ever. Equal
 * magnitudes have none either: all are sent. Heavy tails keep something. -x is treated as x is. */
static void gaussiank__without_deviation(void **state)
{
    (void)state;
    const float one[] = {-2.5f}, equal[] = {7, 7, 7, 7, 7}, zeros[3] = {0};
    assert_all("gaussiank", "", one, 1);
    assert_all("gaussiank", "", equal, 5);
    assert_none("gaussiank", "", zeros, 3);
    float spike[1000] = {0}, x[1000], negative[1000];
    spike[77] = -1e38f;
    assert_chooses("gaussiank", "", spike, 77);
    float *noise = gaussian(1000, 6);
    for (int i = 0; i < 1000; i++) {
        x[i] = 0.5e-3f + noise[i];
        negative[i] = -x[i];
    }
    egc_method method = method_of("gaussiank", "");
    egc_selection a = run(&method, (call){0}, x, 1000), b = run(&method, (call){0}, negative, 1000);
    assert_same(&a, &b);
    release(&a), release(&b);
    free(noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussiank__by_hand),
        cmocka_unit_test(gaussiank__on_gaussian_data),
        cmocka_unit_test(gaussiank__without_deviation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
