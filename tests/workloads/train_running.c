/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running moments: how they move, and that only steps and workers count, not the order of calls. */
#include "support/test.h"
#include "workloads/train/running.h"

static egc_error err;

static egc_running start(float mean, float variance)
{
    egc_running running = {0};
    assert_ok(egc_running_init(&running, 2, 3, &err), err);
    running.moments[0] = mean;
    running.moments[1] = variance;
    return running;
}

static void find(egc_running *running, uint64_t step, size_t worker, float mean, float variance)
{
    float *found = egc_running_find(running, step, worker);
    found[0] = mean;
    found[1] = variance;
}

/* (0, 1) goes a tenth of the way to the mean (3, 6) of three workers, then again to (13, 11). */
static void train_running__mean_of_workers(void **state)
{
    (void)state;
    egc_running running = start(0, 1);
    find(&running, 0, 0, 1, 2);
    find(&running, 0, 1, 3, 6);
    find(&running, 0, 2, 5, 10);
    assert_close((double)egc_running_get(&running)[0], 0.3, 1e-6);
    assert_close((double)egc_running_get(&running)[1], 1.5, 1e-6);
    for (size_t worker = 0; worker < 3; worker++)
        find(&running, 1, worker, 13, 11);
    find(&running, 2, 1, 100, 100); /* step 1 is over */
    assert_close((double)running.moments[0], 0.9 * 0.3 + 1.3, 1e-6);
    assert_close((double)running.moments[1], 0.9 * 1.5 + 1.1, 1e-6);
    egc_running_fini(&running);
}

/* Only workers that took part count, and each once, with what it found last. */
static void train_running__absent_and_repeated(void **state)
{
    (void)state;
    egc_running running = start(0, 1);
    find(&running, 0, 2, 100, 100);
    find(&running, 0, 2, 2, 4);
    find(&running, 0, 0, 4, 6);
    assert_close((double)egc_running_get(&running)[0], 0.3, 1e-6);
    assert_close((double)egc_running_get(&running)[1], 0.9 + 0.5, 1e-6);
    egc_running_fini(&running);
}

static void train_running__order_of_calls(void **state)
{
    (void)state;
    egc_running forward = start(0, 1), backward = start(0, 1);
    for (size_t i = 0; i < 3; i++) {
        const float value[] = {1e20f, -1e20f, 1};
        find(&forward, 0, i, value[i], value[i]);
        find(&backward, 0, 2 - i, value[2 - i], value[2 - i]);
    }
    assert_memory_equal(egc_running_get(&forward), egc_running_get(&backward), 2 * sizeof(float));
    egc_running_fini(&forward);
    egc_running_fini(&backward);
}

/* A network without batch normalisation. */
static void train_running__none(void **state)
{
    (void)state;
    egc_running running = {0};
    assert_ok(egc_running_init(&running, 0, 2, &err), err);
    egc_running_find(&running, 0, 1);
    assert_non_null(egc_running_get(&running));
    egc_running_fini(&running);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_running__mean_of_workers),
        cmocka_unit_test(train_running__absent_and_repeated),
        cmocka_unit_test(train_running__order_of_calls),
        cmocka_unit_test(train_running__none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
