/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The methods of several rounds: cases worked by hand, independent straightforward versions of the
 * arithmetic, and what public code got wrong. */
#include "support/rounds.h"

#include <float.h>
#include <gsl/gsl_randist.h>

static const size_t worker_counts[] = {1, 2, 3, 5, 8};
enum { N_WORKER_COUNTS = sizeof worker_counts / sizeof *worker_counts };

static void assert_selected(const play *p, size_t count, const uint32_t *index)
{
    assert_int_equal(p->selection.count, count);
    assert_memory_equal(p->selection.index, index, count * sizeof *index);
}

static double norm_of(const float *x, size_t n)
{
    return sqrt(egc_kernels_get()->norm2(x, n));
}

/* ---- cltk ----------------------------------------------------------------------------------- */

/* The example of cltk.c, in which the leader changes at every step. One byte for k, one for the
 * codec; 0 and 2 of 4 are 4 bits in the raw codec (2 each), in a byte. */
static void cltk_by_hand(void **state)
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
static void cltk_by_chunks(void **state)
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
static void cltk_sends_one_of_few(void **state)
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

/* ---- deft ----------------------------------------------------------------------------------- */

/* The example of deft.c. The second worker has parts 1 and 3: elements 2, 3 and 5. At the next step
 * it leads: norms 1, 2, 3, 1 in the parts, one element each; the costs and so the bins are the
 * same, but bin 1 is now the first worker's. */
static void deft_by_hand(void **state)
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
static void deft_gives_on_what_has_no_room(void **state)
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

/* Workers with the same vector select k in all, where each one's top-k would be the same k, and
 * with different vectors again k in all, where the union of their top-k would be nearly P k. */
static void deft_does_not_build_up(void **state)
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

/* ---- sketch --------------------------------------------------------------------------------- */

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
static void sketch_is_its_definition(void **state)
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
    gsl_rng_set(p.shared_rng, egc_seed_derive(2, 0, 0));
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
static void sketch_finds_heavy_hitters(void **state)
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
static void sketch_is_linear(void **state)
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
static void sketch_by_hand(void **state)
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

static void sketch_pays_below_a_cell_an_element(void **state)
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

/* ---- powersgd ------------------------------------------------------------------------------- */

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
    gsl_rng_set(p->shared_rng, egc_seed_derive(2, p->step, 0));
    for (size_t k = 0; k < r->rank; k++)
        for (size_t j = 0; j < r->columns; j++)
            r->q[k][j] = gsl_ran_gaussian_ziggurat(p->shared_rng, 1);
}

static void powersgd_is_its_definition(void **state)
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
static void powersgd_recovers_rank_one(void **state)
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
static void powersgd_by_hand(void **state)
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
static void powersgd_survives_zero(void **state)
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
static void powersgd_projects_at_every_scale(void **state)
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
static void powersgd_of_the_largest_floats(void **state)
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

static void powersgd_pays_for_large_matrices(void **state)
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

/* ---- error feedback ------------------------------------------------------------------------- */

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

static void feedback_keeps_a_bounded_rest(void **state)
{
    (void)state;
    check_feedback("powersgd", (egc_unit){.count = 1200, .rows = 40}, 5);
    check_feedback("sketch", (egc_unit){.count = 1023}, 10);
}

/* ---- votes ---------------------------------------------------------------------------------- */

/* The example of signsgd.c, and that zeros of either sign are +1. */
static void votes_by_hand(void **state)
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
static void votes_are_majorities(void **state)
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
static void signs_without_a_vote(void **state)
{
    (void)state;
    const egc_compressor_type *type;
    egc_error err = {0};
    assert_ok(egc_compressor_find("signsgd", &type, &err), err);
    struct {
        bool vote;
        int tie;
    } params = {false, 0};
    assert_null(type->rounds(&params));
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
static void signum_remembers(void **state)
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
static void signum_of_the_largest_floats(void **state)
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

/* ---- all types, all shapes ------------------------------------------------------------------ */

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
static void every_shape_works(void **state)
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

/* ---- hostile messages ----------------------------------------------------------------------- */

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
    gsl_rng_set(p->shared_rng, egc_seed_derive(2, p->step, 0));
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

static void hostile_messages_are_refused(void **state)
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

static void nonsense_is_refused(void **state)
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

static void infinite_sums_are_refused(void **state)
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
        cmocka_unit_test(cltk_by_hand),
        cmocka_unit_test(cltk_by_chunks),
        cmocka_unit_test(cltk_sends_one_of_few),
        cmocka_unit_test(deft_by_hand),
        cmocka_unit_test(deft_gives_on_what_has_no_room),
        cmocka_unit_test(deft_does_not_build_up),
        cmocka_unit_test(sketch_is_its_definition),
        cmocka_unit_test(sketch_finds_heavy_hitters),
        cmocka_unit_test(sketch_is_linear),
        cmocka_unit_test(sketch_by_hand),
        cmocka_unit_test(sketch_pays_below_a_cell_an_element),
        cmocka_unit_test(powersgd_is_its_definition),
        cmocka_unit_test(powersgd_recovers_rank_one),
        cmocka_unit_test(powersgd_by_hand),
        cmocka_unit_test(powersgd_survives_zero),
        cmocka_unit_test(powersgd_projects_at_every_scale),
        cmocka_unit_test(powersgd_of_the_largest_floats),
        cmocka_unit_test(powersgd_pays_for_large_matrices),
        cmocka_unit_test(feedback_keeps_a_bounded_rest),
        cmocka_unit_test(votes_by_hand),
        cmocka_unit_test(votes_are_majorities),
        cmocka_unit_test(signs_without_a_vote),
        cmocka_unit_test(signum_remembers),
        cmocka_unit_test(signum_of_the_largest_floats),
        cmocka_unit_test(every_shape_works),
        cmocka_unit_test(hostile_messages_are_refused),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(infinite_sums_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
