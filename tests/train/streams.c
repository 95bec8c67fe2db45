/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the streams of a worker do at the same time, in which order buckets go, and what of it is
 * told. Times are closed forms of a model of two layers, each a bucket. */
#include "train/quadratic.h"

enum { FIRST_READY = 0, LAST_READY = 1 }; /* the buckets of the large layer, and of the small */

static egc_train_config by_ring(const egc_workload_type *workload, int workers, int steps)
{
    egc_error err = {0};
    egc_train_config config = config_of(workload, "none", workers, steps);
    assert_ok(egc_exchange_find("ring", &config.exchange, &err), err);
    return config;
}

/* Two workers on a star where exchanging 400 bytes by a ring takes about 0.9 ms, nine tenths of a
 * forward pass of a layer: two messages of half the bytes. */
static egc_train_config slow_network(const egc_workload_type *workload, int steps)
{
    egc_train_config config = by_ring(workload, 2, steps);
    config.options.bucket_bytes = EGC_BUCKET_LAYER;
    set_cluster(&config, "bandwidth", "4.5e5");
    set_cluster(&config, "latency", "5us");
    return config;
}

static const double e = 2 * 5e-6 + 400 / 4.5e5;

static const egc_timeline_event *find(const result *r, const char *name, uint64_t step, int rank,
                                      size_t bucket)
{
    for (size_t i = 0; i < r->events; i++) {
        const egc_timeline_event *event = &r->event[i];
        if (strcmp(event->name, name) == 0 && event->step == step && event->rank == rank &&
            event->layers && event->bucket == bucket)
            return event;
    }
    fail_msg("%s of bucket %zu at step %d: not told", name, bucket, (int)step);
    return NULL;
}

/* ---- priority ------------------------------------------------------------------------------- */

/* In pieces of 400 bytes the large layer's exchange gives way after three of its nine, when the
 * small layer is ready, and the other six hide the forward pass of the small layer, which fifo
 * cannot do:
 *
 *     fifo       2f + b + 10e
 *     priority    f + b + 10e, but the first step has nothing to wait for, and the last waits for
 *                 its own buckets, too: 10e - b more */
static void streams__priority_hides_a_forward_pass(void **state)
{
    (void)state;
    enum { STEPS = 6 };
    double f = forward_s, b = backward_s;
    egc_train_config config = slow_network(&open_loop, STEPS);
    const result *fifo = run(&config);
    assert_close(fifo->summary.metrics.step_s, 2 * f + b + 10 * e, 2e-2); /* a message, not ten */
    config.options.piece_bytes = 400;
    fifo = run(&config);
    for (int i = 0; i < STEPS; i++)
        assert_close(fifo->step[i].step_s, 2 * f + b + 10 * e, 1e-5);

    config.options.exchange_order = EGC_EXCHANGE_ORDER_PRIORITY;
    const result *r = run(&config);
    assert_close(r->step[0].step_s, 2 * f + 2 * b, 1e-5);
    for (int i = 1; i < STEPS - 1; i++)
        assert_close(r->step[i].step_s, f + b + 10 * e, 1e-5);
    assert_close(r->step[STEPS - 1].step_s, f + 20 * e, 1e-5);
    assert_close(r->summary.metrics.sim_time_s, STEPS * (f + b + 10 * e) + f, 1e-5);
    for (int i = 0; i < STEPS; i++) {
        assert_close(r->step[i].compute_s, 2 * (f + b), 1e-9);
        assert_close(r->step[i].comm_s, 10 * e, 1e-5);
        assert_close(r->step[i].step_s, r->step[i].compute_s + r->step[i].exposed_comm_s, 1e-9);
        assert_true(r->step[i].network_bytes == fifo->step[i].network_bytes);
        assert_true(r->step[i].recv_bytes == fifo->step[i].recv_bytes);
    }
}

/* Without pieces nothing gives way, but what is ready at once goes in another order: the forward
 * pass of the small layer is hidden behind the large one's exchange. */
static void streams__priority_orders_what_is_ready(void **state)
{
    (void)state;
    egc_train_config config = slow_network(&open_loop, 4);
    config.options.overlap = false;
    const result *fifo = run(&config);
    config.options.exchange_order = EGC_EXCHANGE_ORDER_PRIORITY;
    const result *r = run(&config);
    assert_close(r->step[1].step_s, fifo->step[1].step_s - forward_s, 1e-5);
}

static void streams__priority_is_never_slower_here(void **state)
{
    (void)state;
    const char *const bandwidths[] = {"1e5", "1e6", "1e7", "1e9"};
    const double partitions[] = {INFINITY, 1000, 400};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            egc_train_config config = slow_network(&open_loop, 8);
            set_cluster(&config, "bandwidth", bandwidths[i]);
            config.options.piece_bytes = partitions[j];
            double fifo_s = run(&config)->summary.metrics.sim_time_s;
            config.options.exchange_order = EGC_EXCHANGE_ORDER_PRIORITY;
            assert_true(run(&config)->summary.metrics.sim_time_s <= fifo_s * (1 + 1e-9));
        }
}

/* ---- tensor fusion -------------------------------------------------------------------------- */

/* The large layer is ready 2 ms after the backward pass began, the small 4 ms. With cycles of 3 ms
 * each goes out alone, at 3 and 6 ms; with cycles of 5 ms both go at 5 ms. */
static void streams__fused_buckets_wait_for_their_cycle(void **state)
{
    (void)state;
    egc_train_config config = by_ring(&open_loop, 2, 3);
    config.options.bucket_bytes = EGC_BUCKET_FUSION;
    double large_s = 2 * 50e-6 + 4. * LARGE / 1.25e8, small_s = 2 * 50e-6 + 4. * SMALL / 1.25e8;
    config.options.cycle_s = 3e-3;
    const result *r = run(&config);
    assert_close(r->step[1].comm_s, large_s + small_s, 1e-5);
    assert_close(r->step[1].step_s, 2 * forward_s + 6e-3 + small_s, 1e-5);
    assert_close(find(r, "exchange", 0, 1, FIRST_READY)->start_s, 2 * forward_s + 3e-3, 1e-9);
    config.options.cycle_s = 5e-3;
    r = run(&config);
    double both_s = 2 * 50e-6 + 4. * N / 1.25e8;
    assert_close(r->step[1].comm_s, both_s, 1e-5);
    assert_close(r->step[1].step_s, 2 * forward_s + 5e-3 + both_s, 1e-5);
}

/* ---- what is learnt ------------------------------------------------------------------------- */

static void assert_learnt_alike(const result *got, const result *want)
{
    assert_int_equal(got->status, want->status);
    assert_int_equal(got->steps, want->steps);
    for (uint64_t i = 0; i < want->steps; i++) {
        const egc_metrics *a = &got->step[i], *b = &want->step[i];
        assert_true(a->sent_bytes == b->sent_bytes && a->recv_bytes == b->recv_bytes);
        assert_true(a->rel_error == b->rel_error && a->cosine == b->cosine && a->loss == b->loss);
        assert_true(a->network_bytes == b->network_bytes && a->drift == b->drift);
    }
    assert_true(got->summary.metrics.test_loss == want->summary.metrics.test_loss);
}

/* Of one round and several, summed, gathered, broadcast and scattered. */
static void streams__and_order_change_no_learning(void **state)
{
    (void)state;
    const char *const methods[] = {"none", "topk", "egc", "powersgd", "cltk", "signum"};
    for (int m = 0; m < 6; m++)
        for (int workers = 1; workers <= 4; workers += 3) {
            egc_train_config config = config_of(&closed, methods[m], workers, 6);
            config.options.bucket_bytes = EGC_BUCKET_LAYER;
            config.options.cost = EGC_COST_MODEL;
            const result *want = run(&config);
            for (int variant = 1; variant < 8; variant++) {
                config.options.exchange_order =
                    variant & 1 ? EGC_EXCHANGE_ORDER_PRIORITY : EGC_EXCHANGE_ORDER_FIFO;
                config.options.compress_on = (variant >> 1) & 1;
                config.options.overlap = variant >> 2;
                assert_learnt_alike(run(&config), want);
            }
        }
}

/* Sums are made in another order, so that their last bits differ. */
static void streams__pieces_add_up(void **state)
{
    (void)state;
    const char *const methods[] = {"none", "fp16", "powersgd"};
    const double partitions[] = {1, 12, 400, 3600, 1e9};
    for (int m = 0; m < 3; m++) {
        egc_train_config config = config_of(&closed, methods[m], 3, 10);
        double want = run(&config)->summary.metrics.test_loss;
        for (int p = 0; p < 5; p++) {
            config.options.piece_bytes = partitions[p];
            const result *r = run(&config);
            if (r->status)
                fail_msg("%s", r->err.message);
            assert_close(r->summary.metrics.test_loss, want, m == 1 ? 1e-2 : 1e-5);
        }
    }
}

/* ---- the compression stream ----------------------------------------------------------------- */

static double seconds(const egc_timeline_event *event)
{
    return event->end_s - event->start_s;
}

/* Compressing c1 c2, exchanging e1 e2, decompressing d1 d2. In turn: c1 e1 d1 c2 e2 d2. With a
 * stream and a core each, c2 goes on during e1, and e2 during d1. */
static void streams__compressing_overlaps_exchanging(void **state)
{
    (void)state;
    egc_train_config config = config_of(&open_loop, "topk", 2, 3);
    config.options.bucket_bytes = EGC_BUCKET_LAYER;
    config.options.cost = EGC_COST_MODEL;
    config.options.overlap = false;
    config.options.compress_on = EGC_COMPRESS_ON_STREAM;
    set_cluster(&config, "cores", "3");
    const result *r = run(&config);
    const egc_timeline_event *backward = find(r, "backward", 1, 0, LAST_READY);
    const egc_timeline_event *c1 = find(r, "compress", 1, 0, FIRST_READY);
    const egc_timeline_event *c2 = find(r, "compress", 1, 0, LAST_READY);
    const egc_timeline_event *e1 = find(r, "exchange", 1, 0, FIRST_READY);
    const egc_timeline_event *e2 = find(r, "exchange", 1, 0, LAST_READY);
    const egc_timeline_event *d1 = find(r, "decompress", 1, 0, FIRST_READY);
    const egc_timeline_event *d2 = find(r, "decompress", 1, 0, LAST_READY);
    assert_true(seconds(c2) < seconds(e1) && seconds(d1) < seconds(e2));
    assert_close(c1->start_s, backward->end_s, 1e-12);
    assert_close(c2->start_s, c1->end_s, 1e-12);
    assert_close(e1->start_s, c1->end_s, 1e-12);
    assert_close(e2->start_s, e1->end_s, 1e-12);
    assert_close(d1->start_s, e1->end_s, 1e-12);
    assert_close(d2->end_s, e2->end_s + seconds(d2), 1e-12);
    double step =
        2 * (forward_s + backward_s) + seconds(c1) + seconds(e1) + seconds(e2) + seconds(d2);
    assert_close(r->step[1].step_s, step, 1e-9);
    assert_close(r->step[1].step_s - r->step[1].compute_s - r->step[1].exposed_comm_s,
                 r->step[1].compress_s + r->step[1].decompress_s, 1e-9);
}

/* One core is shared: compressing for c while the backward pass of b goes on takes both longer,
 * and together as long as in turn. */
static void streams__a_core_is_shared(void **state)
{
    (void)state;
    egc_train_config config = config_of(&open_loop, "topk", 1, 2);
    config.options.bucket_bytes = EGC_BUCKET_LAYER;
    config.options.cost = EGC_COST_MODEL;
    config.options.compress_on = EGC_COMPRESS_ON_STREAM;
    set_cluster(&config, "cores", "2");
    const result *r = run(&config);
    double alone_s = seconds(find(r, "compress", 0, 0, FIRST_READY));
    assert_close(seconds(find(r, "backward", 0, 0, LAST_READY)), backward_s, 1e-9);
    set_cluster(&config, "cores", "1");
    r = run(&config);
    assert_close(seconds(find(r, "compress", 0, 0, FIRST_READY)), 2 * alone_s, 1e-6);
    double decompress_s = seconds(find(r, "decompress", 0, 0, FIRST_READY));
    assert_close(seconds(find(r, "backward", 0, 0, LAST_READY)),
                 backward_s + alone_s + decompress_s / 2, 1e-6);
}

/* ---- what is told --------------------------------------------------------------------------- */

static void streams__do_one_thing_at_a_time(void **state)
{
    (void)state;
    const char *const methods[] = {"none", "topk", "powersgd", "signum"};
    for (int m = 0; m < 4; m++)
        for (int variant = 0; variant < 4; variant++) {
            egc_train_config config = config_of(&open_loop, methods[m], 3, 5);
            config.options.bucket_bytes = EGC_BUCKET_LAYER;
            config.options.cost = EGC_COST_MODEL;
            config.options.exchange_order = variant & 1;
            config.options.compress_on = variant >> 1;
            config.options.piece_bytes = 1000;
            const result *r = run(&config);
            double ends[3][EGC_N_STREAMS] = {0};
            assert_true(r->status == EGC_OK && r->events > 5 * 3 * 6);
            for (size_t i = 0; i < r->events; i++) {
                const egc_timeline_event *event = &r->event[i];
                double *end = &ends[event->rank][event->stream];
                assert_true(event->start_s >= *end && event->end_s >= event->start_s);
                *end = event->end_s;
            }
        }
}

/* Of a wait, what others than the compute stream of its rank did on the device. */
static double busy_during(const result *r, const egc_timeline_event *wait)
{
    double busy_s = 0;
    for (size_t i = 0; i < r->events; i++) {
        const egc_timeline_event *event = &r->event[i];
        bool works = strstr(event->name, "compress") && event->stream != EGC_STREAM_COMPUTE;
        if (works && event->rank == wait->rank)
            busy_s +=
                fmax(0, fmin(event->end_s, wait->end_s) - fmax(event->start_s, wait->start_s));
    }
    return busy_s;
}

/* A wait ends while another bucket is being decompressed, too. */
static void streams__exposed_is_waiting_for_the_network(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        egc_train_config config = config_of(&open_loop, "topk", 4, 4);
        config.options.bucket_bytes = EGC_BUCKET_LAYER;
        config.options.cost = EGC_COST_MODEL;
        config.options.exchange_order = variant & 1;
        config.options.compress_on = variant >> 1;
        config.device.launch_s = 2e-3;
        set_cluster(&config, "cores", "3");
        const result *r = run(&config);
        double exposed_s[4] = {0};
        for (size_t i = 0; i < r->events; i++) {
            const egc_timeline_event *event = &r->event[i];
            if (strcmp(event->name, "wait") == 0 && event->stream == EGC_STREAM_COMPUTE)
                exposed_s[event->step] += event->end_s - event->start_s - busy_during(r, event);
        }
        for (int i = 0; i < 4; i++)
            assert_true(fabs(r->step[i].exposed_comm_s - exposed_s[i] / 4) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams__priority_hides_a_forward_pass),
        cmocka_unit_test(streams__priority_orders_what_is_ready),
        cmocka_unit_test(streams__priority_is_never_slower_here),
        cmocka_unit_test(streams__fused_buckets_wait_for_their_cycle),
        cmocka_unit_test(streams__and_order_change_no_learning),
        cmocka_unit_test(streams__pieces_add_up),
        cmocka_unit_test(streams__compressing_overlaps_exchanging),
        cmocka_unit_test(streams__a_core_is_shared),
        cmocka_unit_test(streams__do_one_thing_at_a_time),
        cmocka_unit_test(streams__exposed_is_waiting_for_the_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
