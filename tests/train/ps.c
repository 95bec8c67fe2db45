/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parameter server: what it learns, who waits for whom, what goes wrong. */
#include "net/cluster/writer.h"
#include "train/server.h"

/* ---- a slow host ----------------------------------------------------------------------------- */

/* A star whose host 1 computes four times as slowly as the others. */
static egc_status write_uneven(const void *params, double speed_flops, egc_buf *xml, egc_error *err)
{
    const egc_cluster_common *common = params;
    egc_writer w = egc_writer_begin(common, speed_flops, xml, err);
    egc_writer_zone_begin(&w, EGC_ZONE_ALL, "Cluster");
    for (size_t host = 0; host < 16; host++) {
        w.speed_flops = host == 1 ? speed_flops / 4 : speed_flops;
        egc_writer_host(&w, host, common->bandwidth_Bps, common->bandwidth_Bps,
                        common->latency_s / 2);
    }
    egc_writer_zone_end(&w);
    return egc_writer_end(&w);
}

static egc_cluster_type uneven;

/* ---- what is learnt -------------------------------------------------------------------------- */

/* Servers decode the same messages in the same order as workers that gather them all. */
static void ps__sync_learns_what_workers_learn_alone(void **state)
{
    (void)state;
    const char *const methods[] = {"none", "topk", "egc", "qsgd", "dgc", "fp16"};
    cut_evenly(4);
    for (int i = 0; i < 6; i++)
        for (int servers = 1; servers <= 3; servers += 2) {
            egc_train_config config = ps_of(methods[i], "sync", 4, 12);
            egc_error err = {0};
            config.options.bucket_bytes = EGC_BUCKET_LAYER;
            server_params.servers = servers;
            const result *r = run(&config);
            if (r->status)
                fail_msg("%s: %s", methods[i], r->err.message);
            config.algorithm = NULL;
            assert_ok(egc_exchange_find(i == 5 ? "ring" : "allgather-ring", &config.exchange, &err),
                      err);
            if (i == 0)
                assert_ok(egc_exchange_find("ring", &config.exchange, &err), err);
            const result *alone = run(&config);
            if (alone->status)
                fail_msg("%s: %s", methods[i], alone->err.message);
            bool summed = i == 0 || i == 5; /* in another order on the way round the ring */
            assert_close(r->summary.metrics.test_loss, alone->summary.metrics.test_loss,
                         summed ? (i ? 1e-3 : 1e-6) : 0);
            for (int step = 0; step < 12; step++) {
                assert_close(r->step[step].loss, alone->step[step].loss, summed ? 1e-3 : 1e-12);
                assert_close(r->step[step].sent_bytes, alone->step[step].sent_bytes, 0);
            }
        }
    cut_evenly(1);
}

/* With nobody ahead of anyone, single gradients add up to their mean. */
static void ps__bound_zero_is_bulk_synchronous(void **state)
{
    (void)state;
    momentum = 0;
    cut_evenly(3);
    for (int i = 0; i < 2; i++) {
        egc_train_config config = ps_of(i ? "randomk" : "none", "ssp", 4, 12);
        config.options.bucket_bytes = EGC_BUCKET_LAYER;
        server_params.bound = 0;
        server_params.servers = 2;
        uneven.hosts = config.cluster->hosts;
        if (i)
            config.cluster = &uneven;
        const result *ssp = run(&config);
        assert_int_equal(ssp->status, EGC_OK);
        set_server("mode", "sync");
        const result *sync = run(&config);
        assert_int_equal(sync->status, EGC_OK);
        for (int step = 0; step < 12; step++) /* computed on parameters with the same updates */
            assert_close(ssp->step[step].loss, sync->step[step].loss, 1e-5);
        assert_close(ssp->summary.metrics.test_loss, sync->summary.metrics.test_loss, 1e-5);
        assert_close(ssp->summary.metrics.delay, 1.5, 1e-9); /* 0, 1, 2 and 3 came before */
    }
    cut_evenly(1);
    momentum = 0.5;
}

/* Equal workers take turns: each finds the updates of all others applied since its pull. */
static void ps__delay_of_equal_workers(void **state)
{
    (void)state;
    for (int p = 1; p <= 8; p *= 2) {
        egc_train_config config = ps_of("none", "async", p, 20);
        const result *r = run(&config);
        assert_int_equal(r->status, EGC_OK);
        assert_int_equal(r->steps, 20);
        assert_close(r->step[0].delay, (p - 1) / 2., 1e-9); /* all begin from the same */
        for (int step = 1; step < 20; step++)
            assert_close(r->step[step].delay, p - 1, 1e-9);
    }
}

/* On one worker every mode is the same. */
static void ps__alone_all_modes_agree(void **state)
{
    (void)state;
    double loss = NAN;
    const char *const modes[] = {"sync", "async", "ssp"};
    for (int i = 0; i < 3; i++) {
        egc_train_config config = ps_of("egc", modes[i], 1, 15);
        const result *r = run(&config);
        assert_int_equal(r->status, EGC_OK);
        assert_true(isnan(loss) || r->summary.metrics.test_loss == loss);
        loss = r->summary.metrics.test_loss;
    }
}

/* A loss's minimum is where all ways lead. */
static void ps__all_ways_lead_to_the_minimum(void **state)
{
    (void)state;
    double minimum = 0;
    const char *const modes[] = {"sync", "async", "ssp"};
    for (size_t i = 0; i < N; i++)
        for (size_t w = 0; w < 4; w++)
            minimum += (double)target(w, i) / 4;
    for (int mode = 0; mode < 3; mode++)
        for (int pull = 0; pull < 2; pull++)
            for (int i = 0; i < 2; i++) {
                egc_train_config config = ps_of(i ? "topk" : "none", modes[mode], 4, 60);
                if (i)
                    set(&config, "ratio", "0.3");
                server_params.pull = pull;
                const result *r = run(&config);
                if (r->status)
                    fail_msg("%s", r->err.message);
                if (fabs(r->summary.metrics.test_loss / minimum - 1) > 0.1)
                    fail_msg("%s, pull %d, method %d: %g, want %g", modes[mode], pull, i,
                             r->summary.metrics.test_loss, minimum);
            }
}

/* ---- who waits for whom ---------------------------------------------------------------------- */

/* Three workers and one four times as slow: synchronous steps wait for it. Asynchronous ones take
 * 4 gradients where 3 + 1/4 are made; with a bound the fast ones wait in the end. */
static void ps__stragglers(void **state)
{
    (void)state;
    const char *const modes[] = {"sync", "async", "ssp"};
    double step_s[3], delay[3], compute_s[3];
    for (int i = 0; i < 3; i++) {
        egc_train_config config = ps_of("none", modes[i], 4, 60);
        config.cluster = &uneven;
        server_params.bound = 2;
        const egc_metrics *m = mean_of(&config);
        step_s[i] = m->step_s;
        delay[i] = m->delay;
        compute_s[i] = m->compute_s;
    }
    double once = forward_s + backward_s;
    assert_close(step_s[0], 4 * once, 0.1);
    assert_close(step_s[1], 4 / 3.25 * once, 0.15);
    assert_close(step_s[2], 4 * once, 0.15);
    assert_close(compute_s[0], 7. / 4 * once, 1e-6);
    assert_close(compute_s[1], 4 / 3.25 * once, 0.05);
    assert_true(delay[0] == 0 && delay[1] > 2 && delay[2] > 1);
}

/* Half of one worker, rounded, is that worker, whatever the seed; the server is never drawn. */
static void ps__servers_do_not_straggle(void **state)
{
    (void)state;
    for (int64_t seed = 1; seed < 6; seed++) {
        egc_train_config config = ps_of("none", "sync", 1, 3);
        egc_cluster_common *common = (void *)(uintptr_t)config.cluster_params;
        common->stragglers = 0.5;
        common->straggler_slowdown = 2;
        config.options.seed = seed;
        assert_close(mean_of(&config)->compute_s, 2 * (forward_s + backward_s), 1e-6);
    }
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void ps__impossible_servers(void **state)
{
    (void)state;
    egc_error err;
    egc_train_config config = ps_of("none", "sync", 4, 1);
    server_params.servers = 5;
    server_params.colocated = true;
    assert_fails(
        egc_train_run_check(&config, &err), err, EGC_ERROR_RANGE,
        "algorithm.servers: must be at most the workers, 4, to be colocated with them, got "
        "5");
    server_params.colocated = false;
    server_params.servers = 13;
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_RANGE,
                 "workers: cluster star has 16 hosts, got 4 workers and 13 servers");
    server_params.servers = 2;
    const result *r = run(&config);
    assert_int_equal(r->status, EGC_ERROR_RANGE);
    assert_string_equal(r->err.message,
                        "algorithm.servers: must be at most the buckets of the model, 1, got 2; "
                        "bucket = \"layer\" makes more of them");
    config = ps_of("signsgd", "async", 4, 1);
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "method: signsgd counts the votes of all workers at once, and algorithm ps "
                 "decodes the message of each alone; use vote = false");
    config = ps_of("topk", "sync", 4, 1);
    config.options.exchange_order = EGC_EXCHANGE_ORDER_PRIORITY;
    assert_fails(
        egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
        "exchange_order: is of exchanges between all workers, which algorithm ps has not; leave "
        "it out");
    config = ps_of("topk", "sync", 4, 1);
    config.options.piece_bytes = 1000;
    assert_int_equal(egc_train_run_check(&config, &err), EGC_ERROR_UNSUPPORTED);
    config = ps_of("topk", "ssp", 4, 1);
    assert_ok(egc_sparse_find("gtopk", &config.sparse, &err), err);
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "exchange: gtopk sums the messages of all workers at once, and algorithm ps "
                 "decodes the message of each alone; must be auto");
}

/* The server, on host 0, is the last rank. A step computes for 3 ms. */
static void ps__a_lost_message_names_step_and_server(void **state)
{
    (void)state;
    static egc_event cut = {.at_s = 0.0045,
                            .bandwidth_Bps = NAN,
                            .latency_s = NAN,
                            .speed = NAN,
                            .state = EGC_EVENT_DOWN,
                            .link = "*link_1_*"};
    egc_train_config config = ps_of("none", "sync", 2, 3);
    ((egc_cluster_common *)(uintptr_t)config.cluster_params)->events = (egc_param_list){&cut, 1};
    const result *r = run(&config);
    assert_int_equal(r->status, EGC_ERROR_SIMULATION);
    assert_non_null(strstr(r->err.message, "step 1: "));
    assert_non_null(strstr(r->err.message, " server 0 (rank 2)"));
    assert_int_equal(r->steps, 1);
}

/* Host 0 is the server's. All that a worker does is lost with its host. */
static void ps__lost_workers_are_named(void **state)
{
    (void)state;
    egc_train_config config = ps_of("none", "sync", 2, 3);
    egc_event loss = {
        .at_s = 1e-6, .host = "host-1", .bandwidth_Bps = NAN, .latency_s = NAN, .speed = NAN};
    loss.state = EGC_EVENT_DOWN;
    egc_cluster_common *common = (void *)(uintptr_t)config.cluster_params;
    common->events = (egc_param_list){&loss, 1};
    const result *r = run(&config);
    assert_int_equal(r->status, EGC_ERROR_SIMULATION);
    assert_non_null(strstr(r->err.message, "; push stream of worker 0 was lost with its host at "
                                           "1e-06 s; pull stream of worker 0 was lost with"));
}

static void ps__divergence_is_a_result(void **state)
{
    (void)state;
    poison = true;
    egc_train_config config = ps_of("egc", "async", 2, 10);
    const result *r = run(&config);
    assert_int_equal(r->status, EGC_OK);
    assert_true(r->summary.diverged);
    assert_non_null(strstr(r->summary.reason, "step 3: worker 1: "));
    poison = false;
}

static void ps__runs_repeat(void **state)
{
    (void)state;
    const char *const modes[] = {"sync", "async", "ssp"};
    for (int i = 0; i < 3; i++) {
        egc_train_config config = ps_of("egc", modes[i], 3, 8);
        config.options.cost = EGC_COST_MODEL;
        config.options.layers = true;
        config.options.compress_on = EGC_COMPRESS_ON_STREAM;
        server_params.pull = EGC_PS_PULL_RECOMPRESS;
        const result *a = run(&config), *b = run(&config);
        assert_int_equal(a->status, EGC_OK);
        assert_memory_equal(a->step, b->step, sizeof a->step);
        assert_true(a->hash == b->hash && a->units == 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ps__sync_learns_what_workers_learn_alone),
        cmocka_unit_test(ps__bound_zero_is_bulk_synchronous),
        cmocka_unit_test(ps__delay_of_equal_workers),
        cmocka_unit_test(ps__alone_all_modes_agree),
        cmocka_unit_test(ps__all_ways_lead_to_the_minimum),
        cmocka_unit_test(ps__stragglers),
        cmocka_unit_test(ps__servers_do_not_straggle),
        cmocka_unit_test(ps__impossible_servers),
        cmocka_unit_test(ps__a_lost_message_names_step_and_server),
        cmocka_unit_test(ps__lost_workers_are_named),
        cmocka_unit_test(ps__divergence_is_a_result),
        cmocka_unit_test(ps__runs_repeat),
    };
    egc_error err = {0};
    const egc_cluster_type *star;
    assert_ok(egc_cluster_find("star", &star, &err), err);
    uneven = *star;
    uneven.name = "uneven";
    uneven.write_platform = write_uneven;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
