/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Index codecs against bytes worked out by hand, and bytes that nobody wrote. */
#include "support/codecs.h"
#include "support/test.h"

static void assert_index_bytes(const egc_index_codec *codec, const uint32_t *index, size_t count,
                               size_t n, uint64_t bits, const uint8_t *want, size_t want_len)
{
    egc_buf buf = {0};
    egc_error err = {0};
    egc_bits_writer writer = egc_bits_writer_to(&buf);
    uint32_t copy[64];
    memcpy(copy, index, count * sizeof *copy);
    assert_int_equal(codec->size_bits(NULL, index, count, n), bits);
    codec->write(&writer, NULL, copy, &count, n);
    assert_ok(egc_bits_flush(&writer, &err), err);
    assert_int_equal(buf.len, want_len);
    assert_memory_equal(buf.data, want, want_len);
    egc_buf_fini(&buf);
}

/* Indices 2, 3, 10 of 16. raw: 0010 0011 1010. bitmap: 0011 0000 0010 0000.
 * golomb, b = 1, gaps 2 0 6: 00001 100 00 11100 and one bit of padding.
 * rle, runs 2 2 6 1 5 of width 3: 00010 010 010 110 001 101. elias_gamma of 3 1 7: 011 1 00111.
 * elias_delta: 0101 1 01111. elias_fano, l = 2: lows 10 11 10, highs 110 0 10 0 0. */
static void codecs_index__indices_by_hand(void **state)
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
static void codecs_index__indices_of_long_units_by_hand(void **state)
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
static void codecs_index__run_lengths_at_powers_of_two(void **state)
{
    (void)state;
    enum { MOST = 1 << 16 };
    static uint32_t index[2 * MOST], back[2 * MOST];
    for (unsigned w = 0; w <= 16; w++)
        for (uint32_t picks = 1; picks <= MOST; picks = picks == 1u << w ? MOST + 1 : 1u << w) {
            egc_buf buf = {0};
            egc_error err = {0};
            egc_bits_writer writer = egc_bits_writer_to(&buf);
            size_t count = picks, n = (1u << w) + picks;
            for (uint32_t i = 0; i < picks; i++)
                index[i] = (1u << w) + i;
            assert_int_equal(egc_index_codec_rle.size_bits(NULL, index, count, n), 5 + 3 * (w + 1));
            egc_index_codec_rle.write(&writer, NULL, index, &count, n);
            assert_ok(egc_bits_flush(&writer, &err), err);
            egc_reader reader = egc_reader_of(buf.data, buf.len);
            egc_bits_reader bits = egc_bits_reader_of(&reader);
            assert_ok(egc_index_codec_rle.read(&bits, back, &count, n, &err), err);
            assert_memory_equal(back, index, picks * sizeof *index);
            egc_buf_fini(&buf);
        }
}

/* From an independent implementation (Python, unbounded integers) of the definition in
 * index_bloom.c. */
static void codecs_index__bloom_filters(void **state)
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
        egc_codec_context coding = {rows[r].rate, rows[r].policy, NULL, &scratch};
        egc_buf buf = {0};
        egc_error err = {0};
        egc_bits_writer writer = egc_bits_writer_to(&buf);
        uint32_t index[100];
        size_t count = rows[r].count;
        memcpy(index, rows[r].picks, count * sizeof *index);
        egc_index_codec_bloom.write(&writer, &coding, index, &count, rows[r].n);
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
static void codecs_index__indices_refused(void **state)
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
        egc_bits_reader bits = egc_bits_reader_of(&reader);
        size_t count = rows[r].count;
        assert_int_equal(rows[r].codec->read(&bits, index, &count, rows[r].n, NULL),
                         EGC_ERROR_FORMAT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codecs_index__indices_by_hand),
        cmocka_unit_test(codecs_index__indices_of_long_units_by_hand),
        cmocka_unit_test(codecs_index__run_lengths_at_powers_of_two),
        cmocka_unit_test(codecs_index__bloom_filters),
        cmocka_unit_test(codecs_index__indices_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
