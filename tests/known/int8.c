/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eight bits: the nearest code of the tree, and steps that keep zero. */
#include <float.h>

#include "support/coder.h"
#include "support/inputs.h"

/* The tree by its bits: e zeros, a one, and 6 - e bits of place in (10^-(e+1), 10^-e]. */
static double tree_by_bits(unsigned code)
{
    unsigned e = 0;
    if ((code & 0x7f) == 0)
        return 0;
    while (!(code & 0x40u >> e))
        e++;
    double items = pow(2, 6 - e), place = code & ((0x40u >> e) - 1);
    double value = pow(10, -(double)e) * (0.1 + 0.9 * (place + 1) / items);
    return code & 0x80 ? -value : value;
}

/* No other code is nearer. Public code takes the one below. */
static void int8__tree_takes_the_nearest(void **state)
{
    (void)state;
    enum { N = 1023 };
    float x[N], out[N];
    for (int family = 0; family < N_FAMILIES; family++)
        for (double factor = 1; factor > 1e-8; factor /= 10) { /* small ones beside the largest */
            fill_input(x, N, family, 3);
            float max = egc_kernels_get()->max_abs(x, N);
            for (size_t i = 1; i < N; i++)
                x[i] *= (float)factor;
            x[0] = max;
            coder c = coder_open("int8", "", N, 0);
            coder_round_trip(&c, x, 0, out);
            assert_true(out[0] == max);
            for (size_t i = 0; i < N; i++) {
                double best = INFINITY;
                for (unsigned code = 0; code < 256; code++)
                    best = fmin(best, fabs(tree_by_bits(code) * (double)max - (double)x[i]));
                double off = fabs((double)out[i] - (double)x[i]);
                double rounding = 1e-7 * fabs((double)out[i]) + 0.5 * (double)FLT_TRUE_MIN;
                assert_true(off <= best + rounding);
                assert_true(out[i] == 0 || (out[i] < 0) == (x[i] < 0));
            }
            coder_close(&c);
        }
}

/* Codes at the middle between neighbours, from either side, over the whole table. */
static void int8__tree_borders(void **state)
{
    (void)state;
    for (unsigned m = 0; m < 127; m++) {
        double middle = (tree_by_bits(m) + tree_by_bits(m + 1)) / 2;
        const float x[] = {1, (float)(middle * (1 - 1e-6)), (float)(middle * (1 + 1e-6))};
        coder c = coder_open("int8", "", 3, 0);
        egc_buf wire = {0};
        coder_encode(&c, x, 0, &wire);
        assert_int_equal(wire.data[5], m);
        assert_int_equal(wire.data[6], m + 1);
        egc_buf_fini(&wire);
        coder_close(&c);
    }
}

/* Within half a step, zero exactly zero, the ends of the range of floats included. */
static void int8__affine_keeps_zero(void **state)
{
    (void)state;
    const float rows[][4] = {
        {0, 1, 2, 3},
        {0, -1, -2, -5},
        {0, -0.37f, 1, 0.004f},
        {0, FLT_MAX, -FLT_MAX / 2.3f, 1e37f},
        {0, -FLT_MAX, FLT_MAX, 1},
        {0, FLT_TRUE_MIN, -3 * FLT_TRUE_MIN, 200 * FLT_TRUE_MIN},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        coder c = coder_open("int8", "code=affine", 4, 0);
        float out[4];
        double lo = 0, hi = 0;
        for (size_t i = 0; i < 4; i++) {
            lo = fmin(lo, (double)rows[r][i]);
            hi = fmax(hi, (double)rows[r][i]);
        }
        coder_round_trip(&c, rows[r], 0, out);
        assert_true(out[0] == 0);
        for (size_t i = 0; i < 4; i++)
            assert_true(fabs((double)out[i] - (double)rows[r][i]) <=
                        (hi - lo) / 510 * (1 + 1e-5) + 0.5 * (double)FLT_TRUE_MIN);
        coder_close(&c);
    }
}

/* 1024 elements are two buckets of 512 and their scales; public code adds a bucket of padding. */
static void int8__aligned_buckets_are_not_padded(void **state)
{
    (void)state;
    static float x[1025];
    for (size_t n = 1023; n <= 1025; n++) {
        coder c = coder_open("int8", "code=affine;bucket=512", n, 0);
        egc_buf wire = {0};
        coder_encode(&c, x, 0, &wire);
        assert_int_equal(wire.len, n + (n <= 1024 ? 2 : 3) * 8);
        egc_buf_fini(&wire);
        coder_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(int8__tree_takes_the_nearest),
        cmocka_unit_test(int8__tree_borders),
        cmocka_unit_test(int8__affine_keeps_zero),
        cmocka_unit_test(int8__aligned_buckets_are_not_padded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
