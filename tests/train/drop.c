/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Going on without workers that are lost. What is learnt is that of the optimizer's recurrence on
 * the mean target of those who take part: of all until the loss, and then of the survivors. */
#include "train/quadratic.h"

#include <math.h>

enum { WORKERS = 4, STEPS = 60, MAX_LOSSES = 4 };

static egc_event loss_of(double at_s, const char *host, const char *link)
{
    egc_event event = {
        .at_s = at_s,
        .bandwidth_Bps = NAN,
        .latency_s = NAN,
        .speed = NAN,
        .state = EGC_EVENT_DOWN,
    };
    strcpy(event.host, host);
    strcpy(event.link, link);
    return event;
}

static void set_events(egc_train_config *config, const egc_event *events, size_t n)
{
    static egc_event kept[MAX_LOSSES];
    egc_cluster_common *common = (void *)(uintptr_t)config->cluster_params;
    memcpy(kept, events, n * sizeof *events);
    common->events = (egc_param_list){kept, n};
}

static egc_train_config dropping(const char *method, int workers, const egc_event *events, size_t n)
{
    egc_train_config config = config_of(&closed, method, workers, STEPS);
    config.options.on_failure = EGC_ON_FAILURE_DROP;
    config.options.failure_timeout_s = 0.1;
    set_events(&config, events, n);
    return config;
}

/* ---- what is to be learnt ------------------------------------------------------------------- */

/* The mean over workers of w + 1, which their targets are proportional to. */
typedef struct pull {
    uint64_t from_step;
    double mean;
} pull;

/* The parameter whose targets are (w + 1) * unit, after all steps. */
static double follow(const pull *pulls, size_t n, double unit)
{
    double x = 0, velocity = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            mean = step >= pulls[i].from_step ? pulls[i].mean : mean;
        velocity = 0.5 * velocity + (x - mean * unit);
        x -= 0.05 * velocity;
    }
    return x;
}

static double unit_of(size_t i)
{
    return (double)(i % 17 + 1) / 16;
}

static void assert_learnt(const result *got, const pull *pulls, size_t n)
{
    double sum = 0;
    assert_ok(got->status, got->err);
    assert_int_equal(got->steps, STEPS);
    for (size_t i = 0; i < N; i++)
        sum += follow(pulls, n, unit_of(i));
    assert_close(got->summary.metrics.accuracy, follow(pulls, n, unit_of(N - 1)), 1e-5);
    assert_close(got->summary.metrics.test_loss, sum, 1e-5);
}

static const double all = (1 + 2 + 3 + 4) / 4.0, without_1 = (1 + 3 + 4) / 3.0;

/* ---- losses that are survived --------------------------------------------------------------- */

/* A step takes 6 ms and an exchange: at 20 ms worker 1 computes for step 3. In the end parameters
 * are near the survivors' mean target. */
static void drop__survivors_converge_to_their_mean(void **state)
{
    (void)state;
    const egc_event lost = loss_of(0.02, "host-1", "");
    const pull pulls[] = {{0, all}, {3, without_1}};
    egc_train_config config = dropping("none", WORKERS, &lost, 1);
    for (int overlap = 0; overlap < 2; overlap++) {
        config.options.overlap = overlap;
        const result *got = run(&config);
        assert_learnt(got, pulls, 2);
        assert_close(got->summary.metrics.accuracy, without_1 * unit_of(N - 1), 2e-3);
        assert_true(got->step[3].step_s > 0.1 && got->step[3].step_s < 0.12);
        assert_true(got->step[2].step_s < 0.01 && got->step[4].step_s < 0.01);
    }
}

/* A limit that every gradient exceeds leaves each worker's share of it, limit / sqrt(workers): of
 * four in steps 0 to 3, whose messages were made before the loss, then of three. All gradients have
 * the direction of the targets. */
static void drop__the_clip_is_shared_by_the_survivors(void **state)
{
    (void)state;
    const double limit = 0.1;
    const egc_event lost = loss_of(0.02, "host-1", "");
    egc_train_config config = dropping("none", WORKERS, &lost, 1);
    config.method.options.clip = limit;
    double length = 0, velocity = 0, sum = 0, norm2 = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        velocity = 0.5 * velocity + limit / sqrt(step <= 3 ? 4 : 3);
        length += 0.05 * velocity;
    }
    for (size_t i = 0; i < N; i++) {
        sum += unit_of(i);
        norm2 += unit_of(i) * unit_of(i);
    }
    const result *got = run(&config);
    assert_ok(got->status, got->err);
    assert_close(got->summary.metrics.test_loss, length * sum / sqrt(norm2), 1e-5);
}

/* Sums are made in place: what was broken off in the midst of a ring begins with what each had. */
static void drop__a_broken_exchange_is_done_again(void **state)
{
    (void)state;
    egc_error err = {0};
    const pull pulls[] = {{0, without_1}};
    for (double at_s = 0.007; at_s < 0.06; at_s += 0.006) {
        const egc_event lost = loss_of(at_s, "host-1", "");
        egc_train_config config = dropping("none", WORKERS, &lost, 1);
        assert_ok(egc_exchange_find("ring", &config.exchange, &err), err);
        set_cluster(&config, "bandwidth", "1e5"); /* 60 ms for 2 * 3 / 4 of 4000 bytes */
        assert_learnt(run(&config), pulls, 1);
    }
}

/* Of two buckets the first has come back when worker 1 is lost in the midst of the second's
 * backward pass, in step 0: its share of the first counts. */
static void drop__what_all_had_counts(void **state)
{
    (void)state;
    const egc_event lost = loss_of(0.0055, "host-1", "");
    const pull large[] = {{0, all}, {1, without_1}}, small[] = {{0, without_1}};
    egc_train_config config = dropping("none", WORKERS, &lost, 1);
    config.options.bucket_bytes = EGC_BUCKET_LAYER;
    const result *got = run(&config);
    double sum = 0;
    assert_ok(got->status, got->err);
    for (size_t i = 0; i < N; i++)
        sum += follow(i < SMALL ? small : large, i < SMALL ? 1 : 2, unit_of(i));
    assert_close(got->summary.metrics.test_loss, sum, 1e-5);
    assert_close(got->summary.metrics.accuracy, follow(large, 2, unit_of(N - 1)), 1e-5);
}

/* The first bucket's exchange, from 4 ms on, is broken off, and goes on at 6 ms: then the second
 * bucket is ready, too, before or after some of the streams have begun anew. */
static void drop__buckets_may_be_ready_just_then(void **state)
{
    (void)state;
    const egc_event lost = loss_of(0.0045, "host-1", "");
    const pull pulls[] = {{0, without_1}};
    egc_train_config config = dropping("none", WORKERS, &lost, 1);
    config.options.bucket_bytes = EGC_BUCKET_LAYER;
    config.options.failure_timeout_s = 0.0015;
    set_cluster(&config, "bandwidth", "1e6");
    assert_learnt(run(&config), pulls, 1);
}

/* Worker 0 would see to going on, and 1 would have watched it: both are lost. */
static void drop__a_recovery_that_is_lost_is_taken_over(void **state)
{
    (void)state;
    const egc_event lost[] = {loss_of(0.02, "host-1", ""), loss_of(0.05, "host-0", "")};
    const pull pulls[] = {{0, 3}, {3, (3 + 4 + 5) / 3.0}};
    egc_train_config config = dropping("none", 5, lost, 2);
    assert_learnt(run(&config), pulls, 2);
}

static void drop__losses_one_after_the_other(void **state)
{
    (void)state;
    const egc_event lost[] = {loss_of(0.02, "host-1", ""), loss_of(0.2, "host-0", "")};
    egc_train_config config = dropping("none", 5, lost, 2);
    const result *got = run(&config);
    assert_ok(got->status, got->err);
    assert_close(got->summary.metrics.accuracy, 4 * unit_of(N - 1), 0.05);
    config.options.workers = 2; /* a host that is down goes nowhere: the other goes on alone */
    set_events(&config, lost, 1);
    const pull pulls[] = {{0, 1.5}, {3, 1}};
    assert_learnt(run(&config), pulls, 2);
}

static void drop__a_link_that_comes_back_loses_nobody(void **state)
{
    (void)state;
    egc_event flap[] = {loss_of(0.02, "", "*"), loss_of(0.05, "", "*")};
    flap[1].state = EGC_EVENT_UP;
    const pull pulls[] = {{0, all}};
    egc_train_config config = dropping("none", WORKERS, flap, 2);
    assert_learnt(run(&config), pulls, 1);
}

/* A host that is lost stays lost to its worker, also when it is back before the others go on. */
static void drop__a_host_that_comes_back_comes_too_late(void **state)
{
    (void)state;
    egc_event blink[] = {loss_of(0.02, "host-1", ""), loss_of(0.02, "host-1", "")};
    const pull pulls[] = {{0, all}, {3, without_1}};
    blink[1].state = EGC_EVENT_UP;
    for (double away_s = 1e-6; away_s < 0.1; away_s *= 10) {
        blink[1].at_s = blink[0].at_s + away_s;
        egc_train_config config = dropping("none", WORKERS, blink, 2);
        assert_learnt(run(&config), pulls, 2);
    }
}

/* Memories, replicas and later rounds are those of fewer workers, too: replicas that were not the
 * same would trip an assertion. */
static void drop__methods_go_on(void **state)
{
    (void)state;
    static const char *const methods[] = {"egc", "topk", "powersgd", "qsgd", "terngrad"};
    const egc_event lost = loss_of(0.02, "host-2", "");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        egc_train_config config = dropping(methods[i], WORKERS, &lost, 1);
        config.options.bucket_bytes = EGC_BUCKET_LAYER;
        const result *got = run(&config);
        assert_ok(got->status, got->err);
        assert_int_equal(got->steps, STEPS);
    }
}

/* What is sent dense, every survivor sends: the union is all elements, before and after. */
static void drop__the_union_is_of_those_who_send(void **state)
{
    (void)state;
    const egc_event lost = loss_of(0.02, "host-2", "");
    egc_train_config config = dropping("topk", WORKERS, &lost, 1);
    set(&config, "min_elements", "100000");
    const result *got = run(&config);
    assert_ok(got->status, got->err);
    for (int step = 0; step < STEPS; step++)
        assert_true(got->step[step].union_density == 1);
}

/* Replicas hold what those who are lost had added up to there. */
static void drop__sums_of_all_are_refused(void **state)
{
    (void)state;
    egc_error err;
    const egc_event lost = loss_of(0.02, "host-2", "");
    egc_train_config config = dropping("topk", WORKERS, &lost, 1);
    set(&config, "memory", "ef21");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "on_failure: with memory ef21 a run can only stop, got drop");
}

/* ---- losses that are not -------------------------------------------------------------------- */

static void drop__without_a_majority_nobody_goes_on(void **state)
{
    (void)state;
    const egc_event cut[] = {loss_of(0.02, "", "*link_0_*"), loss_of(0.02, "", "*link_1_*")};
    for (int workers = 2; workers <= WORKERS; workers += 2) {
        egc_train_config config = dropping("none", workers, cut, (size_t)workers / 2);
        const result *got = run(&config);
        char expected[128];
        snprintf(expected, sizeof expected, "is more than half of the %d whose hosts are up",
                 workers);
        assert_int_equal(got->status, EGC_ERROR_SIMULATION);
        assert_non_null(strstr(got->err.message, "step 3: no group of workers"));
        assert_non_null(strstr(got->err.message, expected));
        assert_int_equal(got->steps, 3);
    }
}

static void drop__with_stop_a_loss_ends_the_run(void **state)
{
    (void)state;
    const egc_event lost = loss_of(0.02, "host-1", "");
    egc_train_config config = dropping("none", 2, &lost, 1);
    config.options.on_failure = EGC_ON_FAILURE_STOP;
    const result *got = run(&config);
    assert_int_equal(got->status, EGC_ERROR_SIMULATION);
    assert_non_null(strstr(got->err.message, "host"));
}

static void drop__time_is_limited(void **state)
{
    (void)state;
    const egc_event lost = loss_of(0.02, "host-1", "");
    egc_train_config config = dropping("none", WORKERS, &lost, 1);
    config.options.failure_timeout_s = 10;
    config.options.max_sim_time_s = 0.5;
    const result *got = run(&config);
    assert_int_equal(got->status, EGC_ERROR_TIMEOUT);
    assert_int_equal(got->steps, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drop__survivors_converge_to_their_mean),
        cmocka_unit_test(drop__the_clip_is_shared_by_the_survivors),
        cmocka_unit_test(drop__a_broken_exchange_is_done_again),
        cmocka_unit_test(drop__what_all_had_counts),
        cmocka_unit_test(drop__buckets_may_be_ready_just_then),
        cmocka_unit_test(drop__a_recovery_that_is_lost_is_taken_over),
        cmocka_unit_test(drop__losses_one_after_the_other),
        cmocka_unit_test(drop__a_link_that_comes_back_loses_nobody),
        cmocka_unit_test(drop__a_host_that_comes_back_comes_too_late),
        cmocka_unit_test(drop__methods_go_on),
        cmocka_unit_test(drop__the_union_is_of_those_who_send),
        cmocka_unit_test(drop__sums_of_all_are_refused),
        cmocka_unit_test(drop__without_a_majority_nobody_goes_on),
        cmocka_unit_test(drop__with_stop_a_loss_ends_the_run),
        cmocka_unit_test(drop__time_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
