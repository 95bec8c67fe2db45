/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Augmented images are windows of the padded one, all of them, mirrored or not. */
#include <math.h>

#include "support/test.h"
#include "workloads/train/augment.h"

enum { CHANNELS = 2, HEIGHT = 9, WIDTH = 7, PAD = 4 };

static const egc_shape SHAPE = {3, {CHANNELS, HEIGHT, WIDTH}};
static float image[CHANNELS][HEIGHT][WIDTH];

static float padded(int channel, int y, int x)
{
    return y < 0 || y >= HEIGHT || x < 0 || x >= WIDTH ? 0 : image[channel][y][x];
}

static int is_window(const float *out, int dy, int dx, int mirror)
{
    for (int channel = 0; channel < CHANNELS; channel++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                int source = (mirror ? WIDTH - 1 - x : x) + dx;
                if (*out++ != padded(channel, y + dy, source))
                    return 0;
            }
    return 1;
}

/* Which window it is: 0 .. 161, or -1. */
static int find_window(const float *out)
{
    for (int dy = -PAD; dy <= PAD; dy++)
        for (int dx = -PAD; dx <= PAD; dx++)
            for (int mirror = 0; mirror < 2; mirror++)
                if (is_window(out, dy, dx, mirror))
                    return ((dy + PAD) * 9 + dx + PAD) * 2 + mirror;
    return -1;
}

/* 162 windows in 8100 draws: 50 each, and none outside 7 deviations of that. */
static void train_augment__windows(void **state)
{
    (void)state;
    float *values = &image[0][0][0], out[CHANNELS * HEIGHT * WIDTH];
    for (int i = 0; i < CHANNELS * HEIGHT * WIDTH; i++)
        values[i] = (float)(i + 1);
    int seen[162] = {0};
    for (uint64_t seed = 0; seed < 8100; seed++) {
        egc_augment(&SHAPE, seed * 0x9e3779b97f4a7c15ull, values, out);
        int window = find_window(out);
        assert_in_range(window, 0, 161);
        seen[window]++;
    }
    for (int i = 0; i < 162; i++)
        assert_in_range(seen[i], 1, 99);
}

static void train_augment__deterministic(void **state)
{
    (void)state;
    float one[CHANNELS * HEIGHT * WIDTH], same[CHANNELS * HEIGHT * WIDTH];
    egc_augment(&SHAPE, 5, &image[0][0][0], one);
    egc_augment(&SHAPE, 5, &image[0][0][0], same);
    assert_memory_equal(one, same, sizeof one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_augment__windows),
        cmocka_unit_test(train_augment__deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
