/* SPDX-License-Identifier: GPL-3.0-or-later */
/* INCEPTIONN keeps its error bound, at every border of its classes. */
#include "support/coder.h"

static void assert_within(coder *c, double error, const float *x, size_t n)
{
    float out[4096];
    coder_round_trip(c, x, 0, out);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)out[i] - (double)x[i]) <= error))
            fail_msg("%g decodes to %g, error %g", (double)x[i], (double)out[i], error);
}

/* No element is off by more than `error`: floats of every magnitude, and those around the borders
 * of the classes. Public code decodes 8-bit values below 2^-6 to 2^-7. */
static void inceptionn__keeps_its_bound(void **state)
{
    (void)state;
    const char *settings[] = {"",         "error=0.001", "error=3e-7", "error=1e-30",
                              "error=17", "error=1e30"};
    const double errors[] = {0x1p-10, 0.001, 3e-7, 1e-30, 17, 1e30};
    static float x[4096];
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        coder c = coder_open("inceptionn", settings[s], 4096, 0);
        size_t n = 0;
        for (uint32_t bits = 0; bits < 0x7f800000; bits += 7919 * 16) { /* about 16,800 */
            memcpy(&x[n++], &bits, sizeof bits);
            x[n - 1] *= n % 2 ? -1 : 1;
            if (n == 4096) {
                assert_within(&c, errors[s], x, n);
                n = 0;
            }
        }
        double step = pow(2, floor(log2(2 * errors[s])));
        const double borders[] = {0.5, 1, 128, 128.5, 129, 32895.5, 32896, 32896.5, 32897};
        for (size_t b = 0; b < sizeof borders / sizeof *borders; b++) {
            float border = (float)(borders[b] * step);
            const float around[] = {border, -border, nextafterf(border, 0),
                                    nextafterf(border, INFINITY)};
            memcpy(x + n, around, sizeof around);
            n += 4;
        }
        memset(x + n, 0, (4096 - n) * sizeof *x);
        assert_within(&c, errors[s], x, 4096);
        coder_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inceptionn__keeps_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
