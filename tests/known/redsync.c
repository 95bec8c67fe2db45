/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RedSync's two searches and its quantised form. */
#include <stdlib.h>

#include "support/select.h"

static void redsync__by_hand(void **state)
{
    (void)state;
    const float x[] = {1, -8, 6, 1, 1, 1, 7.2f, 1}; /* worked in redsync.c */
    assert_chooses("redsync", "ratio=0.375", x, 1);
    assert_chooses("redsync", "ratio=0.375;search=trimmed", x, 1, 2, 6);
    /* mean 3.55, max 10: t(0.5) = 6.775 has 3 above it, between k = 2 and 4: taken at once */
    const float taken[] = {1, 10, 1, -9, 1, 9.5f, 1, 1, 1, 1};
    assert_chooses("redsync", "ratio=0.2", taken, 1, 3, 5);
}

/* Nothing above the maximum: with a strict comparison equal magnitudes, and so layers of one
 * element, would never be sent. */
static void redsync__equal_magnitudes(void **state)
{
    (void)state;
    const float one[] = {-2.5f}, equal[] = {7, -7, 7, 7, -7}, zeros[3] = {0};
    assert_all("redsync", "", one, 1);
    assert_all("redsync", "", equal, 5);
    assert_none("redsync", "", zeros, 3);
    assert_chooses("redsync", "ratio=0.4;search=trimmed", equal, 0, 1);
    assert_none("redsync", "search=trimmed", zeros, 3);
    assert_none("redsync", "quantize=true", zeros, 3);
    assert_none("redsync", "quantize=true", one, 1); /* step 0 sends the positive ones */
}

/* Trimmed is exact; a public copy leaves the exact step out and sends what passed the threshold. */
static void redsync__trimmed_is_top_k(void **state)
{
    (void)state;
    const double ratios[] = {0.001, 0.1, 0.5, 0.9, 1};
    float x[1023];
    for (int family = 0; family < N_FAMILIES; family++)
        for (int r = 0; r < 5; r++) {
            char settings[64];
            fill_input(x, 1023, family, 31);
            snprintf(settings, sizeof settings, "ratio=%g", ratios[r]);
            egc_method topk = method_of("topk", settings), redsync = method_of("redsync", settings);
            egc_error err = {0};
            egc_scalar trimmed = {.kind = EGC_SCALAR_TEXT, .text = "trimmed"};
            assert_ok(egc_method_set(&redsync, "search", &trimmed, &err), err);
            egc_selection a = run(&topk, (call){0}, x, 1023);
            egc_selection b = run(&redsync, (call){0}, x, 1023);
            assert_same(&a, &b);
            for (size_t i = 0; i < b.count; i++)
                assert_true(b.value[i] == x[b.index[i]]);
            release(&a), release(&b);
        }
}

/* One sign a step, in turn, all as their mean. */
static void redsync__quantised(void **state)
{
    (void)state;
    const float x[] = {5, -8, 3, 1, -4, -6, 0, 2};
    egc_method method = method_of("redsync", "ratio=0.25;search=trimmed;quantize=true");
    egc_selection even = run(&method, (call){.step = 4}, x, 8);
    egc_selection odd = run(&method, (call){.step = 5}, x, 8);
    check_chosen(&even, (const uint32_t[]){0, 2}, 2, "positive");
    check_chosen(&odd, (const uint32_t[]){1, 5}, 2, "negative");
    assert_true(even.value[0] == 4 && even.value[1] == 4 && odd.value[0] == -7 &&
                odd.value[1] == -7);
    release(&even), release(&odd);
}

/* A threshold of 6.775 (as in redsync_by_hand) serves three steps; it is looked for again early
 * when nothing passes it. */
static void redsync__reuses_thresholds(void **state)
{
    (void)state;
    const float x[] = {1, 10, 1, -9, 1, 9.5f, 1, 1, 1, 1}, y[] = {1, 8, 1, -6, 1, 7, 1, 1, 1, 1};
    egc_method method = method_of("redsync", "ratio=0.2;reuse=3");
    void *memory = new_state(&method, 10);
    const struct {
        const float *input;
        size_t count;
    } steps[] = {{x, 3}, {y, 2}, {y, 2}, {y, 3}}; /* y's own t(0.5) = 5.4 has three above it */
    for (uint64_t step = 0; step < 4; step++) {
        egc_selection s =
            run(&method, (call){.step = step, .state = memory}, steps[step].input, 10);
        assert_int_equal(s.count, steps[step].count);
        release(&s);
    }
    float small[10];
    for (int i = 0; i < 10; i++)
        small[i] = x[i] / 100;
    egc_selection s = run(&method, (call){.step = 4, .state = memory}, small, 10);
    assert_int_equal(s.count, 3);
    release(&s);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redsync__by_hand),           cmocka_unit_test(redsync__equal_magnitudes),
        cmocka_unit_test(redsync__trimmed_is_top_k),  cmocka_unit_test(redsync__quantised),
        cmocka_unit_test(redsync__reuses_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
