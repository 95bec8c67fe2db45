/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a step of a parameter server takes: closed forms. */
#include "train/server.h"

static const int sizes[] = {1, 2, 3, 4, 8};
enum { N_SIZES = sizeof sizes / sizeof *sizes };
static const double alpha = 50e-6, beta = 1 / 1.25e8, bytes = 4. * N;

/* No computing, one message for each layer. */
static egc_train_config bare(const char *method, int workers)
{
    forward_s = backward_s = 0;
    egc_train_config config = ps_of(method, "sync", workers, 3);
    config.options.bucket_bytes = EGC_BUCKET_LAYER;
    return config;
}

static void leave_bare(void)
{
    forward_s = 0.001, backward_s = 0.002;
    cut_evenly(1);
}

/* 2 alpha + 2 p n beta: the server's link carries everything once each way. */
static void ps_times__one_server(void **state)
{
    (void)state;
    for (int i = 0; i < N_SIZES; i++) {
        int p = sizes[i];
        egc_train_config config = bare("none", p);
        const egc_metrics *m = mean_of(&config);
        assert_close(m->step_s, 2 * alpha + 2 * p * bytes * beta, 1e-3);
        assert_close(m->comm_s, m->step_s, 1e-9);
        assert_true(m->sent_bytes == bytes && m->recv_bytes == bytes);
        assert_close(m->network_bytes, 3 * 2 * p * bytes, 1e-12);
        assert_true(m->delay == 0);
    }
    leave_bare();
}

/* 2 alpha + 2 max(1, p/S) n beta. The usual statement has 2 S alpha: there a worker talks to one
 * server after the other, here to all at once. */
static void ps_times__equal_shards(void **state)
{
    (void)state;
    for (int i = 0; i < N_SIZES; i++)
        for (int servers = 2; servers <= 8; servers *= 2) {
            int p = sizes[i];
            cut_evenly(servers);
            egc_train_config config = bare("none", p);
            server_params.servers = servers;
            double share = fmax(1, (double)p / servers);
            assert_close(mean_of(&config)->step_s, 2 * alpha + 2 * share * bytes * beta, 1e-3);
        }
    leave_bare();
}

/* The largest shard paces. With fewer layers than that makes even, the largest layer is alone. */
static void ps_times__unequal_shards(void **state)
{
    (void)state;
    const size_t cut[] = {100, 500, 150, 250};
    n_layers = 4;
    memcpy(layer_count, cut, sizeof cut);
    for (int i = 1; i < N_SIZES; i++) {
        int p = sizes[i];
        egc_train_config config = bare("none", p);
        server_params.servers = 2; /* 500, and 250 + 150 + 100 one after the other */
        double alone = 2 * (alpha + p * bytes * 0.5 * beta);
        double in_turn = 3 * alpha + p * bytes * 0.5 * beta + alpha + p * bytes * 0.1 * beta;
        if (p > 2) /* otherwise a worker's link, shared by the messages, paces */
            assert_close(mean_of(&config)->step_s, fmax(alone, in_turn), 1e-3);
        if (p < 4)
            continue;
        config = bare("none", p);
        server_params.servers = 4;
        assert_close(mean_of(&config)->step_s, 2 * (alpha + p * bytes * 0.5 * beta), 1e-3);
    }
    leave_bare();
}

/* 2 alpha + 2 (p-1)/p n beta: a worker's own share stays on its host. */
static void ps_times__colocated_shards(void **state)
{
    (void)state;
    for (int i = 1; i < N_SIZES; i++) {
        int p = sizes[i];
        cut_evenly(p);
        egc_train_config config = bare("none", p);
        server_params.servers = p;
        server_params.colocated = true;
        double largest = 4. * (double)layer_count[0];
        const egc_metrics *m = mean_of(&config);
        assert_close(m->step_s, 2 * alpha + 2 * (p - 1) * largest * beta, 1e-3);
        assert_close(m->network_bytes, 3 * 2 * (p - 1) * bytes, 1e-12);
        assert_close(m->recv_bytes, bytes * (p - 1) / p, 1e-12);
    }
    leave_bare();
}

/* 2 alpha + (p/S) (k c + n) beta, and with answers compressed as well 2 alpha + 2 (p/S) k c beta.
 */
static void ps_times__compressed_pushes(void **state)
{
    (void)state;
    for (int i = 0; i < N_SIZES; i++)
        for (int pull = EGC_PS_PULL_DENSE; pull <= EGC_PS_PULL_RECOMPRESS; pull++) {
            int p = sizes[i];
            egc_train_config config = bare("topk", p);
            set(&config, "index", "raw32");
            config.options.bucket_bytes = EGC_BUCKET_MODEL;
            server_params.pull = pull;
            const egc_metrics *m = mean_of(&config);
            assert_true(m->sent_bytes > 10 * 8 && m->sent_bytes < 10 * 8 + 8);
            assert_true(m->recv_bytes == (pull ? m->sent_bytes : bytes));
            assert_close(m->step_s, 2 * alpha + p * (m->sent_bytes + m->recv_bytes) * beta, 1e-3);
        }
    leave_bare();
}

/* One message at a time: each waits for the one before, latency and all. */
static void ps_times__windows_pace_messages(void **state)
{
    (void)state;
    egc_train_config config = bare("none", 4);
    config.options.steps = 1; /* in later ones, workers answered first push while others wait */
    for (int window = 1; window <= 4; window *= 2) {
        server_params.window = window;
        assert_close(mean_of(&config)->step_s, 2 * (4. / window * alpha + 4 * bytes * beta), 1e-3);
    }
    leave_bare();
}

/* Decoding and updating are the server's work; on a worker's host they take the worker's time. */
static void ps_times__servers_work(void **state)
{
    (void)state;
    double time[2];
    for (int colocated = 0; colocated < 2; colocated++) {
        egc_train_config config = ps_of("topk", "sync", 4, 3);
        config.options.cost = EGC_COST_MODEL;
        config.options.overlap = false;
        server_params.colocated = colocated;
        server_params.pull = EGC_PS_PULL_RECOMPRESS;
        const egc_metrics *m = mean_of(&config);
        time[colocated] = m->step_s;
        assert_true(m->compress_s > 0 && m->decompress_s > 0);
        double sum = m->compute_s + m->compress_s + m->exposed_comm_s + m->decompress_s;
        /* the last step begins later on the server's host, and ends with the others' */
        assert_close(m->step_s, sum, colocated ? 2e-3 : 1e-6);
    }
    assert_true(time[1] != time[0]);
    egc_train_config config = ps_of("topk", "sync", 4, 3);
    config.options.cost = EGC_COST_MODEL;
    config.options.overlap = false;
    double charged = mean_of(&config)->exposed_comm_s;
    config.options.cost = EGC_COST_NONE;
    double decode_s = 4 * N / 1e9 + 5e-6; /* a cleared sum, and five kernels */
    assert_true(charged > mean_of(&config)->exposed_comm_s + decode_s);
}

/* Buckets travel while the backward pass goes on: only the last one's way is exposed. */
static void ps_times__pushes_overlap_the_backward_pass(void **state)
{
    (void)state;
    cut_evenly(4);
    egc_train_config config = ps_of("none", "sync", 2, 3);
    config.options.bucket_bytes = EGC_BUCKET_LAYER;
    const egc_metrics *m = mean_of(&config);
    double last = 2 * (alpha + 2 * bytes / 4 * beta);
    assert_close(m->exposed_comm_s, last, 1e-3);
    assert_close(m->step_s, 4 * (forward_s + backward_s) + last, 1e-3);
    config.options.overlap = false;
    assert_true(mean_of(&config)->exposed_comm_s > 1.5 * last);
    cut_evenly(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ps_times__one_server),
        cmocka_unit_test(ps_times__equal_shards),
        cmocka_unit_test(ps_times__unequal_shards),
        cmocka_unit_test(ps_times__colocated_shards),
        cmocka_unit_test(ps_times__compressed_pushes),
        cmocka_unit_test(ps_times__windows_pace_messages),
        cmocka_unit_test(ps_times__servers_work),
        cmocka_unit_test(ps_times__pushes_overlap_the_backward_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
