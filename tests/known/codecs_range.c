/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entropy coder: bytes of an independent implementation, what it makes of the messages it is
 * for, and that no damaged code does more than be refused or decode to something. */
#include "support/test.h"

#include <stdlib.h>

#include "base/rng.h"
#include "codec/codec.h"
#include "codec/range.h"
#include "compressors/core/sparse_message.h"
#include "support/inputs.h"

extern const egc_value_codec egc_value_codec_fp32, egc_value_codec_q8, egc_value_codec_q4,
    egc_value_codec_sign_mean;
extern const egc_index_codec egc_index_codec_golomb;

/* Encodes, decodes beside pages nobody may touch, and returns the length of the code. */
static size_t round_trip(const void *in, size_t len, egc_buf *code)
{
    egc_error err = {0};
    size_t start = code->len;
    assert_ok(egc_range_encode(in, len, code, &err), err);
    size_t bytes = code->len - start;
    assert_true(bytes <= len + 1);
    uint8_t *wire = guarded(bytes), *back = guarded(len);
    if (bytes)
        memcpy(wire, code->data + start, bytes);
    egc_reader reader = egc_reader_of(wire, bytes);
    assert_ok(egc_range_decode(&reader, back, len, &err), err);
    assert_int_equal(egc_reader_left(&reader), 0);
    assert_memory_equal(back, in, len);
    free_guarded(wire, bytes);
    free_guarded(back, len);
    return bytes;
}

/* By an independent implementation (Python, unbounded integers, no carry to propagate) of what
 * range.h and range.c describe. A byte alone is stored. */
static void codecs_range__known_codes(void **state)
{
    (void)state;
    const struct {
        const char *in;
        size_t len;
        uint8_t code[32];
        size_t code_len;
    } rows[] = {
        {"", 0, {0}, 0},
        {"\xff", 1, {0x00, 0xff}, 2},
        {"aaaaaaaaaaaaaaaaaaaaaaaa", 24, {0x01, 0x9e, 0x99, 0x55, 0x3e, 0x74, 0xc1}, 7},
        {"abracadabra abracadabra abracadabra",
         35,
         {0x01, 0x9e, 0x95, 0x63, 0x41, 0x28, 0xba, 0xd0, 0x9f, 0x52, 0x7a, 0x41, 0x68, 0xc8, 0x57,
          0xec, 0x51, 0xe2},
         18},
        {(const char[64]){0}, 64, {0x01, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xfb}, 8},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        egc_buf code = {0};
        assert_int_equal(round_trip(rows[r].in, rows[r].len, &code), rows[r].code_len);
        if (code.len)
            assert_memory_equal(code.data, rows[r].code, code.len);
        egc_buf_fini(&code);
    }
}

/* Bytes of every kind of regularity: none, all equal, few values, long runs, mostly 0xff (carries).
 */
static void fill_bytes(uint8_t *bytes, size_t len, int kind, uint64_t *random)
{
    for (size_t i = 0; i < len; i++) {
        uint64_t draw = egc_rng_next(random);
        const uint8_t of_kind[] = {(uint8_t)draw,
                                   0,
                                   (uint8_t)(draw % 3),
                                   (uint8_t)(i / 100),
                                   draw % 50 ? 0xff : (uint8_t)(draw >> 32),
                                   i % 4 ? (uint8_t)draw : 0x3b};
        bytes[i] = of_kind[kind];
    }
}
enum { N_KINDS = 6 };

static void codecs_range__every_length_comes_back(void **state)
{
    (void)state;
    uint8_t in[2048];
    uint64_t random = 7;
    for (int kind = 0; kind < N_KINDS; kind++)
        for (size_t len = 0; len <= sizeof in; len += len < 300 ? 1 : 97) {
            egc_buf code = {0};
            egc_error err = {0};
            assert_ok(egc_buf_append(&code, "ahead", 5, &err), err); /* it appends */
            fill_bytes(in, len, kind, &random);
            round_trip(in, len, &code);
            assert_memory_equal(code.data, "ahead", 5);
            egc_buf_fini(&code);
        }
}

/* What cannot be made shorter costs one byte, however long. */
static void codecs_range__worst_case_is_one_byte(void **state)
{
    (void)state;
    enum { LEN = 1 << 20 };
    uint8_t *in = malloc(LEN);
    uint64_t random = 11;
    fill_bytes(in, LEN, 0, &random);
    egc_buf code = {0};
    assert_int_equal(round_trip(in, LEN, &code), LEN + 1);
    egc_buf_fini(&code);
    free(in);
}

/* Decodes len bytes from what may be anything: FORMAT or some bytes, never more. Returns whether it
 * was refused. */
static bool is_refused(const uint8_t *code, size_t code_len, size_t len)
{
    uint8_t *wire = guarded(code_len), *back = guarded(len);
    if (code_len)
        memcpy(wire, code, code_len);
    egc_reader reader = egc_reader_of(wire, code_len);
    egc_status status = egc_range_decode(&reader, back, len, NULL);
    assert_true(status == EGC_OK || status == EGC_ERROR_FORMAT);
    free_guarded(wire, code_len);
    free_guarded(back, len);
    return status != EGC_OK;
}

/* Of a stored code, all damage to its length is told. A range code is the shortest there is, so
 * that now and then a shorter one is that of other bytes: nearly all truncations, additions and
 * wrong lengths are told, and most flipped bits. */
static void codecs_range__damaged_codes(void **state)
{
    (void)state;
    enum { LEN = 500, LENGTHS = 20 };
    uint8_t in[LEN];
    uint64_t random = 13;
    for (int kind = 0; kind <= 5; kind += 5) {
        egc_buf code = {0};
        egc_error err = {0};
        fill_bytes(in, LEN, kind, &random);
        size_t bytes = round_trip(in, LEN, &code), cuts = 0, lengths = 0, flips = 0;
        for (size_t cut = 0; cut < bytes; cut++)
            cuts += is_refused(code.data, cut, LEN);
        for (size_t more = 1; more <= LENGTHS; more++)
            lengths += (size_t)is_refused(code.data, bytes, LEN - more) +
                       is_refused(code.data, bytes, LEN + more);
        for (size_t bit = 0; bit < 8 * bytes; bit++) {
            code.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            flips += is_refused(code.data, bytes, LEN);
            code.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        print_message("kind %d: refused %zu of %zu cuts, %zu of %d lengths, %zu of %zu flips\n",
                      code.data[0], cuts, bytes, lengths, 2 * LENGTHS, flips, 8 * bytes);
        bool coded = code.data[0] == 1;
        assert_int_equal(coded, kind == 5);
        assert_true(cuts >= bytes - (coded ? 3 : 0));
        assert_true(lengths >= 2 * LENGTHS - (coded ? 3 : 0));
        assert_true(coded ? flips > 4 * bytes : flips == 8);
        assert_ok(egc_buf_append(&code, "", 1, &err), err);
        assert_true(is_refused(code.data, bytes + 1, LEN));
        egc_buf_fini(&code);
    }
}

static void codecs_range__random_bytes_end(void **state)
{
    (void)state;
    uint8_t code[64];
    uint64_t random = 17;
    for (int round = 0; round < 2000; round++) {
        size_t len = egc_rng_next(&random) % sizeof code;
        fill_bytes(code, sizeof code, round % N_KINDS, &random);
        code[0] = round % 3 ? 1 : code[0];
        is_refused(code, len, egc_rng_next(&random) % 300);
        is_refused(code, len, 100000);
    }
    assert_true(is_refused((const uint8_t *)"\1\xff\xff\xff\xff", 5, 100));
    assert_true(is_refused(code, 1, 0));
}

/* ---- what it makes of messages ------------------------------------------------------------- */

static void fill_laplace(float *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        double u = ((double)(egc_rng_next(&seed) >> 11) + 0.5) * 0x1p-53 - 0.5;
        x[i] = (float)(1e-3 * copysign(log(1 - 2 * fabs(u)), u));
    }
}

static double bits_per_byte(const char *what, const void *in, size_t len)
{
    egc_buf code = {0};
    double bits = 8 * (double)round_trip(in, len, &code) / (double)len;
    print_message("%s: %zu bytes, %.3f bits a byte\n", what, len, bits);
    egc_buf_fini(&code);
    return bits;
}

static double bits_per_byte_of_values(const egc_value_codec *codec, const float *x, size_t n)
{
    const egc_codec_context coding = {.rng = gsl_rng_alloc(egc_rng_splitmix64)};
    egc_buf wire = {0};
    egc_error err = {0};
    egc_bits_writer writer = egc_bits_writer_to(&wire);
    codec->write(&writer, &coding, x, n);
    assert_ok(egc_bits_flush(&writer, &err), err);
    double bits = bits_per_byte(codec->name, wire.data, wire.len);
    egc_buf_fini(&wire);
    gsl_rng_free(coding.rng);
    return bits;
}

/* The selection of the magnitudes above tau. */
static double bits_per_byte_of_message(const egc_value_codec *codec, const float *x, size_t n,
                                       float tau)
{
    uint32_t *index = malloc(n * sizeof *index);
    float *value = malloc(n * sizeof *value);
    egc_selection selection = {index, value, 0};
    for (size_t i = 0; i < n; i++)
        if (fabsf(x[i]) > tau)
            index[selection.count++] = (uint32_t)i;
    egc_buf wire = {0};
    egc_error err = {0};
    assert_ok(egc_sparse_message_write(&egc_index_codec_golomb, codec, NULL, x, &selection, n,
                                       &wire, NULL, &err),
              err);
    double bits = bits_per_byte(codec->name, wire.data, wire.len);
    egc_buf_fini(&wire);
    free(index);
    free(value);
    return bits;
}

/* Golomb codes and signs are nearly all news; the exponents of floats and small levels are not. For
 * comparison, zstd -1 makes 8.01, 7.24, 7.51, 7.45, 6.78 and 5.38 bits a byte of the first six. */
static void codecs_range__what_messages_shrink_to(void **state)
{
    (void)state;
    const size_t n = 400000;
    float *x = malloc(n * sizeof *x);
    fill_laplace(x, n, 19);
    assert_true(bits_per_byte_of_message(&egc_value_codec_sign_mean, x, n, 3.7e-3f) < 8.001);
    assert_true(bits_per_byte_of_message(&egc_value_codec_fp32, x, n, 3.7e-3f) < 6.5);
    assert_true(bits_per_byte_of_message(&egc_value_codec_fp32, x, n, 6e-3f) < 6.9);
    assert_true(bits_per_byte_of_values(&egc_value_codec_fp32, x, n) < 6.8);
    assert_true(bits_per_byte_of_values(&egc_value_codec_q8, x, n) < 6.75);
    assert_true(bits_per_byte_of_values(&egc_value_codec_q4, x, n) < 5.35);
    uint8_t *zeros = calloc(100000, 1);
    assert_true(bits_per_byte("zeros", zeros, 100000) < 0.01);
    free(zeros);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codecs_range__known_codes),
        cmocka_unit_test(codecs_range__every_length_comes_back),
        cmocka_unit_test(codecs_range__worst_case_is_one_byte),
        cmocka_unit_test(codecs_range__damaged_codes),
        cmocka_unit_test(codecs_range__random_bytes_end),
        cmocka_unit_test(codecs_range__what_messages_shrink_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
