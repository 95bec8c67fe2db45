/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of the public interface: the bytes are those of the coders below it, calls out of order are
 * refused, and each option that concerns a whole step is kept to. */
#include "compressors/egc.h"
#include "support/inputs.h"
#include "support/team.h"

enum { N = 200, FIRST = 34 };

static const egc_model_layer layers[] = {
    {"a", 1, 0, 0}, {"b", 33, 0, 0}, {"c", 166, 2, 1}, /* two buckets */
};
static const egc_unit units[] = {{.name = "a", .first = 0, .count = 1},
                                 {.name = "b", .first = 1, .count = 33},
                                 {.name = "c", .first = 34, .count = 166, .rows = 2}};

static egc_worker *worker_of(const char *method, const char *parameters, size_t rank,
                             size_t n_workers, egc_worker *peer)
{
    egc_error err = {0};
    egc_setup *setup;
    egc_worker *worker;
    assert_ok(egc_setup_new(method, parameters, &setup, &err), err);
    assert_ok(egc_setup_workers(setup, n_workers, 1, &err), err);
    assert_ok(egc_setup_layers(setup, layers, 3, &err), err);
    assert_ok(egc_worker_new(setup, rank, peer, &worker, &err), err);
    egc_setup_free(setup);
    return worker;
}

static egc_message message_of(egc_worker *worker, size_t bucket, const float *gradient)
{
    egc_error err = {0};
    egc_message message;
    assert_ok(egc_step_gradient(worker, bucket, gradient, &err), err);
    assert_ok(egc_step_message(worker, bucket, 0, &message, &err), err);
    return message;
}

/* Buckets handed in back to front give the bytes and averages of a flat gradient. */
static void step__same_as_coders(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "ratio=0.1", "ratio=0.1;memory=momentum;residual_decay=0.9;residual_lr=rescale",
        "ratio=0.1;value=q8;memory=ef21;entropy=range"};
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        egc_method method = method_of("topk", settings[s]);
        test_team *team = team_new(&method, 1, units, 3);
        egc_worker *worker = worker_of("topk", settings[s], 0, 1, NULL);
        for (uint64_t step = 0; step < 4; step++) {
            float g[N], want[N], got[N], *gradient = g;
            double lr = 0.1 / (double)(step + 1);
            fill_input(g, N, (int)step % 3, 7 + step);
            team_step(team, step, lr, &gradient, want);
            egc_error err = {0};
            assert_ok(egc_step_begin(worker, step, lr, &err), err);
            egc_message last = message_of(worker, 1, g + FIRST);
            egc_message front = message_of(worker, 0, g);
            assert_ok(egc_step_absorb(worker, 0, 0, &front, 1, got, &err), err);
            assert_ok(egc_step_absorb(worker, 1, 0, &last, 1, got + FIRST, &err), err);
            assert_memory_equal(got, want, sizeof got);
            const float *residual = egc_worker_residual(worker);
            assert_true((residual == NULL) == (s == 2)); /* ef21 keeps an estimate */
            if (residual)
                assert_memory_equal(residual, egc_encoder_residual(team->encoder[0]), sizeof g);
        }
        egc_worker_free(worker);
        team_free(team);
    }
}

static void step__order(void **state)
{
    (void)state;
    float g[N] = {1}, average[N];
    egc_error err;
    egc_message m;
    egc_worker *w = worker_of("topk", NULL, 0, 1, NULL);
    assert_fails(egc_step_gradient(w, 0, g, &err), err, EGC_ERROR_UNSUPPORTED,
                 "no step is under way: egc_step_begin comes first");
    assert_ok(egc_step_begin(w, 5, NAN, &err), err);
    assert_fails(egc_step_begin(w, 5, NAN, &err), err, EGC_ERROR_RANGE,
                 "step must be larger than the one before, 5, got 5");
    assert_fails(egc_step_gradient(w, 2, g, &err), err, EGC_ERROR_RANGE,
                 "bucket must be below 2, got 2");
    assert_fails(egc_step_message(w, 0, 0, &m, &err), err, EGC_ERROR_UNSUPPORTED,
                 "bucket 0 has no gradient at this step: egc_step_gradient comes first");
    m = message_of(w, 0, g);
    assert_fails(egc_step_gradient(w, 0, g, &err), err, EGC_ERROR_UNSUPPORTED,
                 "bucket 0 has its gradient of this step already");
    assert_int_equal(egc_step_message(w, 0, 0, &m, NULL), EGC_ERROR_UNSUPPORTED);
    assert_fails(egc_step_message(w, 0, 1, &m, &err), err, EGC_ERROR_RANGE,
                 "round must be below 1, got 1");
    assert_int_equal(egc_step_absorb(w, 1, 0, &m, 1, average, NULL), EGC_ERROR_UNSUPPORTED);
    assert_fails(egc_step_absorb(w, 0, 0, &m, 1, NULL, &err), err, EGC_ERROR_RANGE,
                 "average must not be NULL in the last round");
    assert_fails(egc_step_absorb(w, 0, 0, &m, 2, average, &err), err, EGC_ERROR_RANGE,
                 "messages must be in [1, 1], got 2");
    assert_fails(egc_step_absorb_sum(w, 0, 0, &m, average, &err), err, EGC_ERROR_UNSUPPORTED,
                 "the messages of round 0 of topk cannot be summed");
    assert_ok(egc_step_absorb(w, 0, 0, &m, 1, average, &err), err);
    assert_int_equal(egc_step_absorb(w, 0, 0, &m, 1, average, NULL), EGC_ERROR_UNSUPPORTED);
    egc_worker_free(w);
}

/* Clipping and skipping are decided from the whole gradient. */
static void step__whole_gradient(void **state)
{
    (void)state;
    float g[N] = {0}, bad[N] = {NAN}, average[N];
    egc_error err;
    egc_message m;
    g[0] = 3, g[FIRST] = 4;
    egc_worker *w = worker_of("none", "clip=2.5", 0, 1, NULL);
    assert_true(egc_worker_needs_whole_gradient(w));
    assert_ok(egc_step_begin(w, 0, NAN, &err), err);
    assert_ok(egc_step_gradient(w, 0, g, &err), err);
    assert_fails(egc_step_message(w, 0, 0, &m, &err), err, EGC_ERROR_UNSUPPORTED,
                 "clip and nonfinite = \"skip\" need the gradients of all 2 buckets first, got 1");
    assert_ok(egc_step_gradient(w, 1, g + FIRST, &err), err);
    assert_ok(egc_step_message(w, 0, 0, &m, &err), err);
    assert_ok(egc_step_absorb(w, 0, 0, &m, 1, average, &err), err);
    assert_true(average[0] == 1.5f); /* 3 * 2.5 / 5 */
    egc_worker_free(w);

    w = worker_of("topk", "ratio=1;nonfinite=skip", 0, 1, NULL);
    assert_ok(egc_step_begin(w, 0, NAN, &err), err);
    assert_ok(egc_step_gradient(w, 1, g + FIRST, &err), err);
    assert_ok(egc_step_gradient(w, 0, bad, &err), err);
    assert_ok(egc_step_message(w, 1, 0, &m, &err), err);
    assert_ok(egc_step_absorb(w, 1, 0, &m, 1, average + FIRST, &err), err);
    assert_true(average[FIRST] == 0);
    egc_bucket_metrics metrics;
    assert_ok(egc_step_metrics(w, 0, &metrics, &err), err);
    assert_int_equal(metrics.nan_count, 1);
    egc_worker_free(w);
}

static void step__metrics(void **state)
{
    (void)state;
    float g[N] = {0}, average[N], inf[N] = {INFINITY};
    egc_error err;
    egc_bucket_metrics metrics;
    g[FIRST] = 4, g[FIRST + 9] = 3;
    egc_worker *w = worker_of("topk", "ratio=0.006", 0, 1, NULL); /* 1 of 166 */
    assert_false(egc_worker_needs_whole_gradient(w));
    assert_ok(egc_step_begin(w, 0, NAN, &err), err);
    egc_message m = message_of(w, 1, g + FIRST);
    assert_ok(egc_step_absorb(w, 1, 0, &m, 1, average, &err), err);
    assert_ok(egc_step_metrics(w, 1, &metrics, &err), err);
    assert_true(metrics.sent == 1 && metrics.bytes == m.len - 2);
    assert_true(metrics.gradient_norm2 == 25 && metrics.input_norm2 == 25);
    assert_true(metrics.sent_norm2 == 16 && metrics.error_norm2 == 9);
    assert_true(metrics.residual_norm2 == 9 && metrics.correction == 1);
    assert_true(egc_worker_residual(w)[FIRST + 9] == 3);
    assert_fails(egc_step_gradient(w, 0, inf, &err), err, EGC_ERROR_NONFINITE,
                 "a: gradient has 0 NaN and 1 Inf among 1 elements");
    assert_int_equal(egc_step_metrics(w, 2, &metrics, NULL), EGC_ERROR_RANGE);
    egc_worker_free(w);
}

/* A server takes what has arrived, and gradients are its clients' business. */
static void step__receiver(void **state)
{
    (void)state;
    float g[2][N] = {{2}, {4}}, average[N];
    egc_error err;
    egc_message m[2];
    egc_worker *server = worker_of("topk", "ratio=1", EGC_RECEIVER, 2, NULL), *client[2];
    assert_ok(egc_step_begin(server, 0, NAN, &err), err);
    for (size_t c = 0; c < 2; c++) {
        client[c] = worker_of("topk", "ratio=1", c, 2, c ? client[0] : NULL);
        assert_ok(egc_step_begin(client[c], 0, NAN, &err), err);
        m[c] = message_of(client[c], 0, g[c]);
    }
    assert_fails(egc_step_gradient(server, 0, g[0], &err), err, EGC_ERROR_UNSUPPORTED,
                 "a receiver has no gradient");
    assert_null(egc_worker_residual(server));
    assert_ok(egc_step_absorb(server, 0, 0, m, 2, average, &err), err);
    assert_true(average[0] == 3);
    assert_ok(egc_step_begin(server, 1, NAN, &err), err);
    assert_ok(egc_step_absorb(server, 0, 0, &m[1], 1, average, &err), err);
    assert_true(average[0] == 4);
    egc_worker_free(client[0]); /* the working memory lives until its last user */
    assert_ok(egc_step_begin(client[1], 1, NAN, &err), err);
    assert_true(message_of(client[1], 0, g[1]).len > 0);
    egc_worker_free(client[1]);
    egc_worker_free(server);
}

static void step__regroup(void **state)
{
    (void)state;
    float g[N] = {6}, average[N];
    egc_error err;
    egc_worker *w = worker_of("none", "predivide=true", 2, 3, NULL);
    assert_ok(egc_worker_regroup(w, 1, 2, &err), err);
    assert_fails(egc_worker_regroup(w, 0, 3, &err), err, EGC_ERROR_RANGE,
                 "workers must be in [1, 2], got 3");
    assert_fails(egc_worker_regroup(w, 2, 2, &err), err, EGC_ERROR_RANGE,
                 "rank must be below the workers, got 2");
    assert_ok(egc_step_begin(w, 0, NAN, &err), err);
    egc_message m = message_of(w, 0, g);
    assert_fails(egc_step_absorb(w, 0, 0, &m, 1, average, &err), err, EGC_ERROR_RANGE,
                 "messages must be in [2, 2], got 1"); /* of halves: one is not the mean */
    assert_ok(egc_step_absorb_sum(w, 0, 0, &m, average, &err), err);
    assert_true(average[0] == 3); /* the sum of one worker's half */
    egc_worker_free(w);
    w = worker_of("cltk", NULL, 0, 2, NULL);
    assert_fails(egc_worker_regroup(w, 0, 1, &err), err, EGC_ERROR_UNSUPPORTED,
                 "the rounds of cltk are tied to the first number of workers");
    egc_worker_free(w);
}

/* Every cut and every changed byte of a message is one clean answer. */
static void step__damage(void **state)
{
    (void)state;
    float g[N], average[N];
    egc_error err;
    fill_input(g, N, 0, 1);
    egc_worker *w = worker_of("topk", "ratio=0.1", 0, 1, NULL);
    uint64_t step = 0;
    assert_ok(egc_step_begin(w, step++, NAN, &err), err);
    egc_message m = message_of(w, 1, g);
    uint8_t *copy = malloc(m.len);
    memcpy(copy, m.data, m.len);
    egc_message cut = {copy, m.len};
    egc_worker *server = worker_of("topk", "ratio=0.1", EGC_RECEIVER, 1, NULL);
    for (cut.len = 0; cut.len < m.len; cut.len++) {
        assert_ok(egc_step_begin(server, step++, NAN, &err), err);
        assert_int_equal(egc_step_absorb(server, 1, 0, &cut, 1, average, NULL), EGC_ERROR_FORMAT);
    }
    for (size_t i = 0; i < 2; i++) { /* of the fingerprint */
        copy[i] ^= 1;
        assert_ok(egc_step_begin(server, step++, NAN, &err), err);
        assert_int_equal(egc_step_absorb(server, 1, 0, &cut, 1, average, NULL), EGC_ERROR_FORMAT);
        copy[i] ^= 1;
    }
    free(copy);
    egc_worker_free(w);
    egc_worker_free(server);
}

/* One vector: its bytes are a worker's, and its steps count themselves. */
static void step__vector(void **state)
{
    (void)state;
    float g[N], average[N], want[N], *gradient = g;
    egc_error err = {0};
    egc_vector *v;
    egc_message m;
    test_team *team = team_of_one("randomk", "ratio=0.1", N);
    assert_ok(egc_vector_new("randomk", "ratio=0.1", N, 0, 1, &v, &err), err);
    assert_int_equal(egc_vector_average(v, NULL, 1, average, NULL), EGC_ERROR_UNSUPPORTED);
    for (uint64_t step = 0; step < 3; step++) {
        fill_input(g, N, 0, step);
        team_step(team, step, NAN, &gradient, want);
        assert_ok(egc_vector_encode(v, g, &m, &err), err);
        assert_ok(egc_vector_average(v, &m, 1, average, &err), err);
        assert_memory_equal(average, want, sizeof want);
    }
    assert_int_equal(egc_vector_average(v, &m, 1, average, NULL), EGC_ERROR_UNSUPPORTED);
    egc_vector_free(v);
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step__same_as_coders), cmocka_unit_test(step__order),
        cmocka_unit_test(step__whole_gradient), cmocka_unit_test(step__metrics),
        cmocka_unit_test(step__receiver),       cmocka_unit_test(step__regroup),
        cmocka_unit_test(step__damage),         cmocka_unit_test(step__vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
