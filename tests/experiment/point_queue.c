/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is run next, and how: the first of those that learn the same, then the others. */
#include "experiment/run/point_queue.h"

#include "base/file/path.h"
#include "experiment/fake.h"

/* ---- points that learn the same: the fake study with seeds that are times -------------------- */

typedef struct study {
    fake_study fake;
    bool is_pending[FAKE_POINTS];
    egc_path spool;
    egc_point_queue *queue;
} study;

static void start(study *s, bool share)
{
    egc_error err;
    fake_init(&s->fake);
    s->spool = fake_folder();
    for (size_t i = 0; i < FAKE_POINTS; i++) {
        s->fake.points[i].config.options.max_sim_time_s =
            (double)s->fake.points[i].config.options.seed;
        s->fake.points[i].config.options.seed = 1;
        s->is_pending[i] = true;
    }
    assert_ok(egc_point_queue_new(&s->fake.experiment, s->is_pending, share, s->spool.text,
                                  &s->queue, &err),
              err);
}

static void end(study *s)
{
    egc_point_queue_free(s->queue);
    assert_false(egc_path_exists(egc_path_of("%s/learning", s->spool.text).text));
    fake_folder_remove(&s->spool);
}

static egc_queued_point next(study *s, size_t point, egc_training_role role)
{
    egc_queued_point turn;
    assert_true(egc_point_queue_next(s->queue, &turn));
    assert_int_equal(turn.point, point);
    assert_int_equal(turn.role, role);
    return turn;
}

static void none_is_next(study *s)
{
    egc_queued_point turn;
    assert_false(egc_point_queue_next(s->queue, &turn));
}

static void leave_log(study *s, const egc_queued_point *turn)
{
    egc_error err;
    egc_atomic_file log;
    egc_path folder = egc_path_of("%s/learning", s->spool.text);
    assert_ok(egc_path_make_folder(folder.text, &err), err);
    assert_ok(egc_atomic_file_open(&log, egc_path_of("%s/%s", folder.text, turn->key).text, &err),
              err);
    assert_ok(egc_atomic_file_commit(&log, &err), err);
}

/* ---------------------------------------------------------------------------------------------- */

static void point_queue__others_wait_for_the_first(void **unused)
{
    (void)unused;
    study s;
    start(&s, true);
    egc_queued_point topk = next(&s, 0, EGC_TRAINING_LOGGED);
    next(&s, FAKE_SEEDS, EGC_TRAINING_LOGGED);
    egc_queued_point threshold = next(&s, 2 * FAKE_SEEDS, EGC_TRAINING_LOGGED);
    none_is_next(&s);
    leave_log(&s, &threshold);
    egc_point_queue_end(s.queue, threshold.point, false, 1);
    next(&s, 2 * FAKE_SEEDS + 1, EGC_TRAINING_REPLAYED);
    leave_log(&s, &topk);
    egc_point_queue_end(s.queue, topk.point, false, 1);
    for (size_t i = 1; i < FAKE_SEEDS; i++)
        next(&s, i, EGC_TRAINING_REPLAYED);
    next(&s, 2 * FAKE_SEEDS + 2, EGC_TRAINING_REPLAYED);
    /* the log goes with the last */
    for (size_t i = 1; i < FAKE_SEEDS; i++) {
        assert_true(egc_training_cache_has(s.spool.text, topk.key));
        egc_point_queue_end(s.queue, i, i == 2, 1);
    }
    assert_false(egc_training_cache_has(s.spool.text, topk.key));
    assert_true(egc_training_cache_has(s.spool.text, threshold.key));
    end(&s);
}

static void point_queue__without_a_log_each_trains(void **unused)
{
    (void)unused;
    study s;
    start(&s, true);
    egc_queued_point first = next(&s, 0, EGC_TRAINING_LOGGED);
    egc_point_queue_end(s.queue, first.point, false, 1); /* diverged, or no room for a log */
    for (size_t i = 1; i < FAKE_SEEDS; i++)
        next(&s, i, EGC_TRAINING_ALONE);
    end(&s);
}

/* ... and the last one needs no log. */
static void point_queue__after_a_failure_the_next_is_the_first(void **unused)
{
    (void)unused;
    study s;
    start(&s, true);
    for (size_t i = 0; i < FAKE_SEEDS; i++) {
        bool is_last = i + 1 == FAKE_SEEDS;
        next(&s, i, is_last ? EGC_TRAINING_ALONE : EGC_TRAINING_LOGGED);
        egc_point_queue_end(s.queue, i, true, 1);
    }
    next(&s, FAKE_SEEDS, EGC_TRAINING_LOGGED);
    end(&s);
}

/* Only pending points count: a resumed run has them without the first. */
static void point_queue__finished_points_are_passed_over(void **unused)
{
    (void)unused;
    study s;
    egc_error err;
    start(&s, true);
    egc_point_queue_free(s.queue);
    memset(s.is_pending, 0, sizeof s.is_pending);
    s.is_pending[3] = s.is_pending[4] = s.is_pending[7] = true;
    assert_ok(
        egc_point_queue_new(&s.fake.experiment, s.is_pending, true, s.spool.text, &s.queue, &err),
        err);
    next(&s, 3, EGC_TRAINING_LOGGED);
    next(&s, 7, EGC_TRAINING_ALONE);
    none_is_next(&s);
    egc_point_queue_end(s.queue, 3, true, 1);
    next(&s, 4, EGC_TRAINING_ALONE);
    none_is_next(&s);
    end(&s);
}

/* Three groups of five. One trained in 8 s: 2 x 8 s and 12 replays, of 8 s each as far as is known;
 * one replay of 1 s later 2 x 8 s and 11 x 1 s are left. */
static void point_queue__the_time_left_tells_replays_from_training(void **unused)
{
    (void)unused;
    study s;
    start(&s, true);
    egc_queued_point first = next(&s, 0, EGC_TRAINING_LOGGED);
    assert_true(isnan(egc_point_queue_left_s(s.queue, 4)));
    leave_log(&s, &first);
    egc_point_queue_end(s.queue, 0, false, 8);
    assert_close(egc_point_queue_left_s(s.queue, 8), 14 * 8, 1e-12);
    next(&s, 1, EGC_TRAINING_REPLAYED);
    egc_point_queue_end(s.queue, 1, false, 1);
    assert_close(egc_point_queue_left_s(s.queue, 9), 2 * 8 + 11, 1e-12);
    assert_close(egc_point_queue_left_s(s.queue, 4.5), (2 * 8 + 11) / 2.,
                 1e-12); /* two at a time */
    end(&s);
}

static void point_queue__unshared_points_are_alone(void **unused)
{
    (void)unused;
    study s;
    start(&s, false);
    for (size_t i = 0; i < FAKE_POINTS; i++)
        next(&s, i, EGC_TRAINING_ALONE);
    none_is_next(&s);
    end(&s);
}

static void point_queue__measured_points_are_alone(void **unused)
{
    (void)unused;
    study s;
    egc_error err;
    start(&s, true);
    egc_point_queue_free(s.queue);
    for (size_t i = 0; i < FAKE_SEEDS; i++)
        s.fake.points[i].config.options.cost = EGC_COST_MEASURED;
    assert_ok(
        egc_point_queue_new(&s.fake.experiment, s.is_pending, true, s.spool.text, &s.queue, &err),
        err);
    for (size_t i = 0; i < FAKE_SEEDS; i++)
        next(&s, i, EGC_TRAINING_ALONE);
    next(&s, FAKE_SEEDS, EGC_TRAINING_LOGGED);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_queue__others_wait_for_the_first),
        cmocka_unit_test(point_queue__without_a_log_each_trains),
        cmocka_unit_test(point_queue__after_a_failure_the_next_is_the_first),
        cmocka_unit_test(point_queue__finished_points_are_passed_over),
        cmocka_unit_test(point_queue__the_time_left_tells_replays_from_training),
        cmocka_unit_test(point_queue__unshared_points_are_alone),
        cmocka_unit_test(point_queue__measured_points_are_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
