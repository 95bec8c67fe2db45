/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DGC's sampled threshold, its rounds, and what public code got wrong in it. */
#include <stdlib.h>

#include "support/select.h"

/* With all elements as the sample: the K = ceil(ratio n) largest, ties to the lower index. */
static void dgc__exact(void **state)
{
    (void)state;
    const float x[] = {1, -3, 2, 3, -1, 3};
    assert_chooses("dgc", "ratio=0.3", x, 1, 3); /* n is at most 2/ratio: K = ceil(1.8) */
    assert_chooses("dgc", "ratio=0.5;sample=1", x, 1, 3, 5);
    assert_chooses("dgc", "ratio=0.01", x, 1);
    assert_all("dgc", "ratio=1", x, 6);
    float *g = gaussian(5000, 1);
    assert_int_equal(count_of("dgc", "ratio=0.07;sample=1", g, 5000),
                     350); /* not 351 by rounding */
    free(g);
}

/* n = 11,500 and ratio 0.01 give stride 57 (worked in dgc.c) and a start drawn below it; t is the
 * ceil(201 * 0.01) = 3rd largest of that sample. Three elements of 10 in the sample, and no others
 * that large, are then all that is chosen when no round adjusts t. */
static void dgc__stride_and_start(void **state)
{
    (void)state;
    enum { N = 11500, STRIDE = 57 };
    float *x = gaussian(N, 2);
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    gsl_rng_set(rng, egc_rng_derive_seed(7, 1, 1));
    size_t start = gsl_rng_uniform_int(rng, STRIDE);
    gsl_rng_free(rng);
    for (size_t i = 0; i < 3; i++)
        x[start + STRIDE * (20 + 60 * i)] = i % 2 ? -10 : 10;
    egc_method method = method_of("dgc", "ratio=0.01;rounds=0");
    egc_selection s = run(&method, (call){.seed = 7}, x, N);
    assert_int_equal(s.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(s.index[i], start + STRIDE * (20 + 60 * i));
    release(&s);
    free(x);
}

/* Always the largest, between 0.8 K and K. Public code kept the first K by position of up to 1.3 K:
 * in data that grow with the index those are the smaller ones. */
static void dgc__trims_to_the_largest(void **state)
{
    (void)state;
    enum { N = 100000, K = 1000 };
    float *x = gaussian(N, 4);
    for (size_t i = 0; i < N; i++)
        x[i] *= 1 + (float)i / N;
    const char *settings[] = {"ratio=0.01", "ratio=0.01;resample=false"};
    for (int way = 0; way < 2; way++) {
        egc_method method = method_of("dgc", settings[way]);
        int trimmed = 0;
        for (uint64_t seed = 0; seed < 40; seed++) {
            egc_selection s = run(&method, (call){.seed = seed}, x, N);
            if (!(s.count >= 0.8 * K && s.count <= K))
                fail_msg("%s, seed %d: %zu", settings[way], (int)seed, s.count);
            assert_true(is_the_largest(&s, x, N));
            trimmed += s.count == K;
            release(&s);
        }
        assert_true(trimmed > 5); /* the rule was put to use */
    }
    free(x);
}

static void dgc__keeps_its_band(void **state)
{
    (void)state;
    enum { N = 1000000, K = 1000 };
    float *x = laplace(N, 5);
    egc_method method = method_of("dgc", "");
    for (uint64_t seed = 0; seed < 20; seed++) {
        egc_selection s = run(&method, (call){.seed = seed}, x, N);
        assert_true(s.count >= 0.8 * K && s.count <= K);
        release(&s);
    }
    free(x);
}

/* A sample without anything but zeros has the threshold 0, by which public code selected every
 * element, zeros included, and 1.3 * 0 never recovered. */
static void dgc__threshold_zero(void **state)
{
    (void)state;
    enum { N = 10000, K = 100 };
    float *x = calloc(N, sizeof *x);
    const size_t nonzero[] = {0, 5, 90, 110, 2000};
    for (size_t c = 0; c < 5; c++) {
        for (size_t i = 0; i < nonzero[c]; i++)
            x[4999 * i % N] = (float)(1 + i);
        for (uint64_t seed = 0; seed < 20; seed++) {
            egc_method method =
                method_of("dgc", seed % 2 ? "ratio=0.01" : "ratio=0.01;resample=false");
            egc_selection s = run(&method, (call){.seed = seed}, x, N);
            assert_true(s.count <= K && s.count <= nonzero[c]);
            assert_true(is_the_largest(&s, x, N));
            if (nonzero[c] < 0.8 * K)
                assert_int_equal(s.count, nonzero[c]);
            release(&s);
        }
    }
    free(x);
}

static void dgc__is_the_whole_method(void **state)
{
    (void)state;
    egc_method method = method_of("dgc", "");
    assert_true(egc_method_has_momentum(&method) && method.options.masking);
    assert_true(egc_method_density(&method, 0) == 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dgc__exact),
        cmocka_unit_test(dgc__stride_and_start),
        cmocka_unit_test(dgc__trims_to_the_largest),
        cmocka_unit_test(dgc__keeps_its_band),
        cmocka_unit_test(dgc__threshold_zero),
        cmocka_unit_test(dgc__is_the_whole_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
