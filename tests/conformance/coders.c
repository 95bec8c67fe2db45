/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every coder: what its descriptor promises, measured. */
#include <fenv.h>
#include <float.h>

#include "support/coder.h"
#include "support/inputs.h"
#include "support/test.h"

enum { MAX_N = 1023 };

/* Beyond the shared families: the ends of what a float can hold, and all it can hold at once. */
enum {
    HUGE_VALUES = N_FAMILIES,
    ALL_EQUAL,
    LEAST_SPIKE,
    EVERY_MAGNITUDE,
    SIGNED_ZEROS,
    N_CODER_FAMILIES
};

static void fill_any(float *x, size_t n, int family, uint64_t seed)
{
    if (family < N_FAMILIES) {
        fill_input(x, n, family, seed);
        return;
    }
    uint64_t state = egc_rng_derive_seed(seed, (uint64_t)family, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t draw = (uint32_t)egc_rng_next(&state);
        float any;
        uint32_t bits = draw & ~0x40000000u; /* below 2 */
        memcpy(&any, &bits, sizeof any);
        const float values[] = {
            draw & 1 ? FLT_MAX / 4 * (float)(draw % 4 + 1) : -FLT_MAX,
            -3.25f,
            i == n / 3 ? FLT_TRUE_MIN : 0,
            draw & 0x20000000 ? any : any * 0x1p126f,
            draw & 1 ? -0.0f : 0.0f,
        };
        x[i] = values[family - N_FAMILIES];
    }
}

/* Calls check for every coder of one message, dimension and family. */
static void for_all_coders(void (*check)(coder *, const float *))
{
    static float x[MAX_N];
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++)
        for (size_t d = 0; (*type)->encode && d < N_TEST_DIMS; d++)
            for (int family = 0; family < N_CODER_FAMILIES; family++) {
                coder c = coder_open((*type)->name, "", test_dims[d], 0);
                gsl_rng_set(c.rng, 13);
                fill_any(x, test_dims[d], family, 13);
                check(&c, x);
                coder_close(&c);
            }
}

/* Within the bound; no operation is invalid; nothing is read past either end; no truncation passes
 * for a message; what is decoded is finite, is added, and counts by its weight. */
static void check_round_trip(coder *c, const float *x)
{
    size_t n = c->unit.count;
    egc_buf wire = {0};
    egc_error err = {0};
    float *input = guarded(n * sizeof *input), *out = guarded(n * sizeof *out);
    memcpy(input, x, n * sizeof *input);
    feclearexcept(FE_INVALID);
    coder_encode(c, input, 0, &wire);
    assert_false(fetestexcept(FE_INVALID)); /* no NaN, nor anything else no integer can hold */
    assert_true(wire.len <= c->type->bound(c->method.params, n));
    uint8_t *message = guarded(wire.len);
    for (size_t len = 0; len < wire.len; len += 1 + wire.len / 23) {
        memcpy(message + wire.len - len, wire.data, len);
        assert_int_equal(coder_decode(c, message + wire.len - len, len, out, &err),
                         EGC_ERROR_FORMAT);
    }
    memcpy(message, wire.data, wire.len);
    assert_ok(coder_decode(c, message, wire.len, out, &err), err);
    float added[MAX_N];
    for (size_t i = 0; i < n; i++)
        added[i] = 3;
    egc_reader reader = egc_reader_of(message, wire.len);
    assert_ok(c->type->decode(c->method.params, &reader, 0.5f, added, n, &err), err);
    for (size_t i = 0; i < n; i++) {
        assert_true(isfinite(out[i]));
        assert_close((double)added[i], 3 + 0.5 * (double)out[i], 1e-6);
        if (c->type->traits & EGC_TRAIT_EXACT)
            assert_true(out[i] == x[i]); /* adding loses the sign of zero */
    }
    free_guarded(message, wire.len);
    free_guarded(out, n * sizeof *out);
    free_guarded(input, n * sizeof *input);
    egc_buf_fini(&wire);
}

static void coders__round_trip(void **state)
{
    (void)state;
    for_all_coders(check_round_trip);
}

/* The sum of two messages is the message of the sum, but for the rounding of the element. */
static void check_linear(coder *c, const float *x)
{
    if (!(c->type->traits & EGC_TRAIT_LINEAR))
        return;
    size_t n = c->unit.count;
    float y[MAX_N], of_x[MAX_N], of_y[MAX_N], of_sum[MAX_N];
    egc_buf first = {0}, second = {0};
    egc_error err = {0};
    for (size_t i = 0; i < n; i++)
        y[i] = x[n - 1 - i] * 0.75f;
    coder_encode(c, x, 0, &first);
    coder_encode(c, y, 0, &second);
    assert_int_equal(first.len, n * egc_element_bytes(c->type->element));
    assert_ok(coder_decode(c, first.data, first.len, of_x, &err), err);
    assert_ok(coder_decode(c, second.data, second.len, of_y, &err), err);
    egc_element_add(c->type->element, first.data, second.data, n);
    egc_status status = coder_decode(c, first.data, first.len, of_sum, &err);
    for (size_t i = 0; i < n; i++) {
        float sum = of_x[i] + of_y[i], rounded;
        uint16_t word[2];
        egc_element_from_float(c->type->element, &sum, word, 1);
        egc_element_to_float(c->type->element, word, &rounded, 1);
        if (status) /* some sum of this vector is too large for the element */
            assert_int_equal(status, EGC_ERROR_FORMAT);
        else
            assert_true(of_sum[i] == rounded);
    }
    egc_buf_fini(&first);
    egc_buf_fini(&second);
}

static void coders__sums_of_linear_messages(void **state)
{
    (void)state;
    for_all_coders(check_linear);
}

/* What is decoded is a float, so each element may be off by half the smallest of them. */
static void check_coder_contraction(coder *c, const float *x)
{
    if (!(c->type->traits & EGC_TRAIT_CONTRACTION))
        return;
    size_t n = c->unit.count;
    float out[MAX_N];
    coder_round_trip(c, x, 0, out);
    double all = egc_kernels_get()->norm2(x, n), error = 0;
    for (size_t i = 0; i < n; i++)
        error += ((double)x[i] - (double)out[i]) * ((double)x[i] - (double)out[i]);
    double delta = c->type->contraction(c->method.params, n);
    assert_true(delta > 0 && delta <= 1);
    if (!(error <= (1 - delta) * all * (1 + 1e-9) + (double)n * 0x1p-300))
        fail_msg("%s, n = %zu: error %g of %g, delta %g", c->type->name, n, error, all, delta);
}

static void coders__contract(void **state)
{
    (void)state;
    for_all_coders(check_coder_contraction);
}

/* Two instances used in turn, over several steps, send what each sends alone. */
static void check_interleaved(coder *c, const float *x)
{
    enum { STEPS = 3 };
    size_t n = c->unit.count;
    float y[MAX_N];
    for (size_t i = 0; i < n; i++)
        y[i] = x[n - 1 - i];
    egc_buf alone = {0}, first = {0}, second = {0};
    coder a = coder_open(c->type->name, "", n, 0), b = coder_open(c->type->name, "", n, 0);
    for (uint64_t step = 0; step < STEPS; step++) {
        gsl_rng_set(c->rng, 5 + step);
        coder_encode(c, x, step, &alone);
    }
    for (uint64_t step = 0; step < STEPS; step++) {
        gsl_rng_set(a.rng, 5 + step);
        gsl_rng_set(b.rng, 50 + step);
        coder_encode(&a, x, step, &first);
        coder_encode(&b, y, step, &second);
    }
    assert_int_equal(first.len, alone.len);
    assert_memory_equal(first.data, alone.data, alone.len);
    egc_buf_fini(&alone);
    egc_buf_fini(&first);
    egc_buf_fini(&second);
    coder_close(&a);
    coder_close(&b);
}

static void coders__same_seed_same_bytes(void **state)
{
    (void)state;
    for_all_coders(check_interleaved);
}

/* Damage either is found or leads to finite values. */
static void check_damaged(coder *c, const float *x)
{
    enum { ROUNDS = 24 };
    size_t n = c->unit.count;
    egc_buf wire = {0};
    egc_error err = {0};
    uint64_t random = n;
    coder_encode(c, x, 0, &wire);
    uint8_t *message = guarded(wire.len);
    float *out = guarded(n * sizeof *out);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(message, wire.data, wire.len);
        for (int flips = 0; flips <= round % 3; flips++) {
            /* half of them among the first bytes, where scales and counts are */
            size_t bits = 8 * (round % 2 && wire.len > 8 ? 8 : wire.len);
            size_t bit = egc_rng_next(&random) % bits;
            message[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        egc_status status = coder_decode(c, message, wire.len, out, &err);
        assert_true(status == EGC_OK || status == EGC_ERROR_FORMAT);
        for (size_t i = 0; i < n && !status; i++)
            assert_true(isfinite(out[i]));
    }
    free_guarded(out, n * sizeof *out);
    free_guarded(message, wire.len);
    egc_buf_fini(&wire);
}

static void coders__damaged_messages(void **state)
{
    (void)state;
    for_all_coders(check_damaged);
}

enum { ROUNDS = 256, N_PROJECTIONS = 8 };

/* The mean of a statistic over the rounds is within 5 standard errors of what it should be. */
static void check_mean(const char *name, const double *statistic, double want, double scale)
{
    double sum = 0, sum2 = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double off = statistic[round] - want;
        sum += off;
        sum2 += off * off;
    }
    double bias = sum / ROUNDS, variance = fmax(0, sum2 / ROUNDS - bias * bias);
    if (!(fabs(bias) <= 5 * sqrt(variance / ROUNDS) + 1e-6 * scale))
        fail_msg("%s: mean is off by %g, standard error %g", name, bias, sqrt(variance / ROUNDS));
}

/* Along some directions errors of all elements add up: there a bias shows that no element shows.
 * An element that seldom changes may not have changed at all, so the standard error of an element
 * counts three times the largest error seen as one more draw. */
static void check_unbiased(coder *c, const float *x)
{
    static double projection[N_PROJECTIONS][ROUNDS], want[N_PROJECTIONS], scale[N_PROJECTIONS];
    static double sum[MAX_N], sum2[MAX_N];
    size_t n = c->unit.count;
    float out[MAX_N];
    double largest = 0;
    memset(sum, 0, sizeof sum);
    memset(sum2, 0, sizeof sum2);
    memset(projection, 0, sizeof projection);
    memset(want, 0, sizeof want);
    memset(scale, 0, sizeof scale);
    for (int round = -1; round < ROUNDS; round++) {
        uint64_t signs = 77;
        if (round >= 0)
            coder_round_trip(c, x, (uint64_t)round, out);
        for (size_t i = 0; i < n; i++) {
            double value = round < 0 ? (double)x[i] : (double)out[i];
            double direction[N_PROJECTIONS] = {1, x[i] < 0 ? -1 : 1, (double)x[i]};
            for (int p = 3; p < N_PROJECTIONS; p++)
                direction[p] = egc_rng_next(&signs) & 1 ? 1 : -1;
            for (int p = 0; p < N_PROJECTIONS; p++) {
                *(round < 0 ? &want[p] : &projection[p][round]) += direction[p] * value;
                scale[p] += round < 0 ? fabs(direction[p] * value) : 0;
            }
            double error = round < 0 ? 0 : value - (double)x[i];
            sum[i] += error;
            sum2[i] += error * error;
            largest = fmax(largest, fabs(error));
        }
    }
    for (int p = 0; p < N_PROJECTIONS; p++)
        check_mean(c->type->name, projection[p], want[p], scale[p]);
    for (size_t i = 0; i < n; i++) {
        double variance = (sum2[i] + 9 * largest * largest) / ROUNDS;
        assert_true(fabs(sum[i] / ROUNDS) <=
                    5 * sqrt(variance / ROUNDS) + 1e-6 * fabs((double)x[i]));
    }
}

static void coders__unbiased_coders_average_to_the_input(void **state)
{
    (void)state;
    float x[MAX_N];
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++)
        for (int family = 0; family < N_FAMILIES && (*type)->encode; family++) {
            if (!((*type)->traits & EGC_TRAIT_UNBIASED))
                continue;
            coder c = coder_open((*type)->name, "", MAX_N, 0);
            gsl_rng_set(c.rng, 29);
            fill_input(x, MAX_N, family, 23);
            check_unbiased(&c, x);
            coder_close(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coders__round_trip),
        cmocka_unit_test(coders__sums_of_linear_messages),
        cmocka_unit_test(coders__contract),
        cmocka_unit_test(coders__same_seed_same_bytes),
        cmocka_unit_test(coders__damaged_messages),
        cmocka_unit_test(coders__unbiased_coders_average_to_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
