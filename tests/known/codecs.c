/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Codecs against bytes worked out by hand, and against the information bound. */
#include "support/test.h"

#include <stdlib.h>

#include "base/half.h"
#include "base/rng.h"
#include "codec/codec.h"
#include "compressors/sparse.h"

extern const egc_index_codec egc_index_codec_raw, egc_index_codec_bitmap, egc_index_codec_golomb;
extern const egc_value_codec egc_value_codec_fp32, egc_value_codec_fp16, egc_value_codec_sign_mean;

static void assert_index_bytes(const egc_index_codec *codec, const uint32_t *index, size_t count,
                               size_t n, uint64_t bits, const uint8_t *want, size_t want_len)
{
    egc_buf buf = {0};
    egc_error err = {0};
    egc_bit_writer writer = egc_bit_writer_to(&buf);
    uint32_t copy[64];
    memcpy(copy, index, count * sizeof *copy);
    assert_int_equal(codec->size_bits(NULL, index, count, n), bits);
    assert_ok(codec->write(&writer, NULL, copy, &count, n, &err), err);
    assert_ok(egc_bits_flush(&writer, &err), err);
    assert_int_equal(buf.len, want_len);
    assert_memory_equal(buf.data, want, want_len);
    egc_buf_fini(&buf);
}

/* Indices 2, 3, 10 of 16. raw: 0010 0011 1010. bitmap: 0011 0000 0010 0000.
 * golomb, b = 1, gaps 2 0 6: 00001 100 00 11100 and one bit of padding. */
static void indices_by_hand(void **state)
{
    (void)state;
    const uint32_t index[] = {2, 3, 10};
    const uint8_t raw[] = {0x23, 0xa0}, bitmap[] = {0x30, 0x20}, golomb[] = {0x0c, 0x38};
    assert_index_bytes(&egc_index_codec_raw, index, 3, 16, 12, raw, 2);
    assert_index_bytes(&egc_index_codec_bitmap, index, 3, 16, 16, bitmap, 2);
    assert_index_bytes(&egc_index_codec_golomb, index, 3, 16, 15, golomb, 2);
}

static void assert_value_bytes(const egc_value_codec *codec, const float *value, size_t count,
                               const uint8_t *want, size_t want_len)
{
    egc_buf buf = {0};
    egc_error err = {0};
    egc_bit_writer writer = egc_bit_writer_to(&buf);
    assert_ok(codec->write(&writer, NULL, value, count, &err), err);
    assert_ok(egc_bits_flush(&writer, &err), err);
    assert_int_equal((codec->size_bits(count) + 7) / 8, want_len);
    assert_int_equal(buf.len, want_len);
    assert_memory_equal(buf.data, want, want_len);
    egc_buf_fini(&buf);
}

/* 1 is 0x3f800000, -2 is 0xc0000000 in IEEE single; 0x3c00 and 0xc000 in half precision.
 * sign_mean of 1, 3, -2, -6: means 2 and 4, 0x4000 and 0x4080 as bfloat16, then bits 0011. */
static void values_by_hand(void **state)
{
    (void)state;
    const float two[] = {1, -2}, four[] = {1, 3, -2, -6};
    const uint8_t fp32[] = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}, fp16[] = {0x3c, 0, 0xc0, 0};
    const uint8_t signs[] = {0x40, 0x00, 0x40, 0x80, 0x30};
    assert_value_bytes(&egc_value_codec_fp32, two, 2, fp32, sizeof fp32);
    assert_value_bytes(&egc_value_codec_fp16, two, 2, fp16, sizeof fp16);
    assert_value_bytes(&egc_value_codec_sign_mean, four, 4, signs, sizeof signs);
}

/* Half precision from the definition of IEEE 754: range ends, ties to even, subnormals. */
static void half_precision(void **state)
{
    (void)state;
    const struct {
        float value;
        uint16_t fp16;
    } rows[] = {
        {0, 0x0000},        {-0.0f, 0x8000},        {65504, 0x7bff},
        {65519, 0x7bff},    {65520, 0x7bff},        {1e30f, 0x7bff},
        {-1e30f, 0xfbff},   {0x1p-14f, 0x0400},     {0x1p-24f, 0x0001},
        {0x1p-25f, 0x0000}, {0x1.8p-25f, 0x0001},   {0x1.8p-24f, 0x0002},
        {2049, 0x6800},     {2051, 0x6802},         {1 + 0x1p-11f, 0x3c00},
        {1e-30f, 0x0000},   {0x1.ff8p-15f, 0x03ff}, {0x1.ffcp-15f, 0x0400},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(egc_fp16_from_float(rows[i].value), rows[i].fp16);
    for (uint32_t half = 0; half < 0x7c00; half++) /* every finite half survives the round trip */
        assert_int_equal(egc_fp16_from_float(egc_fp16_to_float((uint16_t)half)), half);
    assert_int_equal(egc_bf16_from_float(3.4e38f), 0x7f7f);
    assert_int_equal(egc_bf16_from_float(1 + 0x1p-8f), 0x3f80);
    assert_int_equal(egc_bf16_from_float(1 + 0x1.8p-8f), 0x3f81);
}

/* Floyd's sample of k of n without replacement, as a bitmap walked in order. */
static size_t random_support(size_t n, size_t k, uint64_t seed, uint32_t *index)
{
    uint8_t *chosen = calloc(n, 1);
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    gsl_rng_set(rng, seed);
    for (size_t j = n - k; j < n; j++) {
        size_t t = gsl_rng_get(rng) % (j + 1);
        chosen[chosen[t] ? j : t] = 1;
    }
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (chosen[i])
            index[count++] = (uint32_t)i;
    gsl_rng_free(rng);
    free(chosen);
    return count;
}

static void golomb_is_near_the_bound(void **state)
{
    (void)state;
    const size_t n = 1000000;
    uint32_t *index = malloc(n * sizeof *index);
    for (size_t k = 100000; k >= 100; k /= 10) {
        assert_int_equal(random_support(n, k, k, index), k);
        double bits = (double)egc_index_codec_golomb.size_bits(NULL, index, k, n);
        double bound = egc_sparse_bound_bits(k, n) - 32 * (double)k;
        print_message("golomb, density %g: %.3f bits an index, bound %.3f, %+.2f %%\n",
                      (double)k / (double)n, bits / (double)k, bound / (double)k,
                      100 * (bits / bound - 1));
        assert_true(bits <= 1.02 * bound);
        assert_true(bits >= bound * 0.97); /* a sample can only beat the mean bound by a little */
    }
    free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_by_hand),
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(half_precision),
        cmocka_unit_test(golomb_is_near_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
