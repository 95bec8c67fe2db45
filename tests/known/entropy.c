/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other readings of EGC's rule: a share of the entropy, a budget over layers, a sampled
 * histogram. */
#include <stdlib.h>

#include "support/select.h"

static float *sort_keys;

static int before(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    float x = fabsf(sort_keys[i]), y = fabsf(sort_keys[j]);
    return x != y ? (x < y) - (x > y) : (i > j) - (i < j);
}

/* By a full sort and the terms as they are written: how many of the largest reach the share. */
static size_t share_by_sorting(float *x, size_t n, double share, uint32_t *order)
{
    double sum = 0, all = 0, reached = 0;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
        sum += fabs((double)x[i]);
    }
    sort_keys = x;
    qsort(order, n, sizeof *order, before);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n && x[order[i]] != 0; i++) {
            double p = fabs((double)x[order[i]]) / sum, term = -p * log(p);
            if (pass == 0)
                all += term;
            else if (k == 0 || reached < share * all * (1 - 1e-9)) {
                reached += term;
                k++;
            }
        }
    return k;
}

static void entropy__share_by_hand(void **state)
{
    (void)state;
    const float equal[] = {2, -2, 2, 2}, one[] = {0, 0, -3, 0}, zeros[4] = {0};
    assert_chooses("maxentropy", "rule=share;share=0.5", equal, 0, 1);
    assert_chooses("maxentropy", "rule=share;share=0.51", equal, 0, 1, 2);
    assert_all("maxentropy", "rule=share;share=1", equal, 4);
    assert_chooses("maxentropy", "rule=share", one, 2); /* no entropy at all */
    assert_none("maxentropy", "rule=share", zeros, 4);
    /* p = 1/2, 1/4, 1/8, 1/8 have the terms 4, 4, 3, 3 in units of ln 2 / 8 */
    const float halves[] = {1, 4, 1, 2};
    assert_chooses("maxentropy", "rule=share;share=0.28", halves, 1);
    assert_chooses("maxentropy", "rule=share;share=0.29", halves, 1, 3);
    assert_chooses("maxentropy", "rule=share;share=0.75", halves, 0, 1, 3);
    assert_chooses("maxentropy", "rule=share;share=0.8", halves, 0, 1, 2, 3);
}

static void entropy__share_equals_sorting(void **state)
{
    (void)state;
    float x[1023];
    uint32_t order[1023];
    const double shares[] = {1e-6, 0.1, 0.5, 0.9, 0.999};
    for (size_t d = 0; d < N_TEST_DIMS; d++)
        for (int family = 0; family < N_FAMILIES; family++)
            for (int c = 0; c < 5; c++) {
                size_t n = test_dims[d];
                fill_input(x, n, family, 41);
                char settings[64];
                snprintf(settings, sizeof settings, "rule=share;share=%g", shares[c]);
                egc_method method = method_of("maxentropy", settings);
                egc_selection s = run(&method, (call){0}, x, n);
                size_t k = share_by_sorting(x, n, shares[c], order);
                if (s.count != k)
                    fail_msg("n = %zu, family %d, share %g: %zu, want %zu", n, family, shares[c],
                             s.count, k);
                bool wanted[1023] = {false};
                for (size_t i = 0; i < k; i++)
                    wanted[order[i]] = true;
                for (size_t i = 0; i < k; i++)
                    assert_true(wanted[s.index[i]]);
                release(&s);
            }
}

static void entropy__budget_by_hand(void **state)
{
    (void)state;
    const float x[] = {1, -1, 1, 1, 0, 5, 0, 0}, gap[] = {1, -1, 1, 1, 0, 0, 0, 0};
    const size_t layers[] = {4, 4};
    const call two = {.layers = layers, .n_layers = 2};
    /* effective numbers 4 and 1: of K = 4, 3.2 and 0.8 */
    egc_method method = method_of("maxentropy", "rule=budget;ratio=0.5");
    egc_selection s = run(&method, two, x, 8);
    check_chosen(&s, (const uint32_t[]){0, 1, 2, 5}, 4, "budget");
    release(&s);
    s = run(&method, two, gap, 8); /* a layer of zeros leaves the budget to the other */
    check_chosen(&s, (const uint32_t[]){0, 1, 2, 3}, 4, "budget beside zeros");
    release(&s);
    /* one layer: the K largest */
    s = run(&method, (call){0}, x, 8);
    check_chosen(&s, (const uint32_t[]){0, 1, 2, 5}, 4, "one layer");
    release(&s);
    /* what a layer cannot use goes to the others: all that is not zero at ratio 1 */
    method = method_of("maxentropy", "rule=budget;ratio=1");
    s = run(&method, two, x, 8);
    check_chosen(&s, (const uint32_t[]){0, 1, 2, 3, 5}, 5, "budget of everything");
    release(&s);
    assert_true(egc_method_density(&method, 0) == 1);
    method = method_of("maxentropy", "");
    assert_true(isnan(method.compressor->density(method.params)));
}

/* A diffuse and a concentrated layer of one size: the first gets more, each its own largest, and
 * together about the budget. */
static void entropy__budget_follows_entropy(void **state)
{
    (void)state;
    enum { N = 20000 };
    float *x = gaussian(2 * N, 14);
    for (size_t i = N; i < 2 * N; i++)
        x[i] = (float)pow((double)x[i], 7);
    const size_t layers[] = {N, N};
    egc_method method = method_of("maxentropy", "rule=budget;ratio=0.05");
    egc_selection s = run(&method, (call){.layers = layers, .n_layers = 2}, x, 2 * N), part = s;
    assert_true(s.count >= 1998 && s.count <= 2000);
    size_t first = 0;
    while (s.index[first] < N)
        first++;
    assert_true(first > 3 * (s.count - first));
    part.count = first;
    assert_true(is_the_largest(&part, x, N));
    part = (egc_selection){.index = s.index + first, .count = s.count - first};
    for (size_t i = 0; i < part.count; i++)
        part.index[i] -= N;
    assert_true(is_the_largest(&part, x + N, N));
    release(&s);
    free(x);
}

/* sample = 0.01 keeps between half and twice as many as all elements do, whatever the start. */
static void entropy__sampled_entropy_stays_near(void **state)
{
    (void)state;
    enum { N = 1000000 };
    float *inputs[] = {laplace(N, 15), gaussian(N, 16)};
    for (int family = 0; family < 2; family++)
        for (int stages = 1; stages <= 3; stages++) {
            char exact[32], sampled[64];
            snprintf(exact, sizeof exact, "stages=%d", stages);
            snprintf(sampled, sizeof sampled, "stages=%d;sample=0.01", stages);
            double want = (double)count_of("maxentropy", exact, inputs[family], N);
            egc_method method = method_of("maxentropy", sampled);
            for (uint64_t seed = 0; seed < 10; seed++) {
                egc_selection s = run(&method, (call){.seed = seed}, inputs[family], N);
                if (!((double)s.count >= want / 2 && (double)s.count <= want * 2))
                    fail_msg("family %d, %d stages: %zu, exactly %g", family, stages, s.count,
                             want);
                release(&s);
            }
        }
    free(inputs[0]), free(inputs[1]);
}

/* Samples that see nothing of what matters, or everything alike. */
static void entropy__sampled_entropy_of_awkward_inputs(void **state)
{
    (void)state;
    enum { N = 100000 };
    float *x = calloc(N, sizeof *x);
    assert_none("maxentropy", "sample=0.01", x, N);
    for (int i = 0; i < 6; i++)
        x[12345 * i] = (float)(1 << 2 * i);
    assert_int_equal(count_of("maxentropy", "sample=0.01", x, N), 6); /* fewer than min_tail */
    assert_int_equal(count_of("maxentropy", "", x, N), 6);
    for (size_t i = 0; i < N; i++)
        x[i] = -3;
    assert_all("maxentropy", "sample=0.01", x, N);
    float *small = gaussian(N, 17); /* the sample lies in the first bin */
    small[777] = 1e3f;
    assert_int_equal(count_of("maxentropy", "stages=1", small, N),
                     count_of("maxentropy", "stages=1;sample=0.01", small, N));
    free(small);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entropy__share_by_hand),
        cmocka_unit_test(entropy__share_equals_sorting),
        cmocka_unit_test(entropy__budget_by_hand),
        cmocka_unit_test(entropy__budget_follows_entropy),
        cmocka_unit_test(entropy__sampled_entropy_stays_near),
        cmocka_unit_test(entropy__sampled_entropy_of_awkward_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
