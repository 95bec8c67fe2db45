/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The base library: errors, bits, varints, buffers, arenas, elements, randomness, quantities. */
#include "support/test.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number/element.h"
#include "base/number/quantity.h"
#include "base/rng.h"
#include "base/text.h"

static void base__errors_carry_place_and_reason(void **state)
{
    (void)state;
    egc_error err = {0};
    assert_int_equal(egc_fail(&err, EGC_ERROR_RANGE, "must be < %d, got %d", 3, 4),
                     EGC_ERROR_RANGE);
    assert_int_equal(egc_error_prefix(&err, "%s:%d", "a.lua", 7), EGC_ERROR_RANGE);
    assert_string_equal(err.message, "a.lua:7: must be < 3, got 4");

    char longer[2 * EGC_ERROR_LENGTH];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    egc_fail(&err, EGC_ERROR_IO, "%s", longer);
    assert_int_equal(strlen(err.message), EGC_ERROR_LENGTH - 1);
    assert_string_equal(err.message + EGC_ERROR_LENGTH - 4, "...");
}

static void base__errors_are_one_line(void **state)
{
    (void)state;
    egc_error err = {0};
    egc_fail(&err, EGC_ERROR_NAME, "no \"%s\"", "a\nb\tc\r\x1b\x7f \\ \u00b5s");
    egc_error_prefix(&err, "%s", "x\ny");
    assert_string_equal(err.message, "x\\ny: no \"a\\nb\\tc\\x0d\\x1b\\x7f \\ \u00b5s\"");

    char newlines[EGC_ERROR_LENGTH];
    for (size_t first = 0; first < 4; first++) {
        memset(newlines, '\n', sizeof newlines);
        memset(newlines, 'x', first);
        newlines[sizeof newlines - 1] = '\0';
        egc_fail(&err, EGC_ERROR_IO, "%s", newlines);
        assert_int_equal(strlen(err.message), EGC_ERROR_LENGTH - 1);
        assert_string_equal(err.message + EGC_ERROR_LENGTH - 4, "...");
        assert_null(strchr(err.message, '\n'));
    }
}

static void base__of_many_names_the_first_are_told(void **state)
{
    (void)state;
    egc_error_names some = {0};
    char name[100];
    egc_error_names_add(&some, "a");
    egc_error_names_add(&some, "b");
    assert_string_equal(some.text, "a, b");
    for (size_t length = 1; length < sizeof name; length++) {
        some = (egc_error_names){0};
        memset(name, 'n', length);
        name[length] = '\0';
        for (int i = 0; i < 300; i++)
            egc_error_names_add(&some, name);
        size_t told = strlen(some.text) - strlen("...");
        assert_string_equal(some.text + told, "...");
        assert_int_equal(told % (length + 2), 0);
        assert_true(told + length + 2 > 195 && told <= 200);
    }
}

static void base__files_are_read_whole(void **state)
{
    (void)state;
    char path[] = "base-XXXXXX";
    egc_error err = {0};
    int file = mkstemp(path);
    assert_true(file >= 0);
    for (size_t len = 0; len <= 1 << 18; len = len ? 2 * len : 1) {
        egc_buf written = {0}, got = {0};
        for (size_t i = 0; i < len; i++)
            assert_ok(egc_buf_append(&written, &(uint8_t){(uint8_t)(i % 251)}, 1, &err), err);
        assert_true(pwrite(file, written.data, len, 0) == (ssize_t)len);
        assert_ok(egc_buf_append(&got, "+", 1, &err), err);
        assert_ok(egc_buf_read_file(&got, path, &err), err);
        assert_int_equal(got.len, 1 + len);
        assert_true(!len || memcmp(got.data + 1, written.data, len) == 0);
        egc_buf_fini(&written);
        egc_buf_fini(&got);
    }
    close(file);
    unlink(path);
    egc_buf got = {0};
    assert_fails(egc_buf_read_file(&got, "no such", &err), err, EGC_ERROR_IO,
                 "no such: cannot open: No such file or directory");
    assert_fails(egc_buf_read_file(&got, ".", &err), err, EGC_ERROR_IO,
                 ".: cannot read: Is a directory");
    egc_buf_fini(&got);
}

static void base__bits_come_back(void **state)
{
    (void)state;
    enum { N = 5000 };
    static uint32_t value[N];
    static unsigned width[N];
    egc_buf buf = {0};
    egc_error err = {0};
    egc_bits_writer writer = egc_bits_writer_to(&buf);
    uint64_t random = 4;
    for (int i = 0; i < N; i++) {
        width[i] = (unsigned)(egc_rng_next(&random) % 33);
        value[i] = width[i] ? (uint32_t)(egc_rng_next(&random) >> (64 - width[i])) : 0;
        egc_bits_put(&writer, value[i], width[i]);
    }
    assert_ok(egc_bits_flush(&writer, &err), err);
    egc_reader bytes = egc_reader_of(buf.data, buf.len);
    egc_bits_reader reader = egc_bits_reader_of(&bytes);
    for (int i = 0; i < N; i++) {
        uint32_t got;
        assert_ok(egc_bits_read(&reader, width[i], &got, &err), err);
        assert_int_equal(got, value[i]);
    }
    egc_bits_reader_finish(&reader, &bytes);
    assert_int_equal(egc_reader_left(&bytes), 0);
    uint32_t more;
    assert_fails(egc_bits_read(&reader, 8, &more, &err), err, EGC_ERROR_FORMAT,
                 "message ends in the middle of a bit field");
    egc_buf_fini(&buf);
}

static void base__unary_codes_are_limited(void **state)
{
    (void)state;
    egc_buf buf = {0};
    egc_error err = {0};
    const uint32_t values[] = {0, 1, 31, 32, 33, 100};
    egc_bits_writer writer = egc_bits_writer_to(&buf);
    for (int i = 0; i < 6; i++)
        egc_bits_put_unary(&writer, values[i]);
    assert_ok(egc_bits_flush(&writer, &err), err);
    assert_int_equal(buf.len, (0 + 1 + 31 + 32 + 33 + 100 + 6 + 7) / 8);
    egc_reader bytes = egc_reader_of(buf.data, buf.len);
    egc_bits_reader reader = egc_bits_reader_of(&bytes);
    uint32_t got;
    for (int i = 0; i < 5; i++) {
        assert_ok(egc_bits_read_unary(&reader, 100, &got, &err), err);
        assert_int_equal(got, values[i]);
    }
    assert_fails(egc_bits_read_unary(&reader, 99, &got, &err), err, EGC_ERROR_FORMAT,
                 "unary code is longer than 99");
    egc_buf_fini(&buf);
}

/* LEB128 of 624485 is e5 8e 26 (the example of the DWARF standard). */
static void base__varints(void **state)
{
    (void)state;
    egc_buf buf = {0};
    egc_error err = {0};
    const uint8_t dwarf[] = {0xe5, 0x8e, 0x26};
    egc_bits_put_varint(&buf, 624485);
    assert_int_equal(buf.len, 3);
    assert_memory_equal(buf.data, dwarf, 3);
    const uint32_t values[] = {0, 1, 127, 128, 16383, 16384, 1u << 28, UINT32_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint32_t got;
        egc_buf_clear(&buf);
        egc_bits_put_varint(&buf, values[i]);
        assert_int_equal(buf.len, egc_bits_varint_bytes(values[i]));
        egc_reader reader = egc_reader_of(buf.data, buf.len);
        assert_ok(egc_bits_read_varint(&reader, &got, &err), err);
        assert_int_equal(got, values[i]);
        reader = egc_reader_of(buf.data, buf.len - 1);
        assert_int_equal(egc_bits_read_varint(&reader, &got, &err), EGC_ERROR_FORMAT);
    }
    const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    egc_reader reader = egc_reader_of(endless, sizeof endless);
    uint32_t got;
    assert_fails(egc_bits_read_varint(&reader, &got, &err), err, EGC_ERROR_FORMAT,
                 "varint is longer than 32 bits");
    const uint8_t padded[] = {0x83, 0x80, 0x00};
    reader = egc_reader_of(padded, sizeof padded);
    assert_fails(egc_bits_read_varint(&reader, &got, &err), err, EGC_ERROR_FORMAT,
                 "varint is longer than its number needs");
    reader = egc_reader_of(padded + 2, 1);
    assert_ok(egc_bits_read_varint(&reader, &got, &err), err);
    assert_int_equal(got, 0);
    egc_buf_fini(&buf);
}

static void base__arenas_settle(void **state)
{
    (void)state;
    egc_arena arena = {0};
    for (int round = 0; round < 3; round++) {
        for (size_t size = 1; size < 100000; size *= 3) {
            unsigned char *memory = egc_arena_alloc(&arena, size);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % 64, 0);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(memory[i], 0);
            memset(memory, 0xaa, size);
        }
        egc_arena_reset(&arena);
    }
    egc_mem_fail_after(0); /* after the first round it holds all it needs */
    assert_non_null(egc_arena_alloc(&arena, 59049));
    egc_mem_fail_after(-1);
    assert_null(egc_arena_alloc(&arena, SIZE_MAX));
    egc_arena_fini(&arena);
}

static void base__memory_can_run_out(void **state)
{
    (void)state;
    egc_buf buf = {0};
    egc_error err = {0};
    assert_null(egc_calloc(SIZE_MAX / 2, 4));
    egc_mem_fail_after(0);
    assert_fails(egc_buf_append(&buf, "abc", 3, &err), err, EGC_ERROR_MEMORY,
                 "out of memory: 3 bytes could not be allocated");
    egc_buf_put(&buf, "abc", 3);
    egc_text_put(&buf, "%d", 4);
    assert_true(buf.len == 0 && egc_buf_check(&buf, &err) == EGC_ERROR_MEMORY);
    egc_buf_clear(&buf);
    egc_text_put(&buf, "abc");
    assert_ok(egc_buf_check(&buf, &err), err);
    assert_string_equal(egc_text_get(&buf), "abc");
    egc_buf_fini(&buf);
    assert_string_equal(egc_text_get(&buf), "");

    egc_mem_fail_beyond(192); /* in lines of 64 */
    void *first = egc_calloc(2, 60), *second = egc_calloc(1, 65), *third = egc_calloc(1, 64);
    assert_true(first && !second && third);
    egc_free(first);
    assert_null(egc_calloc(1, 1));
    egc_mem_fail_beyond(SIZE_MAX);
    egc_free(third);
    third = egc_calloc(1, 1000);
    assert_non_null(third);
    egc_free(third);
}

/* Worked by hand. binary16: 65504 is the largest, and units in the last place there are 32, so
 * 65519 is nearer to 65504 while 65520 is halfway to 65536, which is even and too large; of 2049
 * and 2051, halfway too, the even ones are 2048 and 2052. bfloat16: likewise 257 and 259, between
 * 256, 258 and 260, and 2^119 is half a unit of the largest. */
static void base__halves_add_as_their_formats_do(void **state)
{
    (void)state;
    const struct {
        egc_element element;
        uint16_t a, b, sum;
    } rows[] = {
        {EGC_ELEMENT_FP16, 0x3c00, 0x3c00, 0x4000}, /* 1 + 1 = 2 */
        {EGC_ELEMENT_FP16, 0x7bff, 0x4b80, 0x7bff}, /* 65504 + 15 = 65504 */
        {EGC_ELEMENT_FP16, 0x7bff, 0x4c00, 0x7c00}, /* 65504 + 16 = Inf */
        {EGC_ELEMENT_FP16, 0xfbff, 0xcc00, 0xfc00}, /* the same with other signs */
        {EGC_ELEMENT_FP16, 0x7bff, 0x7bff, 0x7c00}, /* 65504 + 65504 = Inf */
        {EGC_ELEMENT_FP16, 0x7c00, 0xfbff, 0x7c00}, /* Inf - 65504 = Inf */
        {EGC_ELEMENT_FP16, 0x6800, 0x3c00, 0x6800}, /* 2048 + 1 = 2048 */
        {EGC_ELEMENT_FP16, 0x6800, 0x4200, 0x6802}, /* 2048 + 3 = 2052 */
        {EGC_ELEMENT_FP16, 0x0001, 0x0001, 0x0002}, /* 2^-24 + 2^-24 = 2^-23 */
        {EGC_ELEMENT_FP16, 0x03ff, 0x0001, 0x0400}, /* subnormal to normal */
        {EGC_ELEMENT_FP16, 0x3c00, 0xbc00, 0x0000}, /* 1 - 1 = +0 */
        {EGC_ELEMENT_FP16, 0x8000, 0x8000, 0x8000}, /* -0 - 0 = -0 */
        {EGC_ELEMENT_BF16, 0x3f80, 0x3f80, 0x4000}, /* 1 + 1 = 2 */
        {EGC_ELEMENT_BF16, 0x4380, 0x3f80, 0x4380}, /* 256 + 1 = 256 */
        {EGC_ELEMENT_BF16, 0x4380, 0x4040, 0x4382}, /* 256 + 3 = 260 */
        {EGC_ELEMENT_BF16, 0x7f7f, 0x7aff, 0x7f7f}, /* the largest + just below 2^119 */
        {EGC_ELEMENT_BF16, 0x7f7f, 0x7b00, 0x7f80}, /* the largest + 2^119 = Inf */
        {EGC_ELEMENT_BF16, 0xff7f, 0xff7f, 0xff80}, /* a float sum that is -Inf already */
        {EGC_ELEMENT_BF16, 0x0001, 0x0001, 0x0002}, /* 2^-133 + 2^-133 */
        {EGC_ELEMENT_BF16, 0xff80, 0x7f7f, 0xff80}, /* -Inf + the largest = -Inf */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint16_t sum = rows[i].a, mirrored = rows[i].b;
        egc_element_add(rows[i].element, &sum, &rows[i].b, 1);
        egc_element_add(rows[i].element, &mirrored, &rows[i].a, 1);
        if (sum != rows[i].sum || mirrored != rows[i].sum)
            fail_msg("%04x + %04x = %04x, want %04x", rows[i].a, rows[i].b, sum, rows[i].sum);
    }
}

static void base__halves_keep_nan(void **state)
{
    (void)state;
    for (int element = EGC_ELEMENT_FP16; element <= EGC_ELEMENT_BF16; element++) {
        uint16_t infinity = element == EGC_ELEMENT_FP16 ? 0x7c00 : 0x7f80, one = 0x3c00;
        uint16_t minus_infinity = infinity | 0x8000, sum = infinity;
        for (int i = 0; i < 2; i++) { /* Inf - Inf, then NaN + a number */
            float value;
            egc_element_add((egc_element)element, &sum, i ? &one : &minus_infinity, 1);
            egc_element_to_float((egc_element)element, &sum, &value, 1);
            assert_true(isnan(value));
        }
    }
}

/* Rounds x to a format with `digits` binary digits and the smallest number 2^least. */
static double rounded(double x, int digits, int least, double largest)
{
    int exponent;
    frexp(x, &exponent);
    int unit = exponent - digits > least ? exponent - digits : least;
    double result = ldexp(rint(ldexp(x, -unit)), unit);
    return fabs(result) > largest ? copysign((double)INFINITY, x) : result;
}

/* Compares sums of random bits with sums in double, rounded once. */
static void base__halves_add_as_if_exact(void **state)
{
    (void)state;
    uint64_t random = 21;
    for (int i = 0; i < 200000; i++) {
        egc_element element = i % 2 ? EGC_ELEMENT_FP16 : EGC_ELEMENT_BF16;
        uint64_t bits = egc_rng_next(&random);
        if (i % 3) /* of like magnitude, so that the sum needs rounding */
            bits = (bits & ~0xffff0000u) | ((bits & 0xffff) + (bits >> 40 & 0x1fff)) << 16;
        uint16_t a = (uint16_t)bits, b = (uint16_t)(bits >> 16);
        float left, right, got;
        egc_element_to_float(element, &a, &left, 1);
        egc_element_to_float(element, &b, &right, 1);
        if (!isfinite(left) || !isfinite(right))
            continue;
        egc_element_add(element, &a, &b, 1);
        egc_element_to_float(element, &a, &got, 1);
        double exact = (double)left + right;
        double want = element == EGC_ELEMENT_FP16 ? rounded(exact, 11, -24, 65504)
                                                  : rounded(exact, 8, -133, 0x1.fep127);
        if (got != want)
            fail_msg("%a + %a = %a, want %a", left, right, got, want);
    }
}

/* Equal to a loop over single elements for any length and alignment, and no element beyond the end
 * changes. */
static void base__floats_add_at_any_length_and_alignment(void **state)
{
    (void)state;
    enum { MOST = 70 };
    for (size_t n = 0; n < MOST; n++)
        for (size_t offset = 0; offset < 4; offset++) {
            unsigned char sum[4 * MOST + 8], addend[4 * MOST + 8];
            memset(sum, 0x2a, sizeof sum);
            for (size_t i = 0; i < n; i++) {
                float a = 1 + (float)i, b = ldexpf(1, (int)(i % 50) - 25);
                memcpy(sum + offset + 4 * i, &a, 4);
                memcpy(addend + 3 - offset + 4 * i, &b, 4);
            }
            egc_element_add(EGC_ELEMENT_FP32, sum + offset, addend + 3 - offset, n);
            for (size_t i = 0; i < n; i++) {
                float got, want = 1 + (float)i + ldexpf(1, (int)(i % 50) - 25);
                memcpy(&got, sum + offset + 4 * i, 4);
                assert_true(got == want);
            }
            assert_int_equal(sum[offset + 4 * n], 0x2a);
        }
    float most = 0x1.fffffep127f;
    egc_element_add(EGC_ELEMENT_FP32, &most, &most, 1);
    assert_true(isinf(most));
    egc_element_add(EGC_ELEMENT_FP32, NULL, NULL, 0);
}

/* Every half is a float, and comes back from it; Inf becomes the largest and NaN stays NaN, as
 * base/number/half.h says. */
static void base__elements_come_back_from_floats(void **state)
{
    (void)state;
    static uint16_t in[65536], out[65536];
    static float floats[65536];
    for (int i = 0; i < 65536; i++)
        in[i] = (uint16_t)i;
    for (int element = EGC_ELEMENT_FP16; element <= EGC_ELEMENT_BF16; element++) {
        uint16_t infinity = element == EGC_ELEMENT_FP16 ? 0x7c00 : 0x7f80;
        egc_element_to_float((egc_element)element, in, floats, 65536);
        egc_element_from_float((egc_element)element, floats, out, 65536);
        for (int i = 0; i < 65536; i++) {
            int magnitude = i & 0x7fff;
            if (magnitude > infinity)
                assert_true(isnan(floats[i]) && (out[i] & 0x7fff) > infinity);
            else
                assert_int_equal(out[i], magnitude == infinity ? in[i] - 1 : in[i]);
        }
    }
    const float values[] = {0.1f, -0.0f, 1e-40f, INFINITY};
    float same[4], back[4];
    egc_element_from_float(EGC_ELEMENT_FP32, values, same, 4);
    egc_element_to_float(EGC_ELEMENT_FP32, same, back, 4);
    assert_memory_equal(back, values, sizeof values);
    assert_int_equal(egc_element_bytes(EGC_ELEMENT_FP32), 4);
    assert_int_equal(egc_element_bytes(EGC_ELEMENT_FP16), 2);
    assert_int_equal(egc_element_bytes(EGC_ELEMENT_BF16), 2);
    assert_int_equal(egc_element_bytes(EGC_ELEMENT_NONE), 0);
}

/* The first outputs for seed 1234567, as the generator's authors publish them. */
static void base__splitmix64_is_the_published_one(void **state)
{
    (void)state;
    const uint64_t published[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                  4593380528125082431u, 16408922859458223821u};
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    gsl_rng_set(rng, 1234567);
    for (int i = 0; i < 5; i++)
        assert_true(gsl_rng_get(rng) == published[i]);
    double sum = 0, sum2 = 0;
    for (int i = 0; i < 100000; i++) {
        double x = gsl_ran_gaussian(rng, 1);
        sum += x;
        sum2 += x * x;
    }
    assert_true(fabs(sum / 1e5) < 4 / sqrt(1e5) && fabs(sum2 / 1e5 - 1) < 4 * sqrt(2 / 1e5));
    gsl_rng_free(rng);
    assert_true(egc_rng_derive_seed(1, 2, 3) != egc_rng_derive_seed(1, 3, 2));
    assert_true(egc_rng_derive_seed(1, 2, 3) != egc_rng_derive_seed(2, 2, 3));
}

static void base__quantities(void **state)
{
    (void)state;
    const struct {
        const char *text;
        egc_quantity quantity;
        double si;
    } rows[] = {
        {"10Gbps", EGC_QUANTITY_BANDWIDTH, 1.25e9},  {"1.25GB/s", EGC_QUANTITY_BANDWIDTH, 1.25e9},
        {"50us", EGC_QUANTITY_TIME, 5e-5},           {"2 min", EGC_QUANTITY_TIME, 120},
        {"64KiB", EGC_QUANTITY_BYTES, 65536},        {"64KB", EGC_QUANTITY_BYTES, 64000},
        {"15.7Tflops", EGC_QUANTITY_FLOPS, 15.7e12}, {"1e3", EGC_QUANTITY_BYTES, 1000},
        {"0.01", EGC_QUANTITY_NONE, 0.01},
    };
    egc_error err = {0};
    double got;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_ok(egc_quantity_parse(rows[i].text, rows[i].quantity, &got, &err), err);
        assert_true(got == rows[i].si);
    }
    assert_fails(egc_quantity_parse("10Gb", EGC_QUANTITY_BANDWIDTH, &got, &err), err,
                 EGC_ERROR_NAME,
                 "unknown unit \"Gb\" in \"10Gb\"; known units: bps, Kbps, Mbps, Gbps, Tbps, B/s, "
                 "KB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s");
    assert_fails(egc_quantity_parse("fast", EGC_QUANTITY_TIME, &got, &err), err, EGC_ERROR_FORMAT,
                 "must be a number with a unit, got \"fast\"");
    assert_fails(egc_quantity_parse("3s", EGC_QUANTITY_NONE, &got, &err), err, EGC_ERROR_FORMAT,
                 "must be a number without a unit, got \"3s\"");
}

static void base__reals_print_short_and_exact(void **state)
{
    (void)state;
    assert_string_equal(egc_text_of_real(0.1).text, "0.1");
    assert_string_equal(egc_text_of_real(1e9).text, "1000000000");
    uint64_t random = 12;
    for (int i = 0; i < 10000; i++) {
        uint64_t bits = egc_rng_next(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            assert_true(strtod(egc_text_of_real(value).text, NULL) == value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base__errors_carry_place_and_reason),
        cmocka_unit_test(base__errors_are_one_line),
        cmocka_unit_test(base__of_many_names_the_first_are_told),
        cmocka_unit_test(base__files_are_read_whole),
        cmocka_unit_test(base__bits_come_back),
        cmocka_unit_test(base__unary_codes_are_limited),
        cmocka_unit_test(base__varints),
        cmocka_unit_test(base__arenas_settle),
        cmocka_unit_test(base__memory_can_run_out),
        cmocka_unit_test(base__halves_add_as_their_formats_do),
        cmocka_unit_test(base__halves_keep_nan),
        cmocka_unit_test(base__halves_add_as_if_exact),
        cmocka_unit_test(base__floats_add_at_any_length_and_alignment),
        cmocka_unit_test(base__elements_come_back_from_floats),
        cmocka_unit_test(base__splitmix64_is_the_published_one),
        cmocka_unit_test(base__quantities),
        cmocka_unit_test(base__reals_print_short_and_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
