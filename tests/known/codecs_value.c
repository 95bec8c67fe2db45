/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Value codecs against bytes worked out by hand, and bytes that nobody wrote. */
#include "base/number/half.h"
#include "base/rng.h"
#include "support/codecs.h"
#include "support/test.h"

static void assert_value_bytes(const egc_value_codec *codec, const float *value, size_t count,
                               const uint8_t *want, size_t want_len)
{
    egc_buf buf = {0};
    egc_error err = {0};
    egc_bits_writer writer = egc_bits_writer_to(&buf);
    const egc_codec_context coding = {.rng = gsl_rng_alloc(egc_rng_splitmix64)};
    codec->write(&writer, &coding, value, count);
    assert_ok(egc_bits_flush(&writer, &err), err);
    assert_int_equal((codec->size_bits(count) + 7) / 8, want_len);
    assert_int_equal(buf.len, want_len);
    assert_memory_equal(buf.data, want, want_len);
    gsl_rng_free(coding.rng);
    egc_buf_fini(&buf);
}

/* 1 is 0x3f800000, -2 is 0xc0000000 in IEEE single; 0x3c00 and 0xc000 in half precision, the upper
 * halves as bfloat16. sign_mean of 1, 3, -2, -6: means 2 and 4, 0x4000 and 0x4080 as bfloat16, then
 * bits 0011; sign_mean1: mean 3, 0x40400000, and the same bits. mean of -1, -2, -6: -3. */
static void codecs_value__values_by_hand(void **state)
{
    (void)state;
    const float two[] = {1, -2}, four[] = {1, 3, -2, -6}, negative[] = {-1, -2, -6};
    const uint8_t fp32[] = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}, fp16[] = {0x3c, 0, 0xc0, 0};
    const uint8_t bf16[] = {0x3f, 0x80, 0xc0, 0}, mean[] = {0xc0, 0x40, 0, 0};
    const uint8_t signs[] = {0x40, 0x00, 0x40, 0x80, 0x30}, signs1[] = {0x40, 0x40, 0, 0, 0x30};
    assert_value_bytes(&egc_value_codec_fp32, two, 2, fp32, sizeof fp32);
    assert_value_bytes(&egc_value_codec_fp16, two, 2, fp16, sizeof fp16);
    assert_value_bytes(&egc_value_codec_bf16, two, 2, bf16, sizeof bf16);
    assert_value_bytes(&egc_value_codec_sign_mean, four, 4, signs, sizeof signs);
    assert_value_bytes(&egc_value_codec_sign_mean1, four, 4, signs1, sizeof signs1);
    assert_value_bytes(&egc_value_codec_mean, negative, 3, mean, sizeof mean);
}

/* Values that fall on levels leave nothing to chance. q8: N = 127, codes of +127, -1, 0, +64.
 * q4: N = 7, codes of +7, -7, 0, +3. q2: N = 5, codes of +1, -1, 0. The second bucket of q2 is one
 * zero: N = 0, code 00, and padding. */
static void codecs_value__quantised_by_hand(void **state)
{
    (void)state;
    const float eight[] = {127, -1, 0, 64}, four[] = {7, -7, 0, 3};
    const uint8_t q8[] = {0x42, 0xfe, 0, 0, 0x7f, 0x81, 0, 0x40};
    const uint8_t q4[] = {0x40, 0xe0, 0, 0, 0x7f, 0x03};
    assert_value_bytes(&egc_value_codec_q8, eight, 4, q8, sizeof q8);
    assert_value_bytes(&egc_value_codec_q4, four, 4, q4, sizeof q4);
    float two[513] = {5, -5, 0};
    uint8_t q2[4 + 128 + 4 + 1] = {0x40, 0xa0, 0, 0, 0x70};
    assert_value_bytes(&egc_value_codec_q2, two, 513, q2, sizeof q2);
}

/* Bytes that no encoder writes: a norm or mean that is negative, Inf or NaN, a negative zero. */
static void codecs_value__values_refused(void **state)
{
    (void)state;
    const struct {
        const egc_value_codec *codec;
        uint8_t wire[5];
    } rows[] = {
        {&egc_value_codec_q8, {0xbf, 0x80, 0, 0, 1}},
        {&egc_value_codec_q8, {0x7f, 0x80, 0, 0, 1}},
        {&egc_value_codec_q8, {0x7f, 0xc0, 0, 0, 1}},
        {&egc_value_codec_q8, {0x3f, 0x80, 0, 0, 0x80}},
        {&egc_value_codec_q4, {0xbf, 0x80, 0, 0, 0x10}},
        {&egc_value_codec_q2, {0x3f, 0x80, 0, 0, 0x80}},
        {&egc_value_codec_sign_mean1, {0xbf, 0x80, 0, 0, 0}},
        {&egc_value_codec_sign_mean1, {0x7f, 0x80, 0, 0, 0}},
        {&egc_value_codec_sign_mean1, {0xff, 0xc0, 0, 0, 0}},
        {&egc_value_codec_mean, {0xff, 0x80, 0, 0, 0}},
        {&egc_value_codec_mean, {0x7f, 0xc0, 0, 0, 0}},
        {&egc_value_codec_bf16, {0xff, 0x80, 0, 0, 0}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        egc_reader reader = egc_reader_of(rows[r].wire, sizeof rows[r].wire);
        egc_bits_reader bits = egc_bits_reader_of(&reader);
        float value;
        assert_int_equal(rows[r].codec->read(&bits, &value, 1, NULL), EGC_ERROR_FORMAT);
    }
}

/* Half precision from the definition of IEEE 754: range ends, ties to even, subnormals. */
static void codecs_value__half_precision(void **state)
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
        assert_int_equal(egc_half_fp16_from_float(rows[i].value), rows[i].fp16);
    for (uint32_t half = 0; half < 0x7c00; half++) /* every finite half survives the round trip */
        assert_int_equal(egc_half_fp16_from_float(egc_half_fp16_to_float((uint16_t)half)), half);
    assert_int_equal(egc_half_bf16_from_float(3.4e38f), 0x7f7f);
    assert_int_equal(egc_half_bf16_from_float(1 + 0x1p-8f), 0x3f80);
    assert_int_equal(egc_half_bf16_from_float(1 + 0x1.8p-8f), 0x3f81);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codecs_value__values_by_hand),
        cmocka_unit_test(codecs_value__quantised_by_hand),
        cmocka_unit_test(codecs_value__values_refused),
        cmocka_unit_test(codecs_value__half_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
