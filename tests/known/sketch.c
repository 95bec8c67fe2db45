/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Count-Sketch against its definition, and what is found in it. */
#include "support/rounds.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t cubic(const uint64_t *c, uint64_t i)
{
    const uint64_t prime = (1ull << 61) - 1;
    uint64_t value = 0;
    for (int power = 3; power >= 0; power--)
        value = (uint64_t)(((wide)value * i + c[power]) % prime);
    return value;
}

/* The table by definition: polynomials evaluated one by one, sums in double. */
static void sketch__is_its_definition(void **state)
{
    (void)state;
    enum { N = 331, ROWS = 4, COLUMNS = 16 };
    play p;
    play_init(&p, "sketch", (egc_unit){.count = N}, 1);
    play_set(&p, "rows", ROWS);
    play_set(&p, "columns", COLUMNS);
    play_begin(&p);
    float x[N], mean[N];
    double table[ROWS][COLUMNS] = {0}, estimates[N];
    fill_input(x, N, GAUSSIAN, 5);
    play_step(&p, x, mean);

    uint64_t c[ROWS][4];
    gsl_rng_set(p.shared_rng, egc_rng_derive_seed(2, 0, 0));
    for (int j = 0; j < ROWS; j++)
        for (int d = 0; d < 4; d++)
            c[j][d] = gsl_rng_uniform_int(p.shared_rng, (1ull << 61) - 1);
#define CELL(j, i) table[j][(cubic(c[j], i) >> 29) * COLUMNS >> 32]
#define SIGN(j, i) (cubic(c[j], i) & 1 ? -1.0 : 1.0)
    for (int j = 0; j < ROWS; j++)
        for (uint64_t i = 0; i < N; i++)
            CELL(j, i) += SIGN(j, i) * (double)x[i];
    for (int j = 0; j < ROWS; j++)
        for (int b = 0; b < COLUMNS; b++)
            assert_true(fabs((double)p.first_floats[j * COLUMNS + b] - table[j][b]) < 1e-8);

    /* The three largest medians of four: the mean of the middle two. */
    for (uint64_t i = 0; i < N; i++) {
        double v[ROWS], low = INFINITY, high = -INFINITY, sum = 0;
        for (int j = 0; j < ROWS; j++) {
            v[j] = SIGN(j, i) * CELL(j, i);
            low = fmin(low, v[j]), high = fmax(high, v[j]), sum += v[j];
        }
        estimates[i] = fabs(sum - low - high) / 2;
    }
    assert_int_equal(p.selection.count, 3);
    for (size_t s = 0; s < 3; s++) {
        int larger = 0;
        for (size_t i = 0; i < N; i++)
            larger += estimates[i] > estimates[p.selection.index[s]] + 1e-8;
        assert_true(larger < 3);
    }
    play_end(&p);
}

/* Three elements of 100 to 1000 times the noise, each split over the workers: found among 10000. */
static void sketch__finds_heavy_hitters(void **state)
{
    (void)state;
    enum { N = 10000, P = 4 };
    static float x[P * N], mean[N];
    play p;
    play_init(&p, "sketch", (egc_unit){.count = N}, P);
    play_set(&p, "ratio", 3.0 / N);
    play_set(&p, "columns", 1000);
    play_begin(&p);
    for (size_t w = 0; w < P; w++) {
        fill_input(x + w * N, N, GAUSSIAN, 50 + w);
        x[w * N + 17] = 0.25f, x[w * N + 5000] = -0.5f, x[w * N + 9999] = 0.1f * (float)w;
    }
    for (int step = 0; step < 20; step++) {
        play_step(&p, x, mean);
        assert_selected(&p, 3, (uint32_t[]){17, 5000, 9999});
        assert_true(mean[17] == 0.25f && mean[5000] == -0.5f);
        assert_int_equal(p.bytes[0], P * 5 * 1000 * sizeof(float));
    }
    play_end(&p);
}

/* The table of a sum is the sum of the tables, so workers and one worker with the sum agree. */
static void sketch__is_linear(void **state)
{
    (void)state;
    enum { N = 1023, P = 5 };
    static float x[P * N], sum[N], mean[N];
    float cells[sizeof((play *)0)->first_floats / sizeof(float)];
    play p;
    play_init(&p, "sketch", (egc_unit){.count = N}, P);
    play_begin(&p);
    for (size_t w = 0; w < P; w++) {
        fill_input(x + w * N, N, HEAVY_TAIL, 70 + w);
        for (size_t i = 0; i < N; i++)
            sum[i] += x[w * N + i];
    }
    play_step(&p, x, mean);
    memcpy(cells, p.first_floats, sizeof cells);
    play_end(&p);
    play_init(&p, "sketch", (egc_unit){.count = N}, 1);
    play_begin(&p);
    play_step(&p, sum, mean);
    double norm = norm_of(sum, N);
    for (size_t b = 0; b < sizeof cells / sizeof *cells; b++)
        assert_true(fabs((double)cells[b] - (double)p.first_floats[b]) <= 1e-6 * norm);
    play_end(&p);
}

/* Of one worker with few elements, and of none at all. */
static void sketch__by_hand(void **state)
{
    (void)state;
    play p;
    float mean[4];
    play_init(&p, "sketch", (egc_unit){.count = 4}, 1);
    play_set(&p, "rows", 1);
    play_set(&p, "columns", 1);
    play_begin(&p);
    play_step(&p, (const float[]){0, 0, 5, 0}, mean);
    assert_true(fabsf(p.first_floats[0]) == 5);
    assert_selected(&p, 1, (uint32_t[]){0});
    play_step(&p, (const float[]){0, 0, 0, 0}, mean);
    assert_int_equal(p.selection.count, 0);
    play_end(&p);
}

static void sketch__pays_below_a_cell_an_element(void **state)
{
    (void)state;
    play p;
    play_init(&p, "sketch", (egc_unit){.count = 1000}, 1);
    assert_true(p.type->pays(p.params, &p.unit)); /* 5 rows of 4 * 10 */
    play_set(&p, "columns", 199);
    assert_true(p.type->pays(p.params, &p.unit));
    play_set(&p, "columns", 200);
    assert_false(p.type->pays(p.params, &p.unit));
    p.unit.count = 20;
    play_choose(&p, "columns", "auto");
    assert_false(p.type->pays(p.params, &p.unit)); /* 5 rows of 4 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sketch__is_its_definition),
        cmocka_unit_test(sketch__finds_heavy_hitters),
        cmocka_unit_test(sketch__is_linear),
        cmocka_unit_test(sketch__by_hand),
        cmocka_unit_test(sketch__pays_below_a_cell_an_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
