/* SPDX-License-Identifier: GPL-3.0-or-later */
/* QSGD: unbiased within the paper's variance, levels within bounds, two codes of the same. */
#include <float.h>

#include "support/all_draws.h"
#include "support/inputs.h"

enum { BUCKET = 128, N = 2 * BUCKET };

/* The mean is x, and the variance of each bucket of d elements stays below the paper's min(d/s^2,
 * sqrt(d)/s) ||x||^2. */
static void qsgd__is_unbiased(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double levels;
        bool l2;
    } rows[] = {
        {"", 127, true},
        {"levels=1", 1, true},
        {"levels=16;code=elias", 16, true},
        {"levels=5;norm=max", 5, false},
    };
    float x[N];
    moments m[N];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int family = 0; family < N_FAMILIES; family++) {
            fill_input(x, N, family, 7);
            moments_of("qsgd", rows[r].settings, x, N, m);
            for (size_t start = 0; start < N; start += BUCKET) {
                double norm2 = egc_kernels_get()->norm2(x + start, BUCKET), variance = 0, s;
                double max = (double)egc_kernels_get()->max_abs(x + start, BUCKET);
                double step = (rows[r].l2 ? sqrt(norm2) : max) / rows[r].levels;
                for (size_t i = start; i < start + BUCKET; i++) {
                    assert_true(fabs(m[i].mean - (double)x[i]) <=
                                step / DRAWS + 1e-6 * fabs((double)x[i]) + (double)FLT_TRUE_MIN);
                    variance += m[i].error2;
                }
                s = rows[r].levels;
                double bound = rows[r].l2 ? fmin(BUCKET / (s * s), sqrt((double)BUCKET) / s) * norm2
                                          : BUCKET * step * step / 4;
                assert_true(variance <= bound * 1.001);
            }
        }
}

/* Public code divides by the norm of an empty bucket and sends what NaN is as an integer. */
static void qsgd__of_zeros(void **state)
{
    (void)state;
    float x[300] = {0}, out[300];
    const char *settings[] = {"", "norm=max", "code=elias", "bucket=0"};
    x[299] = -0.0f;
    x[0] = 1;
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        coder c = coder_open("qsgd", settings[s], 300, 0);
        coder_round_trip(&c, x, 0, out);
        assert_close((double)out[0], 1, 1e-6);
        for (size_t i = 1; i < 300; i++)
            assert_true(out[i] == 0);
        coder_close(&c);
    }
}

/* N is never below an element, so that no level is above s, and elements of which no float can hold
 * the norm survive. */
static void qsgd__levels_stay_within(void **state)
{
    (void)state;
    float x[BUCKET], out[BUCKET];
    uint64_t random = 5;
    for (int round = 0; round < 2000; round++) {
        size_t n = 1 + round % 3;
        for (size_t i = 0; i < n; i++) {
            uint32_t bits = (uint32_t)egc_rng_next(&random) & 0x7fffffff;
            memcpy(&x[i], &bits, sizeof bits);
            if (!isfinite(x[i]) || i)
                x[i] = i ? 0 : FLT_MAX;
        }
        coder c = coder_open("qsgd", "levels=1", n, 0);
        coder_round_trip(&c, x, 0, out); /* FORMAT if a level were above 1 */
        assert_close((double)out[0], (double)x[0], 1e-6);
        coder_close(&c);
    }
    for (size_t i = 0; i < BUCKET; i++)
        x[i] = i % 2 ? FLT_MAX : -FLT_MAX;
    coder c = coder_open("qsgd", "", BUCKET, 0);
    coder_round_trip(&c, x, 0, out);
    assert_memory_equal(out, x, sizeof x);
    coder_close(&c);
}

/* Both codes carry the same levels. */
static void qsgd__codes_agree(void **state)
{
    (void)state;
    float x[1023], packed[1023], elias[1023];
    for (int family = 0; family < N_FAMILIES; family++) {
        fill_input(x, 1023, family, 9);
        coder a = coder_open("qsgd", "levels=300;bucket=100", 1023, 0);
        coder b = coder_open("qsgd", "levels=300;bucket=100;code=elias", 1023, 0);
        gsl_rng_set(a.rng, 1);
        gsl_rng_set(b.rng, 1);
        coder_round_trip(&a, x, 0, packed);
        coder_round_trip(&b, x, 0, elias);
        for (size_t i = 0; i < 1023; i++)
            assert_true(packed[i] == elias[i]);
        coder_close(&a);
        coder_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qsgd__is_unbiased),
        cmocka_unit_test(qsgd__of_zeros),
        cmocka_unit_test(qsgd__levels_stay_within),
        cmocka_unit_test(qsgd__codes_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
