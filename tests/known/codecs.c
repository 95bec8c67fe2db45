/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Codecs against bytes worked out by hand, and against the information bound. */
#include "support/test.h"

#include <stdlib.h>

#include "base/half.h"
#include "base/rng.h"
#include "codec/codec.h"
#include "compressors/sparse.h"

#define EGC_INDEX_CODEC(name) extern const egc_index_codec egc_index_codec_##name;
#define EGC_VALUE_CODEC(name) extern const egc_value_codec egc_value_codec_##name;
#include "codec/list.def"
#undef EGC_INDEX_CODEC
#undef EGC_VALUE_CODEC

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
 * golomb, b = 1, gaps 2 0 6: 00001 100 00 11100 and one bit of padding.
 * rle, runs 2 2 6 1 5 of width 3: 00010 010 010 110 001 101. elias_gamma of 3 1 7: 011 1 00111.
 * elias_delta: 0101 1 01111. elias_fano, l = 2: lows 10 11 10, highs 110 0 10 0 0. */
static void indices_by_hand(void **state)
{
    (void)state;
    const uint32_t index[] = {2, 3, 10};
    const uint8_t raw[] = {0x23, 0xa0}, bitmap[] = {0x30, 0x20}, golomb[] = {0x0c, 0x38};
    const uint8_t raw16[] = {0, 2, 0, 3, 0, 10}, raw32[] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 10};
    const uint8_t rle[] = {0x12, 0x58, 0xd0}, varint[] = {2, 0, 6};
    const uint8_t gamma[] = {0x73, 0x80}, delta[] = {0x5b, 0xc0}, fano[] = {0xbb, 0x20};
    assert_index_bytes(&egc_index_codec_raw, index, 3, 16, 12, raw, sizeof raw);
    assert_index_bytes(&egc_index_codec_bitmap, index, 3, 16, 16, bitmap, sizeof bitmap);
    assert_index_bytes(&egc_index_codec_golomb, index, 3, 16, 15, golomb, sizeof golomb);
    assert_index_bytes(&egc_index_codec_raw16, index, 3, 16, 48, raw16, sizeof raw16);
    assert_index_bytes(&egc_index_codec_raw32, index, 3, 16, 96, raw32, sizeof raw32);
    assert_index_bytes(&egc_index_codec_rle, index, 3, 16, 20, rle, sizeof rle);
    assert_index_bytes(&egc_index_codec_varint, index, 3, 16, 24, varint, sizeof varint);
    assert_index_bytes(&egc_index_codec_elias_gamma, index, 3, 16, 9, gamma, sizeof gamma);
    assert_index_bytes(&egc_index_codec_elias_delta, index, 3, 16, 10, delta, sizeof delta);
    assert_index_bytes(&egc_index_codec_elias_fano, index, 3, 16, 14, fano, sizeof fano);
}

/* Block 0 with 1 pick at 1, block 1, of 4 elements, with 1 pick at 2:
 * 00000000000000001 0000000000000001 001 0000000000000010. A whole block picked needs all 17 bits
 * of its count; n = 65536 needs none. Gaps over one byte: 300 is ac 02, 2^31 + 1 is 81 80 80 80 08;
 * 65535 + 1 in Elias gamma is 16 zeros, a one and 16 zeros. */
static void indices_of_long_units_by_hand(void **state)
{
    (void)state;
    const uint32_t two[] = {1, 65538}, last[] = {65535}, far[] = {300, 300 + (1u << 31) + 2};
    const uint8_t blocks[] = {0, 0, 0x80, 0, 0x90, 0, 0x20}, none[] = {0xff, 0xff};
    const uint8_t varint[] = {0xac, 2, 0x81, 0x80, 0x80, 0x80, 8}, gamma[] = {0, 0, 0x80, 0, 0};
    assert_index_bytes(&egc_index_codec_raw16, two, 2, 65540, 52, blocks, sizeof blocks);
    assert_index_bytes(&egc_index_codec_raw16, last, 1, 65536, 16, none, sizeof none);
    assert_index_bytes(&egc_index_codec_varint, far, 2, 1ull << 32, 56, varint, sizeof varint);
    assert_index_bytes(&egc_index_codec_elias_gamma, last, 1, 65536, 33, gamma, sizeof gamma);
}

/* Regression: DeepReduce packs runs with ceil(log2 max) bits, which 2^w does not fit. One pick
 * after 2^w others, then runs of 2^w - 1 and 2^w picks. */
static void run_lengths_at_powers_of_two(void **state)
{
    (void)state;
    enum { MOST = 1 << 16 };
    static uint32_t index[2 * MOST], back[2 * MOST];
    for (unsigned w = 0; w <= 16; w++)
        for (uint32_t picks = 1; picks <= MOST; picks = picks == 1u << w ? MOST + 1 : 1u << w) {
            egc_buf buf = {0};
            egc_error err = {0};
            egc_bit_writer writer = egc_bit_writer_to(&buf);
            size_t count = picks, n = (1u << w) + picks;
            for (uint32_t i = 0; i < picks; i++)
                index[i] = (1u << w) + i;
            assert_int_equal(egc_index_codec_rle.size_bits(NULL, index, count, n), 5 + 3 * (w + 1));
            assert_ok(egc_index_codec_rle.write(&writer, NULL, index, &count, n, &err), err);
            assert_ok(egc_bits_flush(&writer, &err), err);
            egc_reader reader = egc_reader_of(buf.data, buf.len);
            egc_bit_reader bits = egc_bit_reader_of(&reader);
            assert_ok(egc_index_codec_rle.read(&bits, back, &count, n, &err), err);
            assert_memory_equal(back, index, picks * sizeof *index);
            egc_buf_fini(&buf);
        }
}

/* From an independent implementation (Python, unbounded integers) of the definition in
 * index_bloom.c. */
static void bloom_filters(void **state)
{
    (void)state;
    const uint32_t six[] = {3, 4, 11, 29, 40, 57}, ten[] = {5, 17, 18, 40, 41, 42, 63, 77, 91, 99};
    const struct {
        const uint32_t *picks;
        size_t count, n;
        double rate;
        int policy;
        uint8_t wire[8];
        size_t len;
        uint32_t sent[24];
        size_t n_sent;
    } rows[] = {
        {six,
         6,
         64,
         0.25,
         EGC_BLOOM_ALL,
         {0x0b, 0x8c, 0x57, 0x58, 0xc0},
         5,
         {1, 3, 4, 6, 11, 14, 18, 20, 25, 29, 30, 31, 39, 40, 43, 46, 50, 54, 57, 60, 61},
         21},
        {six,
         6,
         64,
         0.25,
         EGC_BLOOM_LEFTMOST,
         {0x0b, 0x8d, 0x57, 0x58, 0xc0},
         5,
         {1, 3, 4, 6, 11, 14},
         6},
        {six,
         6,
         64,
         0.25,
         EGC_BLOOM_CONFLICTS,
         {0x0b, 0x8e, 0x57, 0x58, 0xc0},
         5,
         {1, 3, 4, 6, 11, 29},
         6},
        {ten,
         10,
         100,
         0.1,
         EGC_BLOOM_ALL,
         {0x13, 0x2c, 0x19, 0xaf, 0x0d, 0xfd, 0xa6, 0x44},
         8,
         {5, 12, 17, 18, 24, 27, 28, 40, 41, 42, 49, 54, 56, 63, 64, 74, 75, 77, 91, 99},
         20},
        {ten,
         10,
         100,
         0.1,
         EGC_BLOOM_LEFTMOST,
         {0x13, 0x2d, 0x19, 0xaf, 0x0d, 0xfd, 0xa6, 0x44},
         8,
         {5, 12, 17, 18, 24, 27, 28, 40, 41, 42},
         10},
        {ten,
         10,
         100,
         0.1,
         EGC_BLOOM_CONFLICTS,
         {0x13, 0x2e, 0x19, 0xaf, 0x0d, 0xfd, 0xa6, 0x44},
         8,
         {5, 12, 17, 18, 28, 41, 42, 54, 63, 74},
         10},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        egc_arena scratch = {0};
        egc_coding coding = {rows[r].rate, rows[r].policy, NULL, &scratch};
        egc_buf buf = {0};
        egc_error err = {0};
        egc_bit_writer writer = egc_bit_writer_to(&buf);
        uint32_t index[100];
        size_t count = rows[r].count;
        memcpy(index, rows[r].picks, count * sizeof *index);
        assert_ok(egc_index_codec_bloom.write(&writer, &coding, index, &count, rows[r].n, &err),
                  err);
        assert_ok(egc_bits_flush(&writer, &err), err);
        assert_int_equal(buf.len, rows[r].len);
        assert_memory_equal(buf.data, rows[r].wire, buf.len);
        assert_int_equal(count, rows[r].n_sent);
        assert_memory_equal(index, rows[r].sent, count * sizeof *index);
        egc_buf_fini(&buf);
        egc_arena_fini(&scratch);
    }
}

/* Bytes that no encoder writes, by hand, n = 8 unless said. */
static void indices_refused(void **state)
{
    (void)state;
    const struct {
        const egc_index_codec *codec;
        size_t count, n;
        uint8_t wire[8];
    } rows[] = {
        {&egc_index_codec_raw16, 1, 8, {0, 8}},                       /* offset 8 */
        {&egc_index_codec_raw16, 2, 8, {0, 3, 0, 3}},                 /* twice 3 */
        {&egc_index_codec_raw16, 1, 65537, {0, 0}},                   /* two blocks without picks */
        {&egc_index_codec_raw16, 1, 65537, {0, 1, 0, 0, 0, 0, 0x80}}, /* a block of 2 picks: 0, 1 */
        {&egc_index_codec_raw32, 1, 8, {0, 0, 0, 8}},                 /* index 8 */
        {&egc_index_codec_raw32, 2, 8, {0, 0, 0, 3}},                 /* 0 after 3 */
        {&egc_index_codec_rle, 2, 8, {0x12, 0x4d, 0x80}}, /* 00010 010 010 011: ends at 7 */
        {&egc_index_codec_rle, 2, 8, {0x12, 0x6d, 0x80}}, /* 00010 010 011 011: 3 of 2 picks */
        {&egc_index_codec_rle, 2, 8, {0x12, 0x20, 0xc0}}, /* 00010 010 001 000 001 100: 0 within */
        {&egc_index_codec_rle, 2, 8, {0x12, 0x05, 0x30}}, /* 00010 010 000 001 010 011: no picks */
        {&egc_index_codec_varint, 1, 8, {0x82, 0x00}},    /* 2 in two bytes */
        {&egc_index_codec_varint, 1, 8, {8}},             /* gap 8 */
        {&egc_index_codec_varint, 1, 1ull << 32, {0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
        {&egc_index_codec_elias_gamma, 1, 8, {0x12}},                      /* 9 */
        {&egc_index_codec_elias_gamma, 1, 1ull << 32, {0, 0, 0, 0, 0x40}}, /* 2^33 */
        {&egc_index_codec_elias_delta, 1, 8, {0x21}},                      /* 9 */
        {&egc_index_codec_elias_delta, 1, 1ull << 32, {0x04, 0x40}},       /* of 34 bits */
        {&egc_index_codec_elias_fano, 1, 8, {0x00}},  /* l = 3: low 000, highs 0 0: no picks */
        {&egc_index_codec_elias_fano, 1, 8, {0x08}},  /* low 000, highs 0 10: 8 */
        {&egc_index_codec_elias_fano, 2, 8, {0x7e}},  /* l = 2: lows 01 11, highs 1110: 3 picks */
        {&egc_index_codec_elias_fano, 2, 8, {0xdc}},  /* lows 11 01, highs 110 0 0: 1 after 3 */
        {&egc_index_codec_bloom, 1, 8, {0, 0, 0xff}}, /* density 0 */
        {&egc_index_codec_bloom, 1, 8, {0x0b, 0x8f, 0xff}}, /* policy 3 */
        {&egc_index_codec_bloom, 1, 8, {0x0b, 0x8d, 0}},    /* no positive */
    };
    uint32_t index[65537];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        egc_reader reader = egc_reader_of(rows[r].wire, sizeof rows[r].wire);
        egc_bit_reader bits = egc_bit_reader_of(&reader);
        size_t count = rows[r].count;
        assert_int_equal(rows[r].codec->read(&bits, index, &count, rows[r].n, NULL),
                         EGC_ERROR_FORMAT);
    }
}

static void assert_value_bytes(const egc_value_codec *codec, const float *value, size_t count,
                               const uint8_t *want, size_t want_len)
{
    egc_buf buf = {0};
    egc_error err = {0};
    egc_bit_writer writer = egc_bit_writer_to(&buf);
    const egc_coding coding = {.rng = gsl_rng_alloc(egc_rng_splitmix64)};
    assert_ok(codec->write(&writer, &coding, value, count, &err), err);
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
static void values_by_hand(void **state)
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
static void quantised_by_hand(void **state)
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
static void values_refused(void **state)
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
        egc_bit_reader bits = egc_bit_reader_of(&reader);
        float value;
        assert_int_equal(rows[r].codec->read(&bits, &value, 1, NULL), EGC_ERROR_FORMAT);
    }
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

/* The mean size over uniformly random supports, in bits an index. */
static double bits_per_index(const egc_index_codec *codec, double bloom_rate, size_t n, size_t k,
                             uint32_t *index)
{
    const egc_coding coding = {.bloom_rate = bloom_rate};
    size_t draws = k < 1000 ? 200 : k < 10000 ? 20 : 2;
    double total = 0;
    for (uint64_t draw = 0; draw < draws; draw++) {
        random_support(n, k, 1000 * k + draw, index);
        total += (double)codec->size_bits(&coding, index, k, n) / (double)k;
    }
    return total / (double)draws;
}

/* The width of the fields of rle, by another way: from the support's longest run. */
static double rle_width(size_t n, size_t k, uint64_t seed, uint32_t *index)
{
    random_support(n, k, seed, index);
    uint32_t longest = 0;
    for (size_t i = 1; i < k; i++)
        longest = index[i] - index[i - 1] - 1 > longest ? index[i] - index[i - 1] - 1 : longest;
    longest = index[0] > longest ? index[0] : longest;
    longest = n - 1 - index[k - 1] > longest ? (uint32_t)(n - 1 - index[k - 1]) : longest;
    return egc_bit_width(longest);
}

/* Bits per kept index of n = 10^6 at uniformly random support, computed from the definitions of
 * DeepReduce's and the classical codes, not by this code. The longest run, and with it rle's
 * width, is a matter of luck; the table's supports had widths of 7, 10, 14 and 17. */
static void bits_per_index_of_the_literature(void **state)
{
    (void)state;
    const size_t n = 1000000, k[] = {100000, 10000, 1000, 100};
    const struct {
        const egc_index_codec *codec;
        double bloom_rate, want[4];
    } rows[] = {
        {&egc_index_codec_raw, 0, {20, 20, 20, 20}},
        {&egc_index_codec_bitmap, 0, {10, 100, 1000, 10000}},
        {&egc_index_codec_varint, 0, {8.0, 10.2, 15.1, 17.5}},
        {&egc_index_codec_golomb, 0, {4.76, 8.11, 11.49, 14.80}},
        {&egc_index_codec_elias_fano, 0, {5.25, 8.56, 11.95, 15.23}},
        {&egc_index_codec_elias_delta, 0, {6.1, 10.8, 15.4, 18.9}},
        {&egc_index_codec_bloom, 1e-3, {14.4, 14.4, 14.4, 14.4}},
        {&egc_index_codec_bloom, 0, {9.6, 14.4, 19.2, 24.0}},
    };
    const double rle[] = {12.6, 19.8, 28.0, 34.2}, rle_widths[] = {7, 10, 14, 17};
    uint32_t *index = malloc(n * sizeof *index);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t i = 0; i < 4; i++) {
            double got = bits_per_index(rows[r].codec, rows[r].bloom_rate, n, k[i], index);
            print_message("%s %g, k = %zu: %.3f bits an index, table %.2f\n", rows[r].codec->name,
                          rows[r].bloom_rate, k[i], got, rows[r].want[i]);
            assert_close(got, rows[r].want[i], 0.01);
        }
    for (size_t i = 0; i < 4; i++) {
        double width = rle_width(n, k[i], k[i], index);
        double got = (double)egc_index_codec_rle.size_bits(NULL, index, k[i], n) / (double)k[i];
        print_message("rle, k = %zu, width %g: %.3f bits an index, table %.1f at width %g\n", k[i],
                      width, got, rle[i], rle_widths[i]);
        assert_close(got, rle[i] * width / rle_widths[i], 0.01);
    }
    free(index);
}

/* The filter keeps its rate, and P2 finds more of the picks than P1 unless hardly any are there to
 * be told from the rest. */
static void bloom_rates(void **state)
{
    (void)state;
    const size_t n = 200000, k = 2000;
    uint32_t *index = malloc(n * sizeof *index), *picks = malloc(n * sizeof *picks);
    random_support(n, k, 77, picks);
    for (double rate = 0.1; rate > 0.0005; rate /= 10) {
        double recall[3] = {0};
        for (int policy = 0; policy < 3; policy++) {
            egc_arena scratch = {0};
            const egc_coding coding = {rate, policy, NULL, &scratch};
            egc_buf buf = {0};
            egc_error err = {0};
            egc_bit_writer writer = egc_bit_writer_to(&buf);
            size_t count = k;
            memcpy(index, picks, k * sizeof *index);
            assert_ok(egc_index_codec_bloom.write(&writer, &coding, index, &count, n, &err), err);
            for (size_t i = 0, j = 0; i < count; i++) {
                while (j < k && picks[j] < index[i])
                    j++;
                recall[policy] += (j < k && picks[j] == index[i]) / (double)k;
            }
            if (policy == EGC_BLOOM_ALL)
                assert_close((double)(count - k) / (double)(n - k), rate, 0.15);
            else
                assert_int_equal(count, k);
            egc_buf_fini(&buf);
            egc_arena_fini(&scratch);
        }
        print_message("bloom at %g: picks found by P0 %.3f, P1 %.3f, P2 %.3f\n", rate, recall[0],
                      recall[1], recall[2]);
        assert_true(recall[0] > 0.9999 && (rate > 0.05 || recall[2] > recall[1] + 0.05));
    }
    free(index);
    free(picks);
}

/* Filters of a few dozen bits, where hashes that have few different patterns show: of 4 picks at
 * 0.001 the rate is 1.24 times that, the filter being so small, and was 7 times with double
 * hashing. */
static void small_bloom_filters(void **state)
{
    (void)state;
    enum { N = 1000, K = 4, ROUNDS = 2000 };
    uint32_t index[N];
    double false_positives = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        egc_arena scratch = {0};
        const egc_coding coding = {0.001, EGC_BLOOM_ALL, NULL, &scratch};
        egc_buf buf = {0};
        egc_error err = {0};
        egc_bit_writer writer = egc_bit_writer_to(&buf);
        size_t count = random_support(N, K, round, index);
        assert_ok(egc_index_codec_bloom.write(&writer, &coding, index, &count, N, &err), err);
        false_positives += (double)(count - K) / (N - K) / ROUNDS;
        egc_buf_fini(&buf);
        egc_arena_fini(&scratch);
    }
    assert_close(false_positives, 0.00124, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_by_hand),
        cmocka_unit_test(indices_of_long_units_by_hand),
        cmocka_unit_test(run_lengths_at_powers_of_two),
        cmocka_unit_test(bloom_filters),
        cmocka_unit_test(indices_refused),
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(quantised_by_hand),
        cmocka_unit_test(values_refused),
        cmocka_unit_test(half_precision),
        cmocka_unit_test(golomb_is_near_the_bound),
        cmocka_unit_test(bits_per_index_of_the_literature),
        cmocka_unit_test(bloom_rates),
        cmocka_unit_test(small_bloom_filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
