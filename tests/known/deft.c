/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DEFT: who owns which part, and that nothing builds up. */
#include "support/rounds.h"

/* The example of deft.c. The second worker has parts 1 and 3: elements 2, 3 and 5. At the next step
 * it leads: norms 1, 2, 3, 1 in the parts, one element each; the costs and so the bins are the
 * same, but bin 1 is now the first worker's. */
static void deft__by_hand(void **state)
{
    (void)state;
    play p;
    const size_t layers[] = {4, 1, 1};
    play_init(&p, "deft", (egc_unit){.count = 6, .layers = layers, .n_layers = 3}, 2);
    play_set(&p, "ratio", 0.5);
    play_begin(&p);
    const float x[] = {9, 0, 0, 3, 1, -5, /**/ 0, 1, 2, 0, 3, 1};
    float mean[6];
    play_step(&p, x, mean);
    assert_int_equal(p.bytes[0], 1);
    assert_int_equal(p.first[0], 0x50);
    assert_selected(&p, 4, (uint32_t[]){0, 2, 4, 5});
    assert_true(mean[0] == 4.5f && mean[2] == 1 && mean[4] == 2 && mean[5] == -2);
    play_step(&p, x, mean);
    assert_int_equal(p.first[0], 0x50);
    assert_selected(&p, 4, (uint32_t[]){1, 3, 4, 5});
    play_end(&p);
}

/* Norms 2 and 1 (times 100): k = 6 falls into 4 and 2; the first has room for 3 only and the second
 * takes what is left. */
static void deft__gives_on_what_has_no_room(void **state)
{
    (void)state;
    play p;
    const size_t layers[] = {3, 9};
    play_init(&p, "deft", (egc_unit){.count = 12, .layers = layers, .n_layers = 2}, 1);
    play_set(&p, "ratio", 0.5);
    play_begin(&p);
    const float x[] = {120, -120, 105.83f, 10, 20, 30, 40, 50, -60, 29, 1, 2};
    float mean[12];
    play_step(&p, x, mean);
    assert_selected(&p, 6, (uint32_t[]){0, 1, 2, 6, 7, 8});
    play_end(&p);
}

/* Four layers of 4, 2, 3 and 3 elements with norms 2, 1, 9 and 4 get k = 1, 1, 3 and 1 of 6. Costs
 * are 4, 2, 3 log2 3 = 4.75 and 3, so they go to bins 0 (4.75), 1 (4), 1 (3) and 0 (2): 1001. Every
 * other measure tried (the length, k, their product, log2 k, 0 where k = 1) packs otherwise. */
static void deft__packs_by_the_cost_of_selection(void **state)
{
    (void)state;
    play p;
    const size_t layers[] = {4, 2, 3, 3};
    play_init(&p, "deft", (egc_unit){.count = 12, .layers = layers, .n_layers = 4}, 2);
    play_set(&p, "ratio", 0.5);
    play_begin(&p);
    const float x[24] = {2, 0, 0, 0, 1, 0, 9, 0, 0, 4, 0, 0}; /* the second worker's is 0 */
    float mean[12];
    play_step(&p, x, mean);
    assert_int_equal(p.bytes[0], 1);
    assert_int_equal(p.first[0], 0x90);
    play_end(&p);
}

/* Workers with the same vector select k in all, where each one's top-k would be the same k, and
 * with different vectors again k in all, where the union of their top-k would be nearly P k. */
static void deft__does_not_build_up(void **state)
{
    (void)state;
    enum { N = 1023, K = 102 };
    static float x[8 * N], mean[N];
    const size_t layers[] = {600, 1, 22, 300, 100};
    for (size_t c = 0; c < N_WORKER_COUNTS; c++)
        for (int same = 0; same < 2; same++) {
            play p;
            play_init(&p, "deft", (egc_unit){.count = N, .layers = layers, .n_layers = 5},
                      worker_counts[c]);
            play_set(&p, "ratio", 0.1);
            play_begin(&p);
            for (size_t w = 0; w < p.n_workers; w++)
                fill_input(x + w * N, N, GAUSSIAN, same ? 3 : 3 + w);
            for (int step = 0; step < 3; step++) {
                play_step(&p, x, mean);
                if (same)
                    assert_int_equal(p.selection.count, K);
                assert_true(p.selection.count >= K * 8 / 10 && p.selection.count <= K * 12 / 10);
            }
            play_end(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deft__by_hand),
        cmocka_unit_test(deft__gives_on_what_has_no_room),
        cmocka_unit_test(deft__packs_by_the_cost_of_selection),
        cmocka_unit_test(deft__does_not_build_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
