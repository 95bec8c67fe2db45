/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for every method of several rounds: error feedback stays bounded, any shape works, and
 * hostile messages are refused. */
#include <float.h>

#include "support/rounds.h"

/* Fixed gradients: what the workers keep back, in the mean, must level out, so that after many
 * steps all of the mean gradient has been sent but a bounded rest. */
static void check_feedback(const char *name, egc_unit unit, double most)
{
    enum { P = 3, STEPS = 50, MAX_N = 1200 };
    static float g[P * MAX_N], e[P * MAX_N], mean[MAX_N], left[MAX_N];
    size_t n = unit.count;
    memset(e, 0, sizeof e);
    for (size_t w = 0; w < P; w++)
        fill_input(g + w * n, n, GAUSSIAN, 200 + w);
    play p;
    play_init(&p, name, unit, P);
    if (p.type->density)
        play_set(&p, "ratio", 0.1);
    play_begin(&p);
    double norms[STEPS];
    for (int step = 0; step < STEPS; step++) {
        for (size_t i = 0; i < P * n; i++)
            e[i] += g[i];
        play_step(&p, e, mean);
        for (size_t i = 0; i < n; i++)
            left[i] = 0;
        for (size_t w = 0; w < P; w++)
            for (size_t i = 0; i < n; i++)
                left[i] += (e[w * n + i] - mean[i]) / P;
        for (size_t s = 0; p.type->select && s < p.selection.count; s++)
            for (size_t w = 0; w < P; w++)
                e[w * n + p.selection.index[s]] = 0;
        for (size_t i = 0; !p.type->select && i < P * n; i++)
            e[i] -= mean[i % n];
        norms[step] = norm_of(left, n);
    }
    for (size_t i = 0; i < n; i++)
        left[i] = (g[i] + g[n + i] + g[2 * n + i]) / P;
    double norm = norm_of(left, n);
    for (int step = 0; step < STEPS; step++) {
        double highest = most * norm;
        if (step >= STEPS / 2)
            highest = fmin(highest, 1.15 * norms[STEPS / 2 - 1]);
        assert_true(norms[step] <= highest);
    }
    play_end(&p);
}

static void rounds__feedback_keeps_a_bounded_rest(void **state)
{
    (void)state;
    check_feedback("powersgd", (egc_unit){.count = 1200, .rows = 40}, 5);
    check_feedback("sketch", (egc_unit){.count = 1023}, 10);
}

static const struct {
    const char *name, *key, *word;
} variants[] = {
    {"cltk", NULL, NULL},       {"cltk", "chunked", "true"},
    {"deft", NULL, NULL},       {"sketch", NULL, NULL},
    {"sketch", "rows", "4"},    {"sketch", "columns", "3"},
    {"powersgd", NULL, NULL},   {"powersgd", "warm_start", "false"},
    {"powersgd", "rank", "1"},  {"signsgd", NULL, NULL},
    {"signsgd", "tie", "zero"}, {"signum", NULL, NULL},
    {"signum", "tie", "zero"},
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static void begin_variant(play *p, size_t v, egc_unit unit, size_t n_workers, double ratio)
{
    play_init(p, variants[v].name, unit, n_workers);
    if (variants[v].key)
        play_choose(p, variants[v].key, variants[v].word);
    if (p->type->density)
        play_set(p, "ratio", ratio);
    play_begin(p);
}

/* Layers of a unit of n elements: a long one, one of a single element, the rest. */
static size_t split_layers(size_t n, size_t *layers)
{
    if (n < 4)
        return 0;
    layers[0] = n / 2, layers[1] = 1, layers[2] = n - n / 2 - 1;
    return 3;
}

/* Five steps of every length, number of workers (more than elements too) and family. play_step
 * holds the replica, the selection and the mean to what is promised. */
static void rounds__every_shape_works(void **state)
{
    (void)state;
    enum { MAX_N = 1023 };
    static float x[8 * MAX_N], mean[MAX_N];
    for (size_t v = 0; v < N_VARIANTS; v++)
        for (size_t c = 0; c < N_WORKER_COUNTS; c++)
            for (size_t d = 0; d < N_TEST_DIMS; d++)
                for (int family = 0; family <= N_FAMILIES; family++) {
                    size_t n = test_dims[d], layers[3], n_layers = split_layers(n, layers);
                    egc_unit unit = {.count = n, .rows = n % 3 ? 0 : 3, .n_layers = n_layers};
                    unit.layers = n_layers ? layers : NULL;
                    play p;
                    begin_variant(&p, v, unit, worker_counts[c], 0.05);
                    for (uint64_t step = 0; step < 5; step++) {
                        size_t all = p.n_workers * n;
                        fill_input(x, all, family % N_FAMILIES, step);
                        for (size_t i = 0; i < all && family == N_FAMILIES; i++)
                            x[i] = x[i] < 0 ? -1e38f : 1e38f;
                        play_step(&p, x, mean);
                    }
                    play_end(&p);
                }
}

/* Absorbs into a copy of the replica, with message `which` replaced. */
static egc_status try_absorb(play *p, size_t round, egc_context context, const egc_reader *messages,
                             size_t n_messages, size_t which, const uint8_t *bytes, size_t len,
                             void *replica)
{
    egc_reader readers[PLAY_MAX_WORKERS];
    memcpy(readers, messages, n_messages * sizeof *readers);
    uint8_t *copy = guarded(len);
    if (len)
        memcpy(copy, bytes, len);
    readers[which] = egc_reader_of(copy, len);
    memcpy(replica, p->replica, p->replica_bytes);
    gsl_rng_set(p->shared_rng, egc_rng_derive_seed(2, p->step, 0));
    egc_arena_reset(&p->scratch);
    egc_error err = {0};
    egc_status status = p->rounds->absorb(p->params, replica, &context, round, readers, n_messages,
                                          p->unit.count, &err);
    free_guarded(copy, len);
    return status;
}

/* Bytes that were understood must leave a replica that makes sense. */
static void check_replica(play *p, const egc_context *context, void *replica)
{
    egc_error err = {0};
    size_t n = p->unit.count;
    if (p->type->select) {
        egc_selection s = {.index = guarded(n * sizeof *s.index)};
        assert_ok(p->type->select(p->params, replica, context, NULL, n, &s, &err), err);
        for (size_t i = 0; i < s.count; i++)
            assert_true(s.index[i] < n && (i == 0 || s.index[i] > s.index[i - 1]));
        free_guarded(s.index, n * sizeof *s.index);
        return;
    }
    float *out = guarded(n * sizeof *out);
    assert_ok(p->rounds->reconstruct(p->params, replica, context, out, n, &err), err);
    for (size_t i = 0; i < n; i++)
        assert_true(isfinite(out[i]));
    free_guarded(out, n * sizeof *out);
}

static void spoil(play *p, size_t round, const egc_context *context, const egc_reader *messages,
                  size_t n_messages)
{
    void *replica = malloc(p->replica_bytes);
    bool last = round + 1 == p->rounds->count;
    for (size_t w = 0; w < n_messages; w++) {
        size_t len = egc_reader_left(&messages[w]);
        uint8_t *bytes = malloc(len + 1);
        memcpy(bytes, messages[w].next, len);
        for (size_t shorter = 0; shorter < len; shorter += 1 + len / 40)
            assert_int_equal(
                try_absorb(p, round, *context, messages, n_messages, w, bytes, shorter, replica),
                EGC_ERROR_FORMAT);
        for (size_t bit = 0; bit < 8 * len; bit += 1 + len / 10) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            egc_status status =
                try_absorb(p, round, *context, messages, n_messages, w, bytes, len, replica);
            assert_true(status == EGC_OK || status == EGC_ERROR_FORMAT);
            if (last && !status)
                check_replica(p, context, replica);
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        for (unsigned fill = 0; fill < 256; fill += 51) {
            memset(bytes, (int)fill, len);
            egc_status status =
                try_absorb(p, round, *context, messages, n_messages, w, bytes, len, replica);
            assert_true(status == EGC_OK || status == EGC_ERROR_FORMAT);
            if (last && !status)
                check_replica(p, context, replica);
        }
        free(bytes);
    }
    free(replica);
}

static void rounds__hostile_messages_are_refused(void **state)
{
    (void)state;
    enum { N = 60 };
    static float x[8 * N], mean[N];
    const size_t layers[] = {30, 1, 29};
    for (size_t v = 0; v < N_VARIANTS; v++)
        for (size_t c = 0; c < N_WORKER_COUNTS; c++) {
            play p;
            egc_unit unit = {.count = N, .rows = 6, .layers = layers, .n_layers = 3};
            begin_variant(&p, v, unit, worker_counts[c], 0.1);
            p.spy = spoil;
            for (uint64_t step = 0; step < 2; step++) {
                fill_input(x, p.n_workers * N, GAUSSIAN, step);
                play_step(&p, x, mean);
            }
            play_end(&p);
        }
}

/* What no worker could have sent, though there are bytes enough. */
static void check_nonsense(const char *name, const char *tie, egc_unit unit, size_t n_workers,
                           size_t round, const uint8_t *bytes, size_t len, const char *message)
{
    play p;
    egc_error err = {0};
    egc_reader readers[PLAY_MAX_WORKERS];
    play_init(&p, name, unit, n_workers);
    if (tie)
        play_choose(&p, "tie", tie);
    play_begin(&p);
    for (size_t w = 0; w < n_workers; w++)
        readers[w] = egc_reader_of(bytes, len);
    egc_context context = play_context(&p, 0, round);
    assert_fails(p.rounds->absorb(p.params, p.replica, &context, round, readers, n_workers,
                                  unit.count, &err),
                 err, EGC_ERROR_FORMAT, message);
    play_end(&p);
}

static void rounds__nonsense_is_refused(void **state)
{
    (void)state;
    const egc_unit small = {.count = 4}, large = {.count = 16};
    const uint8_t ones[] = {0xff, 0xff, 0xff, 0xff}, many[] = {5, 0, 0x1b, 0x1b, 0x1b};
    check_nonsense("cltk", NULL, small, 1, 0, many, sizeof many,
                   "message has 5 indices of 4 elements");
    check_nonsense("deft", NULL, small, 3, 0, ones, 1, "bin 3 of 3");
    check_nonsense("signsgd", "zero", large, 2, 1, ones, 2, "a vote is both tied and minus");
    check_nonsense("signsgd", NULL, (egc_unit){.count = 15}, 2, 1, ones, 1,
                   "the padding after 7 signs is not zero");
    const float huge = 0.9f * FLT_MAX;
    check_nonsense("powersgd", NULL, (egc_unit){.count = 1}, 1, 1, (const uint8_t *)&huge,
                   sizeof huge, "an element of Q is not finite, or too large");
}

/* Sums that are not finite are refused. */
static void refuse_infinite_sum(play *p, size_t round, const egc_context *context,
                                const egc_reader *messages, size_t n_messages)
{
    const float bad[] = {INFINITY, -INFINITY, NAN};
    void *replica = malloc(p->replica_bytes);
    size_t len = egc_reader_left(messages);
    for (size_t b = 0; b < 3; b++)
        for (size_t at = 0; at + sizeof(float) <= len; at += sizeof(float)) {
            uint8_t *bytes = malloc(len);
            memcpy(bytes, messages->next, len);
            memcpy(bytes + at, &bad[b], sizeof bad[b]);
            assert_int_equal(
                try_absorb(p, round, *context, messages, n_messages, 0, bytes, len, replica),
                EGC_ERROR_FORMAT);
            free(bytes);
        }
    free(replica);
}

static void rounds__infinite_sums_are_refused(void **state)
{
    (void)state;
    const char *const names[] = {"sketch", "powersgd"};
    for (int i = 0; i < 2; i++) {
        play p;
        float x[60], mean[60];
        play_init(&p, names[i], (egc_unit){.count = 60, .rows = 6}, 1);
        play_begin(&p);
        p.spy = refuse_infinite_sum;
        fill_input(x, 60, GAUSSIAN, 1);
        play_step(&p, x, mean);
        play_end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds__feedback_keeps_a_bounded_rest),
        cmocka_unit_test(rounds__every_shape_works),
        cmocka_unit_test(rounds__hostile_messages_are_refused),
        cmocka_unit_test(rounds__nonsense_is_refused),
        cmocka_unit_test(rounds__infinite_sums_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
