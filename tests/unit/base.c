/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The base library: errors, bits, varints, buffers, arenas, randomness, quantities. */
#include "support/test.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"

static void errors_carry_place_and_reason(void **state)
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

static void bits_come_back(void **state)
{
    (void)state;
    enum { N = 5000 };
    static uint32_t value[N];
    static unsigned width[N];
    egc_buf buf = {0};
    egc_error err = {0};
    egc_bit_writer writer = egc_bit_writer_to(&buf);
    uint64_t random = 4;
    for (int i = 0; i < N; i++) {
        width[i] = (unsigned)(egc_splitmix64(&random) % 33);
        value[i] = width[i] ? (uint32_t)(egc_splitmix64(&random) >> (64 - width[i])) : 0;
        assert_ok(egc_bits_write(&writer, value[i], width[i], &err), err);
    }
    assert_ok(egc_bits_flush(&writer, &err), err);
    egc_reader bytes = egc_reader_of(buf.data, buf.len);
    egc_bit_reader reader = egc_bit_reader_of(&bytes);
    for (int i = 0; i < N; i++) {
        uint32_t got;
        assert_ok(egc_bits_read(&reader, width[i], &got, &err), err);
        assert_int_equal(got, value[i]);
    }
    egc_bit_reader_finish(&reader, &bytes);
    assert_int_equal(egc_reader_left(&bytes), 0);
    uint32_t more;
    assert_fails(egc_bits_read(&reader, 8, &more, &err), err, EGC_ERROR_FORMAT,
                 "message ends in the middle of a bit field");
    egc_buf_fini(&buf);
}

static void unary_codes_are_limited(void **state)
{
    (void)state;
    egc_buf buf = {0};
    egc_error err = {0};
    const uint32_t values[] = {0, 1, 31, 32, 33, 100};
    egc_bit_writer writer = egc_bit_writer_to(&buf);
    for (int i = 0; i < 6; i++)
        assert_ok(egc_bits_write_unary(&writer, values[i], &err), err);
    assert_ok(egc_bits_flush(&writer, &err), err);
    assert_int_equal(buf.len, (0 + 1 + 31 + 32 + 33 + 100 + 6 + 7) / 8);
    egc_reader bytes = egc_reader_of(buf.data, buf.len);
    egc_bit_reader reader = egc_bit_reader_of(&bytes);
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
static void varints(void **state)
{
    (void)state;
    egc_buf buf = {0};
    egc_error err = {0};
    const uint8_t dwarf[] = {0xe5, 0x8e, 0x26};
    assert_ok(egc_varint_append(&buf, 624485, &err), err);
    assert_int_equal(buf.len, 3);
    assert_memory_equal(buf.data, dwarf, 3);
    const uint32_t values[] = {0, 1, 127, 128, 16383, 16384, 1u << 28, UINT32_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint32_t got;
        egc_buf_clear(&buf);
        assert_ok(egc_varint_append(&buf, values[i], &err), err);
        assert_int_equal(buf.len, egc_varint_bytes(values[i]));
        egc_reader reader = egc_reader_of(buf.data, buf.len);
        assert_ok(egc_varint_read(&reader, &got, &err), err);
        assert_int_equal(got, values[i]);
        reader = egc_reader_of(buf.data, buf.len - 1);
        assert_int_equal(egc_varint_read(&reader, &got, &err), EGC_ERROR_FORMAT);
    }
    const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    egc_reader reader = egc_reader_of(endless, sizeof endless);
    uint32_t got;
    assert_fails(egc_varint_read(&reader, &got, &err), err, EGC_ERROR_FORMAT,
                 "varint is longer than 32 bits");
    egc_buf_fini(&buf);
}

static void arenas_settle(void **state)
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

static void memory_can_run_out(void **state)
{
    (void)state;
    egc_buf buf = {0};
    egc_error err = {0};
    assert_null(egc_calloc(SIZE_MAX / 2, 4));
    egc_mem_fail_after(0);
    assert_fails(egc_buf_append(&buf, "abc", 3, &err), err, EGC_ERROR_MEMORY,
                 "out of memory: 3 bytes could not be allocated");
    assert_ok(egc_buf_append(&buf, "abc", 3, &err), err);
    assert_int_equal(buf.len, 3);
    egc_buf_fini(&buf);
}

/* The first outputs for seed 1234567, as the generator's authors publish them. */
static void splitmix64_is_the_published_one(void **state)
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
    assert_true(egc_seed_derive(1, 2, 3) != egc_seed_derive(1, 3, 2));
    assert_true(egc_seed_derive(1, 2, 3) != egc_seed_derive(2, 2, 3));
}

static void quantities(void **state)
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

static void reals_print_short_and_exact(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(egc_real_format(0.1, text, sizeof text), "0.1");
    assert_string_equal(egc_real_format(1e9, text, sizeof text), "1000000000");
    uint64_t random = 12;
    for (int i = 0; i < 10000; i++) {
        uint64_t bits = egc_splitmix64(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            assert_true(strtod(egc_real_format(value, text, sizeof text), NULL) == value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_carry_place_and_reason),
        cmocka_unit_test(bits_come_back),
        cmocka_unit_test(unary_codes_are_limited),
        cmocka_unit_test(varints),
        cmocka_unit_test(arenas_settle),
        cmocka_unit_test(memory_can_run_out),
        cmocka_unit_test(splitmix64_is_the_published_one),
        cmocka_unit_test(quantities),
        cmocka_unit_test(reals_print_short_and_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
