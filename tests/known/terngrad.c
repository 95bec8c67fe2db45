/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TernGrad: unbiased for the clipped vector, and of equal elements. */
#include "support/all_draws.h"
#include "support/inputs.h"

enum { N = 256 };

static float clipped(float x, double limit)
{
    return (double)x > limit ? (float)limit : (double)x < -limit ? (float)-limit : x;
}

/* Unbiased without clipping; with clipping, of the clipped vector, which is not x: that is why the
 * type does not promise it. The variance is sum |c| (s - |c|). */
static void terngrad__is_unbiased_for_what_it_clips(void **state)
{
    (void)state;
    const char *settings[] = {"clip=0", "clip=0;code=bits", "", "clip=1"};
    const double clips[] = {INFINITY, INFINITY, 2.5, 1};
    float x[N], want[N];
    moments m[N];
    coder type = coder_open("terngrad", "", 1, 0);
    assert_false(type.type->traits & EGC_TRAIT_UNBIASED);
    coder_close(&type);
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
        for (int family = 0; family < N_FAMILIES; family++) {
            fill_input(x, N, family, 7);
            double mean = 0, sd = 0, largest = 0, want_variance = 0, variance = 0;
            for (size_t i = 0; i < N; i++)
                mean += (double)x[i] / N;
            for (size_t i = 0; i < N; i++)
                sd += ((double)x[i] - mean) * ((double)x[i] - mean) / N;
            for (size_t i = 0; i < N; i++) {
                want[i] = sd > 0 ? clipped(x[i], clips[s] * sqrt(sd)) : x[i];
                largest = fmax(largest, fabs((double)want[i]));
            }
            moments_of("terngrad", settings[s], x, N, m);
            for (size_t i = 0; i < N; i++) {
                double c = fabs((double)want[i]);
                assert_true(fabs(m[i].mean - (double)want[i]) <= largest / DRAWS + 1e-6 * c);
                want_variance += c * (largest - c);
                variance += m[i].second - m[i].mean * m[i].mean;
            }
            assert_true(fabs(variance - want_variance) <=
                        0.01 * want_variance + N * largest * largest / DRAWS);
        }
    fill_input(x, N, HEAVY_TAIL, 7);
    moments_of("terngrad", "", x, N, m);
    double off = 0;
    for (size_t i = 0; i < N; i++)
        off = fmax(off, fabs(m[i].mean - (double)x[i]));
    assert_true(off > 0.1 * (double)egc_kernels_get()->max_abs(x, N));
}

/* Elements that are all equal have no deviation, and nothing to be clipped by. */
static void terngrad__of_equal_elements(void **state)
{
    (void)state;
    float x[33], out[33];
    for (size_t n = 1; n <= 33; n += 16) {
        for (size_t i = 0; i < n; i++)
            x[i] = -0.1f;
        coder c = coder_open("terngrad", "", n, 0);
        coder_round_trip(&c, x, 0, out);
        assert_memory_equal(out, x, n * sizeof *x);
        coder_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terngrad__is_unbiased_for_what_it_clips),
        cmocka_unit_test(terngrad__of_equal_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
