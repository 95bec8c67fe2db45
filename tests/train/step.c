/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training step in the simulator: what is learnt, how long it takes, what is reported. */
#include "train/quadratic.h"

/* ---- what is learnt ------------------------------------------------------------------------- */

/* The same training without simulator or compressor. */
static double reference_loss(int workers, int steps, float lr)
{
    static float x[N], b[N];
    memset(x, 0, sizeof x);
    memset(b, 0, sizeof b);
    for (int step = 0; step < steps; step++)
        for (size_t i = 0; i < N; i++) {
            float sum = 0;
            for (size_t w = 0; w < (size_t)workers; w++)
                sum += x[i] - target(w, i);
            b[i] = 0.5f * b[i] + sum / (float)workers;
            x[i] -= lr * b[i];
        }
    double sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += (double)x[i];
    return sum;
}

static void step__dense_training_is_momentum_sgd(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 5; workers++) {
        egc_train_config config = config_of(&closed, "none", workers, 20);
        const result *r = run(&config);
        if (r->status)
            fail_msg("%s", r->err.message);
        assert_close(r->summary.metrics.test_loss, reference_loss(workers, 20, 0.05f), 1e-5);
        assert_int_equal(r->steps, 20);
        for (int i = 0; i < 20; i++) {
            const egc_metrics *m = &r->step[i];
            assert_true(m->compression_ratio == 1 && m->density == 1 && m->rel_error == 0);
            assert_true(m->cosine > 1 - 1e-9 && m->drift < 1e-6 && m->energy_kept == 1);
            assert_true(m->sent_bytes == 4 * N && m->residual_norm == 0);
        }
    }
}

/* Everything sent through another path must learn the same. */
static void step__sending_everything_learns_the_same(void **state)
{
    (void)state;
    const char *const memories[] = {"none", "residual", "momentum"};
    for (int i = 0; i < 3; i++) {
        egc_train_config config = config_of(&closed, "threshold", 4, 20);
        set(&config, "tau", "0");
        set(&config, "memory", memories[i]);
        set(&config, "masking", "false");
        const result *r = run(&config);
        if (r->status)
            fail_msg("%s", r->err.message);
        assert_close(r->summary.metrics.test_loss, reference_loss(4, 20, 0.05f), 1e-4);
        assert_true(r->summary.metrics.drift < 1e-5);
        config.exchange = NULL;
    }
    /* masking of everything, corrected by c(1) = 1/(1-m): the steady state of momentum SGD */
    egc_train_config config = config_of(&closed, "threshold", 4, 40);
    set(&config, "tau", "0");
    set(&config, "memory", "momentum");
    set(&config, "lr_correction", "layer");
    const result *r = run(&config);
    assert_close(r->summary.metrics.test_loss, reference_loss(4, 200, 0.05f), 0.03);
}

static void step__methods_scale_the_learning_rate(void **state)
{
    (void)state;
    egc_train_config config = config_of(&closed, "none", 3, 20);
    set(&config, "lr_scale", "0.2");
    assert_close(run(&config)->summary.metrics.test_loss, reference_loss(3, 20, 0.01f), 1e-5);
}

static void step__exchanges_learn_the_same(void **state)
{
    (void)state;
    egc_error err = {0};
    for (int workers = 1; workers <= 6; workers += 1) {
        double loss = NAN;
        for (const egc_exchange_type *const *x = egc_exchange_types(); *x; x++) {
            if ((*x)->kind != EGC_COLLECTIVE_ALLGATHER)
                continue;
            egc_train_config config = config_of(&closed, "egc", workers, 10);
            assert_ok(egc_exchange_find((*x)->name, &config.exchange, &err), err);
            const result *r = run(&config);
            assert_int_equal(r->status, EGC_OK);
            assert_true(isnan(loss) || loss == r->summary.metrics.test_loss);
            loss = r->summary.metrics.test_loss;
        }
    }
}

/* ---- how long it takes ---------------------------------------------------------------------- */

/* One worker, no network: forward and backward alone. Four workers, one bucket, no overlap: the
 * closed form of Rabenseifner's exchange after them, of which auto knows that it is faster than
 * the ring. */
static void step__times_without_overlap(void **state)
{
    (void)state;
    egc_train_config config = config_of(&open_loop, "none", 1, 3);
    const result *r = run(&config);
    assert_close(r->summary.metrics.step_s, 2 * (forward_s + backward_s), 1e-6);
    assert_close(r->summary.metrics.compute_s, 2 * (forward_s + backward_s), 1e-6);

    config = config_of(&open_loop, "none", 4, 3);
    config.options.overlap = false;
    r = run(&config);
    double exchange = 2 * 2 * 50e-6 + 2 * 3. / 4 * 4 * N / 1.25e8;
    assert_string_equal(r->summary.exchange, "rabenseifner");
    assert_close(r->summary.metrics.comm_s, exchange, 1e-3);
    assert_close(r->summary.metrics.exposed_comm_s, exchange, 1e-3);
    assert_close(r->summary.metrics.step_s, 2 * (forward_s + backward_s) + exchange, 1e-4);
    assert_close(r->summary.metrics.network_bytes, 3 * 4 * 2 * 3. / 4 * 4 * N, 1e-9);
}

/* A bucket for each layer, each exchanged in 4 ms: the first starts after the first backward, the
 * second when the first is through. Layers take 2 ms backward, so all but 2 ms is exposed. */
static void step__overlap_hides_communication(void **state)
{
    (void)state;
    egc_train_config config = config_of(&open_loop, "none", 2, 4);
    config.options.bucket_bytes = EGC_BUCKET_LAYER;
    char *cluster = (char *)config.cluster_params;
    egc_error err = {0};
    egc_scalar latency = {.kind = EGC_SCALAR_TEXT, .text = "4ms"};
    assert_ok(
        egc_param_set(egc_param_find(config.cluster->params, "latency"), cluster, &latency, &err),
        err);
    const result *r = run(&config);
    double large = 4e-3 + 4. * LARGE / 1.25e8, small = 4e-3 + 4. * SMALL / 1.25e8;
    assert_close(r->summary.metrics.comm_s, large + small, 1e-3);
    double end = 2 * forward_s + backward_s + large + small;
    assert_close(r->summary.metrics.step_s, end, 1e-3);
    assert_close(r->summary.metrics.exposed_comm_s, large + small - backward_s, 1e-3);
}

/* compute + compress + exposed communication + exposed decompression make up the step. */
static void step__costs_are_charged(void **state)
{
    (void)state;
    for (int on_stream = 0; on_stream < 2; on_stream++) {
        egc_train_config config = config_of(&open_loop, "topk", 4, 3);
        config.options.cost = EGC_COST_MODEL;
        config.options.overlap = false;
        config.options.compress_on = on_stream;
        const egc_metrics *m = &run(&config)->summary.metrics;
        assert_true(m->compress_s > 2 * 6e-6 && m->decompress_s > 4e-6);
        assert_close(m->step_s, m->compute_s + m->compress_s + m->exposed_comm_s + m->decompress_s,
                     1e-6);
        config.options.cost = EGC_COST_NONE;
        m = &run(&config)->summary.metrics;
        assert_true(m->compress_s == 0 && m->decompress_s == 0);
    }
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static void step__nan_in_a_gradient(void **state)
{
    (void)state;
    poison = true;
    egc_train_config config = config_of(&open_loop, "egc", 2, 10);
    const result *r = run(&config);
    assert_int_equal(r->status, EGC_ERROR_NONFINITE);
    assert_string_equal(r->err.message, "step 3: worker 1: small..large: gradient has 1 NaN and "
                                        "0 Inf among 1000 elements");
    assert_int_equal(r->steps, 3); /* what was done is kept */

    config.workload = &closed; /* in training it is a result */
    r = run(&config);
    assert_int_equal(r->status, EGC_OK);
    assert_true(r->summary.diverged);
    assert_non_null(strstr(r->summary.reason, "step 3: worker 1"));

    set(&config, "nonfinite", "skip");
    r = run(&config);
    assert_true(r->status == EGC_OK && !r->summary.diverged && r->step[3].nonfinite == 1);
    poison = false;
}

static void step__impossible_configurations(void **state)
{
    (void)state;
    egc_error err;
    egc_train_config config = config_of(&open_loop, "egc", 17, 1);
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_RANGE,
                 "workers: cluster star has 16 hosts, got 17 workers");
    config.options.workers = 4;
    assert_int_equal(egc_exchange_find("ring", &config.exchange, &err), EGC_OK);
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "exchange: ring sums messages, which suits no round of method egc; use auto "
                 "(here allgather-rd)");
}

static void step__simulated_time_can_be_limited(void **state)
{
    (void)state;
    egc_train_config config = config_of(&open_loop, "none", 2, 50);
    config.options.max_sim_time_s = 0.1;
    const result *r = run(&config);
    assert_int_equal(r->status, EGC_ERROR_TIMEOUT);
    assert_true(r->steps > 5 && r->steps < 17);
}

static void step__units_are_reported_when_asked(void **state)
{
    (void)state;
    egc_train_config config = config_of(&open_loop, "egc", 2, 5);
    assert_true(run(&config)->units == 0);
    config.options.layers = true;
    assert_true(run(&config)->units == 5); /* one bucket */
    set(&config, "granularity", "layer");
    assert_true(run(&config)->units == 10);
}

static void step__runs_repeat(void **state)
{
    (void)state;
    egc_train_config config = config_of(&closed, "egc", 3, 8);
    config.options.cost = EGC_COST_MODEL;
    const result *a = run(&config), *b = run(&config);
    assert_memory_equal(a->step, b->step, sizeof a->step);
    assert_true(a->summary.metrics.sim_time_s == b->summary.metrics.sim_time_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step__dense_training_is_momentum_sgd),
        cmocka_unit_test(step__sending_everything_learns_the_same),
        cmocka_unit_test(step__methods_scale_the_learning_rate),
        cmocka_unit_test(step__exchanges_learn_the_same),
        cmocka_unit_test(step__times_without_overlap),
        cmocka_unit_test(step__overlap_hides_communication),
        cmocka_unit_test(step__costs_are_charged),
        cmocka_unit_test(step__nan_in_a_gradient),
        cmocka_unit_test(step__impossible_configurations),
        cmocka_unit_test(step__simulated_time_can_be_limited),
        cmocka_unit_test(step__units_are_reported_when_asked),
        cmocka_unit_test(step__runs_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
