/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits over workers: who gets how many of what. */
#include <stdlib.h>

#include "base/mem.h"
#include "support/test.h"
#include "workloads/train/batches.h"

enum { EXAMPLES = 5003, CLASSES = 10, WORKERS = 8 };

static egc_error err;
static uint8_t labels[EXAMPLES];

/* Class 0 is twice as frequent as the others. */
static int make_labels(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++)
        labels[i] = (uint8_t)(i * 7 % (CLASSES + 1) % CLASSES);
    return 0;
}

static egc_split split_of(double alpha, uint64_t seed)
{
    return (egc_split){.labels = labels,
                       .examples = EXAMPLES,
                       .classes = CLASSES,
                       .workers = WORKERS,
                       .alpha = alpha,
                       .seed = seed};
}

static uint32_t *deal(const egc_split *split)
{
    uint32_t *out = egc_calloc(split->examples, sizeof *out);
    assert_ok(egc_split_dirichlet(split, out, &err), err);
    return out;
}

/* How far the workers' shares of the classes are from those of all: 0 the same, 1 nothing shared.
 */
static double skew(double alpha, uint64_t seed)
{
    const egc_split split = split_of(alpha, seed);
    uint32_t *dealt = deal(&split);
    double all[CLASSES] = {0}, sum = 0;
    for (int i = 0; i < EXAMPLES; i++)
        all[labels[i]] += 1.0 / EXAMPLES;
    for (size_t worker = 0; worker < WORKERS; worker++) {
        const size_t first = egc_split_first(&split, worker);
        const size_t end = egc_split_first(&split, worker + 1);
        double own[CLASSES] = {0};
        for (size_t i = first; i < end; i++)
            own[labels[dealt[i]]] += 1.0 / (double)(end - first);
        for (int c = 0; c < CLASSES; c++)
            sum += fabs(own[c] - all[c]) / 2 / WORKERS;
    }
    egc_free(dealt);
    return sum;
}

static void check_once_each(double alpha, uint64_t seed)
{
    const egc_split split = split_of(alpha, seed);
    uint32_t *dealt = deal(&split);
    static uint8_t seen[EXAMPLES];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < EXAMPLES; i++) {
        assert_true(dealt[i] < EXAMPLES);
        assert_int_equal(seen[dealt[i]]++, 0);
    }
    egc_free(dealt);
}

static void train_split__every_example_once(void **state)
{
    (void)state;
    const double alphas[] = {1e-6, 0.01, 0.1, 1, 100, 1e6};
    for (int i = 0; i < 6; i++)
        check_once_each(alphas[i], 1);
}

/* 5003 = 8 * 625 + 3: the first three workers have one more. */
static void train_split__sizes(void **state)
{
    (void)state;
    const egc_split split = split_of(1, 1);
    for (size_t worker = 0; worker < WORKERS; worker++)
        assert_int_equal(egc_split_first(&split, worker + 1) - egc_split_first(&split, worker),
                         worker < 3 ? 626 : 625);
    assert_int_equal(egc_split_first(&split, 0), 0);
    assert_int_equal(egc_split_first(&split, WORKERS), EXAMPLES);
}

static void train_split__skew_grows_as_alpha_falls(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const double even = skew(1000, seed), some = skew(1, seed), much = skew(0.1, seed);
        const double most = skew(0.001, seed);
        if (!(even < 0.1 && even < some && some > 0.2 && some < much && much > 0.45 &&
              much < most + 0.1 && most > 0.6))
            fail_msg("seed %d: skews %g, %g, %g, %g", (int)seed, even, some, much, most);
    }
}

static void train_split__deterministic(void **state)
{
    (void)state;
    const egc_split split = split_of(0.5, 3), other = split_of(0.5, 4);
    uint32_t *one = deal(&split), *same = deal(&split), *different = deal(&other);
    assert_memory_equal(one, same, EXAMPLES * sizeof *one);
    assert_memory_not_equal(one, different, EXAMPLES * sizeof *one);
    egc_free(one);
    egc_free(same);
    egc_free(different);
}

/* One worker has all; classes without examples are nobody's. */
static void train_split__corners(void **state)
{
    (void)state;
    egc_split split = split_of(0.5, 1);
    split.workers = 1;
    split.classes = 256;
    uint32_t *dealt = deal(&split);
    uint64_t sum = 0;
    for (int i = 0; i < EXAMPLES; i++)
        sum += dealt[i];
    assert_true(sum == (uint64_t)EXAMPLES * (EXAMPLES - 1) / 2);
    egc_free(dealt);
}

/* Batches after a split: a worker sees its own examples, each once in an epoch, in other orders. */
static void train_split__batches(void **state)
{
    (void)state;
    enum { BATCH = 25, STEPS = 25 }; /* 625 */
    const egc_split split = split_of(0.1, 6);
    uint32_t *dealt = deal(&split);
    egc_batches batches = {0};
    assert_ok(egc_batches_init(&batches, EXAMPLES, WORKERS, BATCH, 6, &err), err);
    assert_ok(egc_batches_split(&batches, &split, &err), err);
    static int owner[EXAMPLES], seen[EXAMPLES];
    for (size_t worker = 0; worker < WORKERS; worker++)
        for (size_t i = egc_split_first(&split, worker); i < egc_split_first(&split, worker + 1);
             i++)
            owner[dealt[i]] = (int)worker;
    uint32_t first[BATCH];
    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        memset(seen, 0, sizeof seen);
        for (uint64_t step = epoch * STEPS; step < (epoch + 1) * STEPS; step++)
            for (size_t worker = 0; worker < WORKERS; worker++) {
                const uint32_t *batch = egc_batches_get(&batches, step, worker);
                for (int i = 0; i < BATCH; i++) {
                    assert_int_equal(owner[batch[i]], worker);
                    assert_int_equal(seen[batch[i]]++, 0);
                }
            }
        const uint32_t *again = egc_batches_get(&batches, epoch * STEPS, 2);
        if (epoch == 1)
            assert_memory_not_equal(first, again, sizeof first);
        memcpy(first, again, sizeof first);
    }
    assert_memory_equal(egc_batches_get(&batches, STEPS, 2), first, sizeof first);
    egc_batches_fini(&batches);
    egc_free(dealt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_split__every_example_once),
        cmocka_unit_test(train_split__sizes),
        cmocka_unit_test(train_split__skew_grows_as_alpha_falls),
        cmocka_unit_test(train_split__deterministic),
        cmocka_unit_test(train_split__corners),
        cmocka_unit_test(train_split__batches),
    };
    return cmocka_run_group_tests(tests, make_labels, NULL);
}
