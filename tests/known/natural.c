/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Natural compression: unbiased at every magnitude but the last. */
#include <float.h>

#include "support/all_draws.h"

/* From the smallest float to 2^127: the mean is x; from 2^-126 on, the second moment is at most
 * 9/8 x^2. Public code clamps exponents to -109..18. */
static void natural__is_unbiased_at_every_magnitude(void **state)
{
    (void)state;
    enum { MAGNITUDES = 277 * 4 };
    static float x[MAGNITUDES];
    static moments m[MAGNITUDES];
    size_t n = 0;
    for (int exponent = -149; exponent < 127; exponent++)
        for (int part = 0; part < 4; part++)
            x[n++] = (part % 2 ? -1 : 1) * ldexpf(1 + 0.25f * (float)part + 0.01f, exponent);
    moments_of("natural", "", x, n, m);
    for (size_t i = 0; i < n; i++) {
        double value = fabs((double)x[i]), step = value < 0x1p-126 ? 0x1p-126 : value;
        assert_true(fabs(m[i].mean - (double)x[i]) <= step / DRAWS * 1.01);
        if (value >= 0x1p-126)
            assert_true(m[i].second <= 9. / 8 * value * value * (1 + 1e-3));
    }
}

/* What has no power of two above it does not become Inf, and zeros stay zeros. */
static void natural__at_the_ends(void **state)
{
    (void)state;
    const float x[] = {FLT_MAX, -FLT_MAX, 0x1p127f, 0, -0.0f, FLT_TRUE_MIN};
    const float want[] = {0x1p127f, -0x1p127f, 0x1p127f, 0, 0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        coder c = coder_open("natural", "", 6, 0);
        float out[6];
        gsl_rng_set(c.rng, seed);
        coder_round_trip(&c, x, 0, out);
        for (size_t i = 0; i < 5; i++)
            assert_true(out[i] == want[i]);
        assert_true(out[5] == 0 || out[5] == 0x1p-126f);
        coder_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(natural__is_unbiased_at_every_magnitude),
        cmocka_unit_test(natural__at_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
