/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantisers: bytes and values worked out by hand from each definition, bounds of the papers, and
 * one test for each fault that public code was found to have. */
#include "support/test.h"

#include <float.h>

#include "support/coder.h"
#include "support/inputs.h"
#include "support/team.h"

/* ---- bytes by hand ------------------------------------------------------------------------- */

enum { MAX_KNOWN = 5, MAX_BYTES = 24 };

typedef struct known {
    const char *name, *settings;
    size_t n, rows;
    float x[MAX_KNOWN];
    size_t len;
    uint8_t wire[MAX_BYTES];
    float decoded[MAX_KNOWN];
} known;

/* Inputs of the stochastic ones lie on a level, where there is nothing to draw. 1 is 0x3f800000, 2
 * 0x40000000, 3 0x40400000, 5 0x40a00000, -2 0xc0000000, -3 0xc0400000, -4 0xc0800000, 4/3
 * 0x3faaaaab. */
static const known answers[] = {
    /* host order: the low byte first */
    {"fp16", "", 2, 0, {1, -2}, 4, {0x00, 0x3c, 0x00, 0xc0}, {1, -2}},
    {"fp16", "", 2, 0, {1e6f, -1e-9f}, 4, {0xff, 0x7b, 0x00, 0x80}, {65504, 0}},
    {"bf16", "", 2, 0, {1, -2}, 4, {0x80, 0x3f, 0x00, 0xc0}, {1, -2}},
    /* 0.5 lies between 0.1 + 0.9 * 28/64 = 0.49375 and 0.5078125; m = 64 + 27 */
    {"int8", "", 3, 0, {1, -0.5f, 0}, 7, {0x3f, 0x80, 0, 0, 0x7f, 0xdb, 0x00}, {1, -0.49375f, 0}},
    /* the smallest magnitude keeps its sign, and what rounds to zero has none; N = 1 */
    {"int8",
     "",
     3,
     0,
     {1, -1e-6f, -4e-7f},
     7,
     {0x3f, 0x80, 0, 0, 0x7f, 0x81, 0x00},
     {1, -1e-6f, 0}},
    /* step 5/255, zero at 153, 2 = 102 steps */
    {"int8",
     "code=affine",
     3,
     0,
     {2, -3, 0},
     11,
     {0xc0, 0x40, 0, 0, 0x40, 0x00, 0, 0, 0xff, 0x00, 0x99},
     {2, -3, 0}},
    /* two buckets of two elements, and no more */
    {"int8",
     "bucket=2",
     4,
     0,
     {1, -1, 2, 0},
     12,
     {0x3f, 0x80, 0, 0, 0x7f, 0xff, 0x40, 0, 0, 0, 0x7f, 0x00},
     {1, -1, 2, 0}},
    /* norm 5, levels 3 and 4 of 5: 0 011, 1 100 */
    {"qsgd", "levels=5", 2, 0, {3, -4}, 5, {0x40, 0xa0, 0, 0, 0x3c}, {3, -4}},
    /* largest 4, levels 2 and 4 of 4: 0 010, 1 100 */
    {"qsgd", "levels=4;norm=max", 2, 0, {2, -4}, 5, {0x40, 0x80, 0, 0, 0x2c}, {2, -4}},
    /* delta(3) = 0101, the norm, delta(1) 0 delta(3) = 1 0 0101, delta(1) 1 delta(4) = 1 1 01100 */
    {"qsgd",
     "levels=5;code=elias",
     2,
     0,
     {3, -4},
     7,
     {0x54, 0x0a, 0x00, 0x00, 0x09, 0x76, 0x00},
     {3, -4}},
    /* digits 1 0 2 1 from the lowest, base 3 */
    {"terngrad", "clip=0", 4, 0, {2, 0, -2, 2}, 5, {0x40, 0, 0, 0, 0x2e}, {2, 0, -2, 2}},
    {"terngrad", "clip=0;code=bits", 4, 0, {2, 0, -2, 2}, 5, {0x40, 0, 0, 0, 0x49}, {2, 0, -2, 2}},
    /* fields 127, 128, 0: 0 01111111 1 10000000 0 00000000 */
    {"natural", "", 3, 0, {1, -2, 0}, 4, {0x3f, 0xe0, 0x00, 0x00}, {1, -2, 0}},
    {"onebit",
     "",
     5,
     0,
     {1, 3, -2, -6, 0},
     9,
     {0x3f, 0xaa, 0xaa, 0xab, 0xc0, 0x80, 0, 0, 0x30},
     {4 / 3.f, 4 / 3.f, -4, -4, 4 / 3.f}},
    /* nothing is below zero: its mean is 0 */
    {"onebit", "", 2, 0, {1, 3}, 9, {0x40, 0, 0, 0, 0, 0, 0, 0, 0x00}, {2, 2}},
    /* columns 1, -2 and 3, -6 */
    {"onebit",
     "columns=true",
     4,
     2,
     {1, 3, -2, -6},
     18,
     {2, 0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0, 0x40, 0x40, 0, 0, 0xc0, 0xc0, 0, 0, 0x30},
     {1, 3, -2, -6}},
    /* 11 10 00 11 00 */
    {"twobit", "", 5, 0, {0.5f, -0.7f, 0.1f, 3, -0.4f}, 2, {0xe3, 0x00}, {0.5f, -0.5f, 0, 0.5f, 0}},
    {"efsign",
     "",
     3,
     0,
     {1, -3, 0},
     5,
     {0x3f, 0xaa, 0xaa, 0xab, 0x40},
     {4 / 3.f, -4 / 3.f, 4 / 3.f}},
    /* steps of 2^-9: 0, 1, 256 and too many; tags 00 01 10 11, 1 0000000, 0 000000001111111 */
    {"inceptionn",
     "",
     4,
     0,
     {0.0005f, -0x1p-9f, 0.5f, 100},
     8,
     {0x1b, 0x80, 0x00, 0x7f, 0x42, 0xc8, 0x00, 0x00},
     {0, -0x1p-9f, 0.5f, 100}},
};

static void bytes_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const known *k = &answers[i];
        coder c = coder_open(k->name, k->settings, k->n, k->rows);
        egc_buf wire = {0};
        egc_error err = {0};
        float out[MAX_KNOWN];
        coder_encode(&c, k->x, 0, &wire);
        print_message("%s %s\n", k->name, k->settings);
        assert_int_equal(wire.len, k->len);
        assert_memory_equal(wire.data, k->wire, k->len);
        assert_ok(coder_decode(&c, wire.data, wire.len, out, &err), err);
        for (size_t j = 0; j < k->n; j++)
            assert_close((double)out[j], (double)k->decoded[j], 1e-7);
        egc_buf_fini(&wire);
        coder_close(&c);
    }
}

/* Bytes that no encoder writes. */
static void impossible_bytes(void **state)
{
    (void)state;
    const struct {
        const char *name, *settings;
        size_t n, len;
        uint8_t wire[MAX_BYTES];
        const char *message;
    } rows[] = {
        {"fp16", "", 1, 2, {0x00, 0x7c}, "a value among elements 0 to 0 is not finite"},
        {"bf16", "", 1, 2, {0xc0, 0x7f}, "a value among elements 0 to 0 is not finite"},
        {"int8", "", 1, 5, {0x3f, 0x80, 0, 0, 0x80}, "code 0x80 is a zero with a sign"},
        {"int8",
         "",
         1,
         5,
         {0xbf, 0x80, 0, 0, 0x01},
         "scale -1 is not a finite number in [0, 3.40282e+38]"},
        {"int8",
         "code=affine",
         1,
         9,
         {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0},
         "scale 1 is not a finite number in [-3.40282e+38, 0]"},
        {"qsgd", "levels=5", 1, 5, {0x3f, 0x80, 0, 0, 0x60}, "level 6 is above 5"},
        {"qsgd",
         "levels=5",
         1,
         5,
         {0x7f, 0xc0, 0, 0, 0x00},
         "scale nan is not a finite number in [0, 3.40282e+38]"},
        /* delta(3), two levels of one element */
        {"qsgd", "code=elias", 1, 6, {0x53, 0xf8, 0, 0, 0, 0}, "3 is above 2"},
        /* delta(2), norm 1, delta(2): beyond the only element */
        {"qsgd", "code=elias", 1, 6, {0x43, 0xf8, 0, 0, 0x04, 0}, "2 is above 1"},
        /* delta(3), norm 1, the first element at level 1, delta(2): beyond the second */
        {"qsgd", "code=elias", 2, 6, {0x53, 0xf8, 0, 0, 0x0a, 0x80}, "2 is above 1"},
        {"terngrad", "", 5, 5, {0, 0, 0, 0, 243}, "a byte is not made of ternary digits"},
        {"terngrad", "", 1, 5, {0, 0, 0, 0, 3}, "a byte is not made of ternary digits"},
        {"terngrad", "code=bits", 1, 5, {0, 0, 0, 0, 0xc0}, "11 is no ternary code"},
        {"natural", "", 1, 2, {0x7f, 0x80}, "the exponent of an element is not that of a number"},
        {"onebit",
         "",
         1,
         9,
         {0, 0, 0, 0, 0x3f, 0x80, 0, 0, 0},
         "scale 1 is not a finite number in [-3.40282e+38, 0]"},
        {"onebit", "columns=true", 4, 2, {3, 0}, "4 elements do not make 3 columns"},
        {"onebit", "columns=true", 4, 2, {0, 0}, "4 elements do not make 0 columns"},
        /* of one row: longer than bound */
        {"onebit", "columns=true", 2, 18, {2}, "2 elements do not make 2 columns"},
        {"twobit", "", 1, 1, {0x40}, "01 is no code"},
        {"efsign",
         "",
         1,
         5,
         {0x7f, 0x80, 0, 0, 0},
         "scale inf is not a finite number in [0, 3.40282e+38]"},
        /* 1.0 in 32 bits: 11, then 0x3f800000 */
        {"inceptionn", "", 1, 5, {0xcf, 0xe0, 0, 0, 0}, "1 is not sent in 32 bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        coder c = coder_open(rows[i].name, rows[i].settings, rows[i].n, 0);
        egc_error err = {0};
        float out[MAX_KNOWN];
        assert_fails(coder_decode(&c, rows[i].wire, rows[i].len, out, &err), err, EGC_ERROR_FORMAT,
                     rows[i].message);
        coder_close(&c);
    }
}

static test_team *team_of_one(const char *name, const char *settings, size_t n)
{
    const egc_unit unit = {.name = "x", .count = n};
    egc_method method;
    egc_error err = {0};
    assert_ok(egc_method_init(&method, name, &err), err);
    set_all(&method, settings);
    return team_new(&method, 1, &unit, 1);
}

/* ---- half precision ------------------------------------------------------------------------ */

/* What saturates is not lost from sight: it is the measured error, and stays in a residual. */
static void saturation_is_measured(void **state)
{
    (void)state;
    float gradient[] = {1e5f, 1}, average[2], *gradients[] = {gradient};
    test_team *team = team_of_one("fp16", "memory=residual", 2);
    team_step(team, 0, 0.1, gradients, average);
    assert_true(average[0] == 65504 && average[1] == 1);
    assert_close(egc_encoder_encoding(team->encoder[0], 0)->error_norm2, pow(1e5 - 65504, 2),
                 1e-12);
    assert_true(egc_encoder_residual(team->encoder[0])[0] == 1e5f - 65504);
    team_free(team);
}

/* ---- int8 ---------------------------------------------------------------------------------- */

/* The tree by its bits: e zeros, a one, and 6 - e bits of place in (10^-(e+1), 10^-e]. */
static double tree_by_bits(unsigned code)
{
    unsigned e = 0;
    if ((code & 0x7f) == 0)
        return 0;
    while (!(code & 0x40u >> e))
        e++;
    double items = pow(2, 6 - e), place = code & ((0x40u >> e) - 1);
    double value = pow(10, -(double)e) * (0.1 + 0.9 * (place + 1) / items);
    return code & 0x80 ? -value : value;
}

/* No other code is nearer. Public code takes the one below. */
static void tree_takes_the_nearest(void **state)
{
    (void)state;
    enum { N = 1023 };
    float x[N], out[N];
    for (int family = 0; family < N_FAMILIES; family++)
        for (double factor = 1; factor > 1e-8; factor /= 10) { /* small ones beside the largest */
            fill_input(x, N, family, 3);
            float max = egc_kernels_get()->max_abs(x, N);
            for (size_t i = 1; i < N; i++)
                x[i] *= (float)factor;
            x[0] = max;
            coder c = coder_open("int8", "", N, 0);
            coder_round_trip(&c, x, 0, out);
            assert_true(out[0] == max);
            for (size_t i = 0; i < N; i++) {
                double best = INFINITY;
                for (unsigned code = 0; code < 256; code++)
                    best = fmin(best, fabs(tree_by_bits(code) * (double)max - (double)x[i]));
                double off = fabs((double)out[i] - (double)x[i]);
                double rounding = 1e-7 * fabs((double)out[i]) + 0.5 * (double)FLT_TRUE_MIN;
                assert_true(off <= best + rounding);
                assert_true(out[i] == 0 || (out[i] < 0) == (x[i] < 0));
            }
            coder_close(&c);
        }
}

/* Codes at the middle between neighbours, from either side, over the whole table. */
static void tree_borders(void **state)
{
    (void)state;
    for (unsigned m = 0; m < 127; m++) {
        double middle = (tree_by_bits(m) + tree_by_bits(m + 1)) / 2;
        const float x[] = {1, (float)(middle * (1 - 1e-6)), (float)(middle * (1 + 1e-6))};
        coder c = coder_open("int8", "", 3, 0);
        egc_buf wire = {0};
        coder_encode(&c, x, 0, &wire);
        assert_int_equal(wire.data[5], m);
        assert_int_equal(wire.data[6], m + 1);
        egc_buf_fini(&wire);
        coder_close(&c);
    }
}

/* Within half a step, zero exactly zero, the ends of the range of floats included. */
static void affine_keeps_zero(void **state)
{
    (void)state;
    const float rows[][4] = {
        {0, 1, 2, 3},
        {0, -1, -2, -5},
        {0, -0.37f, 1, 0.004f},
        {0, FLT_MAX, -FLT_MAX / 2.3f, 1e37f},
        {0, -FLT_MAX, FLT_MAX, 1},
        {0, FLT_TRUE_MIN, -3 * FLT_TRUE_MIN, 200 * FLT_TRUE_MIN},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        coder c = coder_open("int8", "code=affine", 4, 0);
        float out[4];
        double lo = 0, hi = 0;
        for (size_t i = 0; i < 4; i++) {
            lo = fmin(lo, (double)rows[r][i]);
            hi = fmax(hi, (double)rows[r][i]);
        }
        coder_round_trip(&c, rows[r], 0, out);
        assert_true(out[0] == 0);
        for (size_t i = 0; i < 4; i++)
            assert_true(fabs((double)out[i] - (double)rows[r][i]) <=
                        (hi - lo) / 510 * (1 + 1e-5) + 0.5 * (double)FLT_TRUE_MIN);
        coder_close(&c);
    }
}

/* 1024 elements are two buckets of 512 and their scales; public code adds a bucket of padding. */
static void aligned_buckets_are_not_padded(void **state)
{
    (void)state;
    static float x[1025];
    for (size_t n = 1023; n <= 1025; n++) {
        coder c = coder_open("int8", "code=affine;bucket=512", n, 0);
        egc_buf wire = {0};
        coder_encode(&c, x, 0, &wire);
        assert_int_equal(wire.len, n + (n <= 1024 ? 2 : 3) * 8);
        egc_buf_fini(&wire);
        coder_close(&c);
    }
}

/* ---- expectations -------------------------------------------------------------------------- */

/* A generator that gives one number for all draws: with the middles of `DRAWS` equal parts of
 * [0, 1), the mean over all is the expectation of an element but for one part of it. */
enum { DRAWS = 2000 };

static void set_number(void *state, unsigned long draw)
{
    *(double *)state = ((double)draw + 0.5) / DRAWS;
}

static double get_number(void *state)
{
    return *(double *)state;
}

static unsigned long get_nothing(void *state)
{
    (void)state;
    fail_msg("only uniform numbers in [0, 1) are to be drawn");
    return 0;
}

static const gsl_rng_type all_draws = {
    .name = "all draws",
    .max = 1,
    .size = sizeof(double),
    .set = set_number,
    .get = get_nothing,
    .get_double = get_number,
};

typedef struct moments {
    double mean, second;
    double error2; /* mean square of what it is off x */
} moments;

/* Of what n elements are decoded to. */
static void moments_of(const char *name, const char *settings, const float *x, size_t n, moments *m)
{
    coder c = coder_open(name, settings, n, 0);
    float *out = malloc(n * sizeof *out);
    gsl_rng_free(c.rng);
    c.rng = gsl_rng_alloc(&all_draws);
    memset(m, 0, n * sizeof *m);
    for (unsigned long draw = 0; draw < DRAWS; draw++) {
        gsl_rng_set(c.rng, draw);
        coder_round_trip(&c, x, 0, out);
        for (size_t i = 0; i < n; i++) {
            double value = (double)out[i], off = value - (double)x[i];
            m[i].mean += value / DRAWS;
            m[i].second += value * value / DRAWS;
            m[i].error2 += off * off / DRAWS;
        }
    }
    free(out);
    coder_close(&c);
}

/* ---- qsgd ---------------------------------------------------------------------------------- */

enum { BUCKET = 128, N = 2 * BUCKET };

/* The mean is x, and the variance of each bucket of d elements stays below the paper's min(d/s^2,
 * sqrt(d)/s) ||x||^2. */
static void qsgd_is_unbiased(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double levels;
        bool l2;
    } rows[] = {
        {"", 127, true},
        {"levels=1", 1, true},
        {"levels=16;code=elias", 16, true},
        {"levels=5;norm=max", 5, false},
    };
    float x[N];
    moments m[N];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int family = 0; family < N_FAMILIES; family++) {
            fill_input(x, N, family, 7);
            moments_of("qsgd", rows[r].settings, x, N, m);
            for (size_t start = 0; start < N; start += BUCKET) {
                double norm2 = egc_kernels_get()->norm2(x + start, BUCKET), variance = 0, s;
                double max = (double)egc_kernels_get()->max_abs(x + start, BUCKET);
                double step = (rows[r].l2 ? sqrt(norm2) : max) / rows[r].levels;
                for (size_t i = start; i < start + BUCKET; i++) {
                    assert_true(fabs(m[i].mean - (double)x[i]) <=
                                step / DRAWS + 1e-6 * fabs((double)x[i]) + (double)FLT_TRUE_MIN);
                    variance += m[i].error2;
                }
                s = rows[r].levels;
                double bound = rows[r].l2 ? fmin(BUCKET / (s * s), sqrt((double)BUCKET) / s) * norm2
                                          : BUCKET * step * step / 4;
                assert_true(variance <= bound * 1.001);
            }
        }
}

/* Public code divides by the norm of an empty bucket and sends what NaN is as an integer. */
static void qsgd_of_zeros(void **state)
{
    (void)state;
    float x[300] = {0}, out[300];
    const char *settings[] = {"", "norm=max", "code=elias", "bucket=0"};
    x[299] = -0.0f;
    x[0] = 1;
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        coder c = coder_open("qsgd", settings[s], 300, 0);
        coder_round_trip(&c, x, 0, out);
        assert_close((double)out[0], 1, 1e-6);
        for (size_t i = 1; i < 300; i++)
            assert_true(out[i] == 0);
        coder_close(&c);
    }
}

/* N is never below an element, so that no level is above s, and elements of which no float can hold
 * the norm survive. */
static void qsgd_levels_stay_within(void **state)
{
    (void)state;
    float x[BUCKET], out[BUCKET];
    uint64_t random = 5;
    for (int round = 0; round < 2000; round++) {
        size_t n = 1 + round % 3;
        for (size_t i = 0; i < n; i++) {
            uint32_t bits = (uint32_t)egc_splitmix64(&random) & 0x7fffffff;
            memcpy(&x[i], &bits, sizeof bits);
            if (!isfinite(x[i]) || i)
                x[i] = i ? 0 : FLT_MAX;
        }
        coder c = coder_open("qsgd", "levels=1", n, 0);
        coder_round_trip(&c, x, 0, out); /* FORMAT if a level were above 1 */
        assert_close((double)out[0], (double)x[0], 1e-6);
        coder_close(&c);
    }
    for (size_t i = 0; i < BUCKET; i++)
        x[i] = i % 2 ? FLT_MAX : -FLT_MAX;
    coder c = coder_open("qsgd", "", BUCKET, 0);
    coder_round_trip(&c, x, 0, out);
    assert_memory_equal(out, x, sizeof x);
    coder_close(&c);
}

/* Both codes carry the same levels. */
static void qsgd_codes_agree(void **state)
{
    (void)state;
    float x[1023], packed[1023], elias[1023];
    for (int family = 0; family < N_FAMILIES; family++) {
        fill_input(x, 1023, family, 9);
        coder a = coder_open("qsgd", "levels=300;bucket=100", 1023, 0);
        coder b = coder_open("qsgd", "levels=300;bucket=100;code=elias", 1023, 0);
        gsl_rng_set(a.rng, 1);
        gsl_rng_set(b.rng, 1);
        coder_round_trip(&a, x, 0, packed);
        coder_round_trip(&b, x, 0, elias);
        for (size_t i = 0; i < 1023; i++)
            assert_true(packed[i] == elias[i]);
        coder_close(&a);
        coder_close(&b);
    }
}

/* ---- TernGrad ------------------------------------------------------------------------------ */

static float clipped(float x, double limit)
{
    return (double)x > limit ? (float)limit : (double)x < -limit ? (float)-limit : x;
}

/* Unbiased without clipping; with clipping, of the clipped vector, which is not x: that is why the
 * type does not promise it. The variance is sum |c| (s - |c|). */
static void terngrad_is_unbiased_for_what_it_clips(void **state)
{
    (void)state;
    const char *settings[] = {"clip=0", "clip=0;code=bits", "", "clip=1"};
    const double clips[] = {INFINITY, INFINITY, 2.5, 1};
    float x[N], want[N];
    moments m[N];
    coder type = coder_open("terngrad", "", 1, 0);
    assert_false(type.type->traits & EGC_TRAIT_UNBIASED);
    coder_close(&type);
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
        for (int family = 0; family < N_FAMILIES; family++) {
            fill_input(x, N, family, 7);
            double mean = 0, sd = 0, largest = 0, want_variance = 0, variance = 0;
            for (size_t i = 0; i < N; i++)
                mean += (double)x[i] / N;
            for (size_t i = 0; i < N; i++)
                sd += ((double)x[i] - mean) * ((double)x[i] - mean) / N;
            for (size_t i = 0; i < N; i++) {
                want[i] = sd > 0 ? clipped(x[i], clips[s] * sqrt(sd)) : x[i];
                largest = fmax(largest, fabs((double)want[i]));
            }
            moments_of("terngrad", settings[s], x, N, m);
            for (size_t i = 0; i < N; i++) {
                double c = fabs((double)want[i]);
                assert_true(fabs(m[i].mean - (double)want[i]) <= largest / DRAWS + 1e-6 * c);
                want_variance += c * (largest - c);
                variance += m[i].second - m[i].mean * m[i].mean;
            }
            assert_true(fabs(variance - want_variance) <=
                        0.01 * want_variance + N * largest * largest / DRAWS);
        }
    fill_input(x, N, HEAVY_TAIL, 7);
    moments_of("terngrad", "", x, N, m);
    double off = 0;
    for (size_t i = 0; i < N; i++)
        off = fmax(off, fabs(m[i].mean - (double)x[i]));
    assert_true(off > 0.1 * (double)egc_kernels_get()->max_abs(x, N));
}

/* Elements that are all equal have no deviation, and nothing to be clipped by. */
static void terngrad_of_equal_elements(void **state)
{
    (void)state;
    float x[33], out[33];
    for (size_t n = 1; n <= 33; n += 16) {
        for (size_t i = 0; i < n; i++)
            x[i] = -0.1f;
        coder c = coder_open("terngrad", "", n, 0);
        coder_round_trip(&c, x, 0, out);
        assert_memory_equal(out, x, n * sizeof *x);
        coder_close(&c);
    }
}

/* ---- natural compression ------------------------------------------------------------------- */

/* From the smallest float to 2^127: the mean is x; from 2^-126 on, the second moment is at most
 * 9/8 x^2. Public code clamps exponents to -109..18. */
static void natural_is_unbiased_at_every_magnitude(void **state)
{
    (void)state;
    enum { MAGNITUDES = 277 * 4 };
    static float x[MAGNITUDES];
    static moments m[MAGNITUDES];
    size_t n = 0;
    for (int exponent = -149; exponent < 127; exponent++)
        for (int part = 0; part < 4; part++)
            x[n++] = (part % 2 ? -1 : 1) * ldexpf(1 + 0.25f * (float)part + 0.01f, exponent);
    moments_of("natural", "", x, n, m);
    for (size_t i = 0; i < n; i++) {
        double value = fabs((double)x[i]), step = value < 0x1p-126 ? 0x1p-126 : value;
        assert_true(fabs(m[i].mean - (double)x[i]) <= step / DRAWS * 1.01);
        if (value >= 0x1p-126)
            assert_true(m[i].second <= 9. / 8 * value * value * (1 + 1e-3));
    }
}

/* What has no power of two above it does not become Inf, and zeros stay zeros. */
static void natural_at_the_ends(void **state)
{
    (void)state;
    const float x[] = {FLT_MAX, -FLT_MAX, 0x1p127f, 0, -0.0f, FLT_TRUE_MIN};
    const float want[] = {0x1p127f, -0x1p127f, 0x1p127f, 0, 0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        coder c = coder_open("natural", "", 6, 0);
        float out[6];
        gsl_rng_set(c.rng, seed);
        coder_round_trip(&c, x, 0, out);
        for (size_t i = 0; i < 5; i++)
            assert_true(out[i] == want[i]);
        assert_true(out[5] == 0 || out[5] == 0x1p-126f);
        coder_close(&c);
    }
}

/* ---- signs --------------------------------------------------------------------------------- */

/* Public code reads signs 32 at a time; here messages end where their last sign does. */
static void signs_are_not_read_past_the_end(void **state)
{
    (void)state;
    float x[100], out[100];
    const char *names[] = {"onebit", "efsign"};
    const size_t scales[] = {8, 4};
    for (int t = 0; t < 2; t++)
        for (size_t n = 1; n <= 100; n++) {
            fill_input(x, n, GAUSSIAN, n);
            coder c = coder_open(names[t], "", n, 0);
            egc_buf wire = {0};
            egc_error err = {0};
            coder_encode(&c, x, 0, &wire);
            assert_int_equal(wire.len, scales[t] + (n + 7) / 8);
            uint8_t *message = guarded(wire.len);
            memcpy(message, wire.data, wire.len);
            assert_ok(coder_decode(&c, message, wire.len, out, &err), err);
            for (size_t i = 0; i < n; i++)
                assert_true((out[i] < 0) == (x[i] < 0));
            free_guarded(message, wire.len);
            egc_buf_fini(&wire);
            coder_close(&c);
        }
}

/* Columns of a matrix of three rows against sums written out; a unit that is no matrix is one
 * column. */
static void onebit_by_columns(void **state)
{
    (void)state;
    enum { ROWS = 3, COLUMNS = 37 };
    float x[ROWS * COLUMNS], out[ROWS * COLUMNS];
    fill_input(x, ROWS * COLUMNS, GAUSSIAN, 2);
    coder c = coder_open("onebit", "columns=true", ROWS * COLUMNS, ROWS);
    coder_round_trip(&c, x, 0, out);
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t r = 0; r < ROWS; r++) {
            double sum = 0, count = 0;
            for (size_t i = j; i < ROWS * COLUMNS; i += COLUMNS)
                if ((x[i] < 0) == (x[r * COLUMNS + j] < 0))
                    sum += (double)x[i], count++;
            assert_close((double)out[r * COLUMNS + j], sum / count, 1e-6);
        }
    coder_close(&c);
    const size_t no_matrix[] = {0, 1, 2}; /* 111 elements do not make two rows */
    for (size_t r = 0; r < 3; r++) {
        coder whole = coder_open("onebit", "columns=true", ROWS * COLUMNS, no_matrix[r]);
        egc_buf wire = {0};
        coder_encode(&whole, x, 0, &wire);
        assert_int_equal(wire.len, 1 + 8 + (ROWS * COLUMNS + 7) / 8);
        egc_buf_fini(&wire);
        coder_close(&whole);
    }
}

/* A message is as long as its codes: public code adds four where they fill their words. */
static void twobit_adds_no_codes(void **state)
{
    (void)state;
    float x[64] = {0};
    for (size_t n = 1; n <= 64; n++) {
        coder c = coder_open("twobit", "", n, 0);
        egc_buf wire = {0};
        coder_encode(&c, x, 0, &wire);
        assert_int_equal(wire.len, (n + 3) / 4);
        egc_buf_fini(&wire);
        coder_close(&c);
    }
}

/* What a worker sends over several steps of one gradient. */
static void send_steps(const char *name, float *gradient, size_t n, size_t steps, float *sent,
                       float *residual)
{
    test_team *team = team_of_one(name, "", n);
    for (size_t step = 0; step < steps; step++)
        team_step(team, step, 0.1, &gradient, sent + step * n);
    memcpy(residual, egc_encoder_residual(team->encoder[0]), n * sizeof *residual);
    team_free(team);
}

/* 2, 0.25 and -1.25 with tau = 0.5: at most one tau leaves at a step, and the rest piles up. */
static void twobit_sends_one_tau_a_step(void **state)
{
    (void)state;
    float gradient[] = {2, 0.25f, -1.25f};
    const float want[] = {0.5f, 0, -0.5f, 0.5f, 0.5f, -0.5f, 0.5f, 0, -0.5f, 0.5f, 0.5f, -0.5f};
    float sent[12], residual[3];
    send_steps("twobit", gradient, 3, 4, sent, residual);
    assert_memory_equal(sent, want, sizeof want);
    assert_true(residual[0] == 4 * 1.5f && residual[1] == 0 && residual[2] == -4 * 0.75f);
}

/* The first step is as long as the others: 1, -3 have the mean magnitude 2. Public code leaves lr
 * out of the first step and divides by it all the same. Then e = -1, -1, and p = 0, -4 has the
 * mean magnitude 2 as well. */
static void efsign_starts_at_the_right_scale(void **state)
{
    (void)state;
    float gradient[] = {1, -3};
    const float want[] = {2, -2, 2, -2};
    float sent[4], residual[2];
    send_steps("efsign", gradient, 2, 2, sent, residual);
    assert_memory_equal(sent, want, sizeof want);
    assert_true(residual[0] == -2 && residual[1] == -2);
}

/* ---- INCEPTIONN ---------------------------------------------------------------------------- */

static void assert_within(coder *c, double error, const float *x, size_t n)
{
    float out[4096];
    coder_round_trip(c, x, 0, out);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)out[i] - (double)x[i]) <= error))
            fail_msg("%g decodes to %g, error %g", (double)x[i], (double)out[i], error);
}

/* No element is off by more than `error`: floats of every magnitude, and those around the borders
 * of the classes. Public code decodes 8-bit values below 2^-6 to 2^-7. */
static void inceptionn_keeps_its_bound(void **state)
{
    (void)state;
    const char *settings[] = {"",         "error=0.001", "error=3e-7", "error=1e-30",
                              "error=17", "error=1e30"};
    const double errors[] = {0x1p-10, 0.001, 3e-7, 1e-30, 17, 1e30};
    static float x[4096];
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        coder c = coder_open("inceptionn", settings[s], 4096, 0);
        size_t n = 0;
        for (uint32_t bits = 0; bits < 0x7f800000; bits += 7919 * 16) { /* about 16,800 */
            memcpy(&x[n++], &bits, sizeof bits);
            x[n - 1] *= n % 2 ? -1 : 1;
            if (n == 4096) {
                assert_within(&c, errors[s], x, n);
                n = 0;
            }
        }
        double step = pow(2, floor(log2(2 * errors[s])));
        const double borders[] = {0.5, 1, 128, 128.5, 129, 32895.5, 32896, 32896.5, 32897};
        for (size_t b = 0; b < sizeof borders / sizeof *borders; b++) {
            float border = (float)(borders[b] * step);
            const float around[] = {border, -border, nextafterf(border, 0),
                                    nextafterf(border, INFINITY)};
            memcpy(x + n, around, sizeof around);
            n += 4;
        }
        memset(x + n, 0, (4096 - n) * sizeof *x);
        assert_within(&c, errors[s], x, 4096);
        coder_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_by_hand),
        cmocka_unit_test(impossible_bytes),
        cmocka_unit_test(saturation_is_measured),
        cmocka_unit_test(tree_takes_the_nearest),
        cmocka_unit_test(tree_borders),
        cmocka_unit_test(affine_keeps_zero),
        cmocka_unit_test(aligned_buckets_are_not_padded),
        cmocka_unit_test(qsgd_is_unbiased),
        cmocka_unit_test(qsgd_of_zeros),
        cmocka_unit_test(qsgd_levels_stay_within),
        cmocka_unit_test(qsgd_codes_agree),
        cmocka_unit_test(terngrad_is_unbiased_for_what_it_clips),
        cmocka_unit_test(terngrad_of_equal_elements),
        cmocka_unit_test(natural_is_unbiased_at_every_magnitude),
        cmocka_unit_test(natural_at_the_ends),
        cmocka_unit_test(signs_are_not_read_past_the_end),
        cmocka_unit_test(onebit_by_columns),
        cmocka_unit_test(twobit_adds_no_codes),
        cmocka_unit_test(twobit_sends_one_tau_a_step),
        cmocka_unit_test(efsign_starts_at_the_right_scale),
        cmocka_unit_test(inceptionn_keeps_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
