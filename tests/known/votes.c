/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Votes of signs by hand and by counting; Signum's memory. */
#include <float.h>

#include "support/rounds.h"

/* The example of signsgd.c, and that zeros of either sign are +1. */
static void votes__by_hand(void **state)
{
    (void)state;
    const float x[] = {1, -2, 0, /**/ -1, -1, -3};
    for (int zero = 0; zero < 2; zero++) {
        play p;
        float mean[3];
        play_init(&p, "signsgd", (egc_unit){.count = 3}, 2);
        play_choose(&p, "tie", zero ? "zero" : "plus");
        play_begin(&p);
        play_step(&p, x, mean);
        assert_true(mean[0] == (zero ? 0 : 1) && mean[1] == -1 && mean[2] == (zero ? 0 : 1));
        assert_int_equal(p.bytes[0], 4); /* shards of 2 and 1 elements, a byte each */
        assert_int_equal(p.bytes[1], zero ? 4 : 2);
        play_step(&p, (const float[]){-0.0f, 0, -1, /**/ 0, -0.0f, -2}, mean);
        assert_true(mean[0] == 1 && mean[1] == 1 && mean[2] == -1);
        play_end(&p);
    }
}

/* Every vote against counting, for every P, lengths around bytes and words, and both ties. */
static void votes__are_majorities(void **state)
{
    (void)state;
    enum { MAX_N = 1023, MAX_P = 16 };
    static float x[MAX_P * MAX_N], mean[MAX_N];
    for (size_t P = 1; P <= MAX_P; P++)
        for (size_t d = 0; d < N_TEST_DIMS; d++)
            for (int zero = 0; zero < 2; zero++) {
                size_t n = test_dims[d];
                play p;
                play_init(&p, "signsgd", (egc_unit){.count = n}, P);
                play_choose(&p, "tie", zero ? "zero" : "plus");
                play_begin(&p);
                fill_input(x, P * n, TIES, 5 * P + n);
                play_step(&p, x, mean);
                for (size_t i = 0; i < n; i++) {
                    int votes = 0;
                    for (size_t w = 0; w < P; w++)
                        votes += x[w * n + i] < 0 ? -1 : 1;
                    int want = votes ? (votes > 0 ? 1 : -1) : !zero;
                    assert_int_equal(mean[i], want);
                }
                play_end(&p);
            }
}

/* Without the vote: five signs in a byte, 10110 and padding, and a weighted sum. */
static void votes__signs_without_a_vote(void **state)
{
    (void)state;
    const egc_compressor_type *type;
    egc_error err = {0};
    assert_ok(egc_compressor_find("signsgd", &type, &err), err);
    struct {
        bool vote;
        int tie;
    } params = {false, 0};
    assert_null(egc_compressor_rounds(type, &params));
    const float x[] = {-1, 0, -3, -1e-45f, 2};
    float out[] = {1, 1, 1, 1, 1};
    egc_buf wire = {0};
    assert_ok(type->encode(&params, NULL, NULL, x, 5, &wire, &err), err);
    assert_int_equal(wire.len, 1);
    assert_int_equal(wire.len, type->bound(&params, 5));
    assert_int_equal(wire.data[0], 0xb0);
    egc_reader reader = egc_reader_of(wire.data, 1);
    assert_ok(type->decode(&params, &reader, 0.5f, out, 5, &err), err);
    const float want[] = {0.5f, 1.5f, 0.5f, 0.5f, 1.5f};
    assert_memory_equal(out, want, sizeof out);
    wire.data[0] |= 1;
    reader = egc_reader_of(wire.data, 1);
    assert_fails(type->decode(&params, &reader, 1, out, 5, &err), err, EGC_ERROR_FORMAT,
                 "the padding after 5 signs is not zero");
    params.tie = 1;
    assert_fails(type->check(&params, &err), err, EGC_ERROR_UNSUPPORTED,
                 "tie = \"zero\" needs vote = true");
    egc_buf_fini(&wire);
}

/* The example of signum.c, by vote and by message: a buffer made anew at each step would turn at
 * the second. Every element has its own momentum, whatever shard it is in. */
static void votes__signum_remembers(void **state)
{
    (void)state;
    enum { N = 5, P = 3, STEPS = 6 };
    const float g[STEPS] = {4, -1, -1, -1, -1, -1}, want[STEPS] = {1, 1, 1, 1, -1, -1};
    play p;
    play_init(&p, "signum", (egc_unit){.count = N}, P);
    play_begin(&p);
    float kept[N] = {0}, x[P * N], mean[N];
    struct {
        bool vote;
        int tie;
        double beta;
    } alone = {false, 0, 0.9};
    for (int step = 0; step < STEPS; step++) {
        for (size_t i = 0; i < P * N; i++)
            x[i] = i % N % 2 ? -g[step] : g[step];
        play_step(&p, x, mean);
        egc_error err = {0};
        egc_buf wire = {0};
        float decoded[N] = {0};
        assert_ok(p.type->encode(&alone, kept, NULL, x, N, &wire, &err), err);
        egc_reader reader = egc_reader_of(wire.data, wire.len);
        assert_ok(p.type->decode(&alone, &reader, 1, decoded, N, &err), err);
        egc_buf_fini(&wire);
        for (size_t i = 0; i < N; i++) {
            assert_true(mean[i] == (i % 2 ? -want[step] : want[step]));
            assert_true(decoded[i] == mean[i]);
            for (size_t w = 0; w < P; w++)
                assert_true(((float *)p.state[w])[i] == kept[i]);
        }
    }
    assert_close((double)kept[0], -0.173314, 1e-6);
    play_end(&p);
}

/* Momentum of the largest floats stays a number. */
static void votes__signum_of_the_largest_floats(void **state)
{
    (void)state;
    play p;
    float mean[2];
    play_init(&p, "signum", (egc_unit){.count = 2}, 1);
    play_begin(&p);
    for (int step = 0; step < 300; step++)
        play_step(&p, (const float[]){FLT_MAX, -FLT_MAX}, mean);
    for (int step = 0; step < 300; step++)
        play_step(&p, (const float[]){-FLT_MAX, FLT_MAX}, mean);
    assert_true(mean[0] == -1 && mean[1] == 1);
    play_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(votes__by_hand),
        cmocka_unit_test(votes__are_majorities),
        cmocka_unit_test(votes__signs_without_a_vote),
        cmocka_unit_test(votes__signum_remembers),
        cmocka_unit_test(votes__signum_of_the_largest_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
