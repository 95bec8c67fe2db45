/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PowerSGD against a plain version in double precision, and at the ends of floats. */
#include <float.h>
#include <gsl/gsl_randist.h>

#include "support/rounds.h"

enum { MAX_SIDE = 64, MAX_RANK = 8 };

/* PowerSGD as it is written, in double precision: no norms but Gram-Schmidt's, Q as it comes. */
typedef struct reference {
    size_t rows, columns, rank;
    double p[MAX_RANK][MAX_SIDE], q[MAX_RANK][MAX_SIDE];
} reference;

static void reference_step(reference *r, const float *x, size_t n_workers, double *mean)
{
    static double m[MAX_SIDE][MAX_SIDE];
    for (size_t i = 0; i < r->rows; i++)
        for (size_t j = 0; j < r->columns; j++) {
            m[i][j] = 0;
            for (size_t w = 0; w < n_workers; w++)
                m[i][j] += (double)x[(w * r->rows + i) * r->columns + j] / (double)n_workers;
        }
    for (size_t k = 0; k < r->rank; k++) {
        for (size_t i = 0; i < r->rows; i++) {
            r->p[k][i] = 0;
            for (size_t j = 0; j < r->columns; j++)
                r->p[k][i] += m[i][j] * r->q[k][j];
        }
        double norm = 0;
        for (size_t before = 0; before < k; before++) {
            double dot = 0;
            for (size_t i = 0; i < r->rows; i++)
                dot += r->p[before][i] * r->p[k][i];
            for (size_t i = 0; i < r->rows; i++)
                r->p[k][i] -= dot * r->p[before][i];
        }
        for (size_t i = 0; i < r->rows; i++)
            norm += r->p[k][i] * r->p[k][i];
        for (size_t i = 0; i < r->rows; i++)
            r->p[k][i] /= sqrt(norm);
    }
    for (size_t k = 0; k < r->rank; k++)
        for (size_t j = 0; j < r->columns; j++) {
            r->q[k][j] = 0;
            for (size_t i = 0; i < r->rows; i++)
                r->q[k][j] += m[i][j] * r->p[k][i];
        }
    for (size_t i = 0; i < r->rows; i++)
        for (size_t j = 0; j < r->columns; j++) {
            double *out = &mean[i * r->columns + j];
            *out = 0;
            for (size_t k = 0; k < r->rank; k++)
                *out += r->p[k][i] * r->q[k][j];
        }
}

/* The numbers that a first step, or one without warm start, draws. */
static void draw_q(reference *r, const play *p)
{
    gsl_rng_set(p->shared_rng, egc_rng_derive_seed(2, p->step, 0));
    for (size_t k = 0; k < r->rank; k++)
        for (size_t j = 0; j < r->columns; j++)
            r->q[k][j] = gsl_ran_gaussian_ziggurat(p->shared_rng, 1);
}

static void powersgd__is_its_definition(void **state)
{
    (void)state;
    enum { ROWS = 40, COLUMNS = 23, N = ROWS * COLUMNS, P = 3, RANK = 3 };
    static float x[P * N], mean[N];
    static double want[N];
    for (int warm = 0; warm < 2; warm++) {
        play p;
        play_init(&p, "powersgd", (egc_unit){.count = N, .rows = ROWS}, P);
        play_set(&p, "rank", RANK);
        play_set(&p, "warm_start", warm);
        play_begin(&p);
        reference r = {.rows = ROWS, .columns = COLUMNS, .rank = RANK};
        for (uint64_t step = 0; step < 6; step++) {
            for (size_t w = 0; w < P; w++)
                fill_input(x + w * N, N, GAUSSIAN, 100 + w + (step < 3 ? 0 : 10 * step));
            if (step == 0 || !warm)
                draw_q(&r, &p);
            reference_step(&r, x, P, want);
            play_step(&p, x, mean);
            double scale = norm_of(mean, N), error = 0;
            for (size_t i = 0; i < N; i++)
                error += ((double)mean[i] - want[i]) * ((double)mean[i] - want[i]);
            assert_true(sqrt(error) <= 1e-5 * scale);
            assert_int_equal(p.bytes[0], P * RANK * ROWS * sizeof(float));
            assert_int_equal(p.bytes[1], P * RANK * COLUMNS * sizeof(float));
        }
        play_end(&p);
    }
}

/* A matrix of rank 1 is recovered by one step from any Q, whatever its scale and at ranks beyond
 * its own, where Gram-Schmidt leaves nothing of P's further columns, and they are 0. */
static void powersgd__recovers_rank_one(void **state)
{
    (void)state;
    const double scales[] = {1, 1e-30, 1e30, 1e-40, 1.5e36};
    for (int64_t rank = 1; rank <= 3; rank++)
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
            float x[30], mean[30];
            for (size_t i = 0; i < 30; i++)
                x[i] = (float)((3 + (double)(i / 6)) * ((double)(i % 6) - 2) * scales[s]);
            play p;
            play_init(&p, "powersgd", (egc_unit){.count = 30, .rows = 5}, 1);
            play_set(&p, "rank", (double)rank);
            play_set(&p, "warm_start", 0);
            play_begin(&p);
            for (int draw = 0; draw < 8; draw++)
                play_step(&p, x, mean);
            /* Subnormal numbers have fewer digits, and what rounding leaves of them is more. */
            double tolerance = scales[s] < 1e-38 ? 1e-4 : 1e-6, scale = 21 * scales[s];
            for (size_t i = 0; i < 30; i++)
                assert_true(fabs((double)mean[i] - (double)x[i]) <= tolerance * scale);
            const float *kept = p.replica;
            for (size_t i = 5; i < 5 * (size_t)rank && scales[s] > 1e-38; i++)
                assert_true(kept[i] == 0);
            play_end(&p);
        }
}

/* The example of powersgd.c: P = (.6, .8), Q = (5, 0, 10). */
static void powersgd__by_hand(void **state)
{
    (void)state;
    const float x[] = {3, 0, 6, 4, 0, 8};
    float mean[6], *kept;
    play p;
    play_init(&p, "powersgd", (egc_unit){.count = 6, .rows = 2}, 1);
    play_set(&p, "rank", 1);
    play_begin(&p);
    play_step(&p, x, mean);
    kept = p.replica;
    float sign = kept[0] < 0 ? -1 : 1;
    const float want[] = {.6f, .8f, 5, 0, 10};
    for (int i = 0; i < 5; i++)
        assert_true(fabsf(sign * kept[i] - want[i]) <= 1e-6f * 10);
    play_end(&p);
}

/* GRACE divides by a zero norm. A zero gradient must give zero, and not for ever after. */
static void powersgd__survives_zero(void **state)
{
    (void)state;
    enum { N = 40 };
    float zeros[2 * N] = {0}, x[2 * N], mean[N];
    play p;
    play_init(&p, "powersgd", (egc_unit){.count = N, .rows = 8}, 2);
    play_begin(&p);
    fill_input(x, 2 * N, GAUSSIAN, 1);
    for (int turn = 0; turn < 2; turn++) {
        play_step(&p, zeros, mean);
        for (size_t i = 0; i < N; i++)
            assert_true(mean[i] == 0);
        play_step(&p, x, mean);
        assert_true(norm_of(mean, N) > 0.5 * norm_of(x, N) / 2);
    }
    play_end(&p);
}

/* What is decoded is a projection of the mean: its norm is no larger and the error is orthogonal,
 * at every scale. A constant added to norms (PyTorch, epfml) loses small gradients. */
static void powersgd__projects_at_every_scale(void **state)
{
    (void)state;
    enum { ROWS = 12, N = ROWS * 9 };
    const float scales[] = {1e-33f, 1e-12f, 1, 1e30f};
    for (size_t s = 0; s < 4; s++) {
        float x[N], mean[N], at_one[N];
        for (int scaled = 0; scaled < 2; scaled++) {
            play p;
            play_init(&p, "powersgd", (egc_unit){.count = N, .rows = ROWS}, 1);
            play_set(&p, "rank", 2);
            play_begin(&p);
            for (int step = 0; step < 4; step++) {
                fill_input(x, N, HEAVY_TAIL, 9 + (uint64_t)step);
                for (size_t i = 0; i < N; i++)
                    x[i] *= scaled ? scales[s] : 1;
                play_step(&p, x, mean);
            }
            play_end(&p);
            double product = 0, norm = norm_of(mean, N), all = norm_of(x, N);
            for (size_t i = 0; i < N; i++)
                product += ((double)x[i] - (double)mean[i]) * (double)mean[i];
            assert_true(norm <= all * (1 + 1e-6) && norm > 0.3 * all);
            assert_true(fabs(product) <= 1e-5 * all * all);
            if (!scaled)
                memcpy(at_one, mean, sizeof mean);
        }
        for (size_t i = 0; i < N; i++)
            assert_true(fabs((double)mean[i] / (double)scales[s] - (double)at_one[i]) <=
                        1e-3 * norm_of(at_one, N));
    }
}

/* Against overflow: the largest floats there are, of eight workers. */
static void powersgd__of_the_largest_floats(void **state)
{
    (void)state;
    enum { N = 64, P = 8 };
    static float x[P * N], mean[N];
    for (int pattern = 0; pattern < 3; pattern++) {
        play p;
        play_init(&p, "powersgd", (egc_unit){.count = N, .rows = 8}, P);
        play_begin(&p);
        for (size_t i = 0; i < P * N; i++)
            x[i] = pattern == 0 ? FLT_MAX : pattern == 1 ? (i % 3 ? FLT_MAX : -FLT_MAX) : 1e38f;
        for (int step = 0; step < 3; step++)
            play_step(&p, x, mean); /* asserts that all is finite */
        assert_true(mean[0] != 0);
        play_end(&p);
    }
}

static void powersgd__pays_for_large_matrices(void **state)
{
    (void)state;
    play p;
    play_init(&p, "powersgd", (egc_unit){.count = 64 * 64, .rows = 64}, 1);
    assert_true(p.type->pays(p.params, &p.unit)); /* 4096 > 2 * 4 * 128 */
    play_set(&p, "rank", 16);
    assert_false(p.type->pays(p.params, &p.unit)); /* 4096 = 2 * 16 * 128 */
    play_set(&p, "min_rate", 1.99);
    assert_true(p.type->pays(p.params, &p.unit));
    p.unit.rows = 0;
    play_set(&p, "min_rate", 0);
    assert_false(p.type->pays(p.params, &p.unit));
    play_set(&p, "min_rate", 2);
    p.unit = (egc_unit){.count = 4096, .rows = 1};
    assert_false(p.type->pays(p.params, &p.unit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powersgd__is_its_definition),
        cmocka_unit_test(powersgd__recovers_rank_one),
        cmocka_unit_test(powersgd__by_hand),
        cmocka_unit_test(powersgd__survives_zero),
        cmocka_unit_test(powersgd__projects_at_every_scale),
        cmocka_unit_test(powersgd__of_the_largest_floats),
        cmocka_unit_test(powersgd__pays_for_large_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
