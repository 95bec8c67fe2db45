/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random-k: by hand, by statistics, and without the faults of public code. */
#include <stdlib.h>

#include "support/select.h"

/* Exactly k distinct indices below n, for every k of many n. Public code drew with replacement, so
 * that fewer than k were left, and drew an upper bound one past the end. */
static void randomk__draws_k_distinct_indices(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 130; n++)
        for (size_t k = 1; k <= n; k += 1 + n / 17) {
            char settings[64];
            snprintf(settings, sizeof settings, "ratio=%.17g", (double)k / (double)n);
            egc_method method = method_of("randomk", settings);
            egc_selection s = run(&method, (call){.shared_seed = n}, NULL, n);
            assert_int_equal(s.count, k);
            for (size_t i = 0; i < k; i++)
                assert_true(s.index[i] < n && (i == 0 || s.index[i] > s.index[i - 1]));
            release(&s);
        }
}

/* Each index is in a share k/n of the selections, within 5 sigma, each pair of neighbours in k(k-1)
 * / (n(n-1)), and so below and above half of the elements, where those left out are drawn. */
static void randomk__is_uniform(void **state)
{
    (void)state;
    enum { N = 50, DRAWS = 20000 };
    const size_t ks[] = {1, 10, 25, 26, 40};
    for (size_t c = 0; c < sizeof ks / sizeof *ks; c++) {
        char settings[64];
        snprintf(settings, sizeof settings, "ratio=%.17g", (double)ks[c] / N);
        egc_method method = method_of("randomk", settings);
        double in[N] = {0}, pair[N - 1] = {0}, k = (double)ks[c];
        for (uint64_t draw = 0; draw < DRAWS; draw++) {
            egc_selection s = run(&method, (call){.shared_seed = draw}, NULL, N);
            for (size_t i = 0; i < s.count; i++) {
                in[s.index[i]]++;
                if (i && s.index[i] == s.index[i - 1] + 1)
                    pair[s.index[i - 1]]++;
            }
            release(&s);
        }
        double p = k / N, q = k * (k - 1) / (N * (N - 1.0));
        for (size_t i = 0; i < N; i++)
            assert_true(fabs(in[i] - DRAWS * p) <= 5 * sqrt(DRAWS * p * (1 - p)));
        for (size_t i = 0; i + 1 < N; i++)
            assert_true(fabs(pair[i] - DRAWS * q) <= 5 * sqrt(DRAWS * q * (1 - q)) + 1e-9);
    }
}

/* All workers choose the same, whatever their own generators say; other steps choose otherwise. */
static void randomk__goes_by_the_shared_generator_alone(void **state)
{
    (void)state;
    egc_method method = method_of("randomk", "ratio=0.1");
    egc_selection a = run(&method, (call){.seed = 1, .shared_seed = 5}, NULL, 1000);
    egc_selection b = run(&method, (call){.seed = 2, .shared_seed = 5}, NULL, 1000);
    egc_selection c = run(&method, (call){.seed = 1, .shared_seed = 6}, NULL, 1000);
    assert_same(&a, &b);
    assert_memory_not_equal(a.index, c.index, a.count * sizeof *a.index);
    release(&a), release(&b), release(&c);
}

/* scale = true multiplies by n/k, so that the mean over draws is the input, within 5 standard
 * errors (the variance of one element is (n/k - 1) x^2); false by 1. */
static void randomk__scaled_is_unbiased(void **state)
{
    (void)state;
    enum { N = 20, DRAWS = 20000 };
    egc_method plain = method_of("randomk", "ratio=0.25");
    egc_method scaled = method_of("randomk", "ratio=0.25;scale=true");
    egc_context context = {.density = 0.25};
    assert_true(plain.compressor->gain(plain.params, &context, N) == 1);
    double gain = scaled.compressor->gain(scaled.params, &context, N);
    assert_true(gain == 4);
    assert_true(scaled.compressor->gain(scaled.params, &context, 3) == 3); /* k is at least 1 */
    float *x = gaussian(N, 3);
    double sum[N] = {0};
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        egc_selection s = run(&scaled, (call){.shared_seed = draw}, NULL, N);
        for (size_t i = 0; i < s.count; i++)
            sum[s.index[i]] += gain * (double)x[s.index[i]];
        release(&s);
    }
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(sum[i] / DRAWS - (double)x[i]) <=
                    5 * fabs((double)x[i]) * sqrt((gain - 1) / DRAWS));
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(randomk__draws_k_distinct_indices),
        cmocka_unit_test(randomk__is_uniform),
        cmocka_unit_test(randomk__goes_by_the_shared_generator_alone),
        cmocka_unit_test(randomk__scaled_is_unbiased),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
