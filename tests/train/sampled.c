/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs in which some workers learn and the others send as they do, and steps that repeat. What
 * they should be is known from whole runs: dense messages all have one length, so that times and
 * bytes do not depend on who learns, and whole runs never repeat a step. */
#include "quadratic.h"

/* Times and bytes are those of all workers, learning that of the sampled ones. */
static void sampled__dense_training(void **state)
{
    (void)state;
    for (int overlap = 0; overlap < 2; overlap++) {
        egc_train_config config = config_of(&closed, "none", 8, 12);
        config.options.bucket_bytes = EGC_BUCKET_LAYER;
        config.options.overlap = overlap;
        const result *whole = run(&config);
        config.options.sampled_workers = 2;
        const result *sampled = run(&config);
        config.options.workers = 2;
        config.options.sampled_workers = 0;
        const result *small = run(&config);
        assert_ok(sampled->status, sampled->err);
        assert_int_equal(sampled->steps, 12);
        assert_true(sampled->summary.metrics.loss > 0);
        assert_close(sampled->summary.metrics.loss, small->summary.metrics.loss, 1e-6);
        assert_close(sampled->summary.metrics.test_loss, small->summary.metrics.test_loss, 1e-6);
        for (int step = 0; step < 12; step++) {
            const egc_metrics *a = &sampled->step[step], *b = &whole->step[step];
            assert_close(a->step_s, b->step_s, 1e-9);
            assert_close(a->comm_s, b->comm_s, 1e-9);
            assert_close(a->exposed_comm_s, b->exposed_comm_s, 1e-9);
            assert_close(a->compute_s, b->compute_s, 1e-9);
            assert_true(a->sent_bytes == b->sent_bytes && a->recv_bytes == b->recv_bytes);
            assert_true(a->network_bytes == b->network_bytes);
        }
        assert_close(sampled->summary.metrics.sim_time_s, whole->summary.metrics.sim_time_s, 1e-9);
    }
}

/* Streams that steps are repeated without, and priority, with which none is. */
static void sampled__training_on_all_streams(void **state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        egc_train_config config = config_of(&open_loop, "fp16", 8, 12);
        config.options.bucket_bytes = variant & 1 ? EGC_BUCKET_FUSION : EGC_BUCKET_LAYER;
        config.options.cost = EGC_COST_MODEL;
        config.options.compress_on = (variant >> 1) & 1;
        config.options.exchange_order = variant >> 2;
        config.options.piece_bytes = 1000;
        const result *whole = run(&config);
        config.options.sampled_workers = 2;
        const result *sampled = run(&config);
        assert_ok(sampled->status, sampled->err);
        assert_int_equal(sampled->steps, 12);
        for (int step = 0; step < 12; step++) {
            const egc_metrics *a = &sampled->step[step], *b = &whole->step[step];
            assert_close(a->step_s, b->step_s, 1e-9);
            assert_close(a->compress_s, b->compress_s, 1e-9);
            assert_close(a->comm_s, b->comm_s, 1e-9);
            assert_true(a->recv_bytes == b->recv_bytes && a->network_bytes == b->network_bytes);
        }
    }
}

/* The lengths of messages are those of the learners, and differ from step to step. */
static void sampled__sparse_training(void **state)
{
    (void)state;
    egc_train_config config = config_of(&closed, "maxentropy", 16, 10);
    config.options.sampled_workers = 3;
    const result *r = run(&config), *again = run(&config);
    assert_ok(r->status, r->err);
    assert_true(memcmp(r->step, again->step, sizeof r->step) == 0);
    config.options.workers = 3;
    config.options.sampled_workers = 0;
    const result *small = run(&config);
    for (int step = 0; step < 10; step++) {
        assert_true(r->step[step].sent_bytes == small->step[step].sent_bytes);
        assert_close(r->step[step].loss, small->step[step].loss, 1e-9);
        /* 15 messages reach each worker, each as long as one of three. */
        assert_true(r->step[step].recv_bytes > 5 * small->step[step].recv_bytes);
        assert_true(r->step[step].recv_bytes < 12 * small->step[step].recv_bytes);
    }
}

/* Rounds that depend on each other, and sums of them. */
static void sampled__low_rank_training(void **state)
{
    (void)state;
    egc_train_config config = config_of(&closed, "powersgd", 8, 6);
    const result *whole = run(&config);
    config.options.sampled_workers = 3;
    const result *r = run(&config);
    config.options.workers = 3;
    config.options.sampled_workers = 0;
    const result *small = run(&config);
    assert_ok(r->status, r->err);
    assert_close(r->summary.metrics.test_loss, small->summary.metrics.test_loss, 1e-5);
    assert_close(r->summary.metrics.comm_s, whole->summary.metrics.comm_s, 1e-9);
}

static void sampled__what_cannot_be_sampled(void **state)
{
    (void)state;
    egc_error err;
    egc_train_config config = config_of(&closed, "cltk", 8, 2);
    config.options.sampled_workers = 2;
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "sampled_workers: method cltk gives every worker a part of its own; must be 0, "
                 "got 2");
    config = config_of(&closed, "none", 2, 2);
    config.options.sampled_workers = 3;
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_RANGE,
                 "sampled_workers: must be at most workers, 2, got 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampled__dense_training),
        cmocka_unit_test(sampled__training_on_all_streams),
        cmocka_unit_test(sampled__sparse_training),
        cmocka_unit_test(sampled__low_rank_training),
        cmocka_unit_test(sampled__what_cannot_be_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
