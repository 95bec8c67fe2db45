/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CLT-k (ScaleCom): the leader's choice by hand. */
#include "support/rounds.h"

/* The example of cltk.c, in which the leader changes at every step. One byte for k, one for the
 * codec; 0 and 2 of 4 are 4 bits in the raw codec (2 each), in a byte. */
static void cltk__by_hand(void **state)
{
    (void)state;
    play p;
    play_init(&p, "cltk", (egc_unit){.count = 4}, 2);
    play_set(&p, "ratio", 0.5);
    play_begin(&p);
    const float x[] = {4, 1, -3, 0, /**/ 0, 5, 1, -2};
    float mean[4];
    for (int turn = 0; turn < 2; turn++) {
        play_step(&p, x, mean);
        assert_selected(&p, 2, (uint32_t[]){0, 2});
        assert_true(mean[0] == 2 && mean[1] == 0 && mean[2] == -1 && mean[3] == 0);
        assert_int_equal(p.bytes[0], 3);
        play_step(&p, x, mean);
        assert_selected(&p, 2, (uint32_t[]){1, 3});
        assert_true(mean[0] == 0 && mean[1] == 3 && mean[2] == 0 && mean[3] == -1);
    }
    play_end(&p);
}

/* Chunks of (4, 1, -3), (0, 0), (0, -2): the largest of each, nothing of the one that is zero. */
static void cltk__by_chunks(void **state)
{
    (void)state;
    play p;
    play_init(&p, "cltk", (egc_unit){.count = 7}, 1);
    play_set(&p, "ratio", 3.0 / 7);
    play_set(&p, "chunked", 1);
    play_begin(&p);
    const float x[] = {4, 1, -4, 0, 0, 0, -2};
    float mean[7];
    play_step(&p, x, mean);
    assert_selected(&p, 2, (uint32_t[]){0, 6});
    play_end(&p);
}

/* Units of fewer than 1/ratio elements send one (kljp/deft sends none). A leader without anything
 * to send sends an empty set. */
static void cltk__sends_one_of_few(void **state)
{
    (void)state;
    play p;
    play_init(&p, "cltk", (egc_unit){.count = 7}, 2);
    play_begin(&p);
    const float x[] = {0, 1, -2, 0, 0, 0, 0, /**/ 0, 0, 0, 0, 0, 0, 0};
    float mean[7];
    play_step(&p, x, mean);
    assert_selected(&p, 1, (uint32_t[]){2});
    assert_true(mean[2] == -1);
    play_step(&p, x, mean);
    assert_int_equal(p.selection.count, 0);
    assert_int_equal(p.bytes[0], 1);
    play_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cltk__by_hand),
        cmocka_unit_test(cltk__by_chunks),
        cmocka_unit_test(cltk__sends_one_of_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
