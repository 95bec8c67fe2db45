/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every index and value codec: the size it states is the size it writes, what it reads is what it
 * wrote, and no truncated or damaged bytes make it read past the end or return what is not valid.
 */
#include "support/test.h"

#include "codec/codec.h"
#include "compressors/sparse.h"
#include "support/inputs.h"

/* Supports of n positions: none too regular, the extremes included. */
static size_t make_support(uint32_t *index, size_t n, int kind, uint64_t seed)
{
    uint64_t state = egc_seed_derive(seed, (uint64_t)kind, n);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t draw = egc_splitmix64(&state) % 1000;
        bool in = kind == 0   ? true
                  : kind == 1 ? i == 0
                  : kind == 2 ? i == n - 1
                  : kind == 3 ? draw < 500
                  : kind == 4 ? draw < 20
                              : i / 5 % 7 == 0; /* runs */
        if (in)
            index[count++] = (uint32_t)i;
    }
    return count;
}
enum { N_SUPPORTS = 6 };

static void round_trip_index(const egc_index_codec *codec, uint32_t *index, size_t count, size_t n)
{
    egc_buf buf = {0};
    egc_error err = {0};
    egc_bit_writer writer = egc_bit_writer_to(&buf);
    assert_ok(codec->write(&writer, NULL, index, &count, n, &err), err);
    assert_ok(egc_bits_flush(&writer, &err), err);
    assert_int_equal(buf.len, (codec->size_bits(NULL, index, count, n) + 7) / 8);

    uint8_t *wire = guarded(buf.len);
    memcpy(wire, buf.data, buf.len);
    uint32_t *got = guarded(n * sizeof *got);
    for (size_t len = 0; len <= buf.len; len++) { /* every truncation, then the whole */
        egc_reader reader = egc_reader_of(wire + buf.len - len, len);
        memcpy(wire + buf.len - len, buf.data, len);
        egc_bit_reader bits = egc_bit_reader_of(&reader);
        size_t read = count;
        egc_status status = codec->read(&bits, got, &read, n, &err);
        if (len == buf.len) {
            assert_int_equal(status, EGC_OK);
            egc_bit_reader_finish(&bits, &reader);
            assert_int_equal(egc_reader_left(&reader), 0);
            assert_memory_equal(got, index, count * sizeof *got);
        } else if (len > 0 || n > 1) {
            assert_int_equal(status, EGC_ERROR_FORMAT);
        }
        if (buf.len > 64 && len > 8 && len < buf.len - 8)
            len = buf.len - 8;
    }
    free_guarded(got, n * sizeof *got);
    free_guarded(wire, buf.len);
    egc_buf_fini(&buf);
}

static void index_codecs_round_trip(void **state)
{
    (void)state;
    uint32_t index[1023];
    for (const egc_index_codec *const *codec = egc_index_codecs(); *codec; codec++)
        for (size_t d = 0; d < N_TEST_DIMS; d++)
            for (int kind = 0; kind < N_SUPPORTS; kind++) {
                size_t count = make_support(index, test_dims[d], kind, 1);
                if (count)
                    round_trip_index(*codec, index, count, test_dims[d]);
            }
}

/* Widths follow n: positions beyond 2^24, where a float could not count them, survive. */
static void indices_beyond_two_to_the_24(void **state)
{
    (void)state;
    const size_t n = ((size_t)1 << 32) - 5;
    uint32_t index[] = {3, (1u << 24) + 1, (1u << 24) + 2, (1u << 31) + 7, (uint32_t)n - 1};
    for (const egc_index_codec *const *codec = egc_index_codecs(); *codec; codec++) {
        if (strcmp((*codec)->name, "bitmap") == 0)
            continue; /* half a gigabyte, and no width in it */
        egc_buf buf = {0};
        egc_error err = {0};
        egc_bit_writer writer = egc_bit_writer_to(&buf);
        size_t count = 5;
        assert_ok((*codec)->write(&writer, NULL, index, &count, n, &err), err);
        assert_ok(egc_bits_flush(&writer, &err), err);
        egc_reader reader = egc_reader_of(buf.data, buf.len);
        egc_bit_reader bits = egc_bit_reader_of(&reader);
        uint32_t got[5];
        assert_ok((*codec)->read(&bits, got, &count, n, &err), err);
        assert_memory_equal(got, index, sizeof got);
        egc_buf_fini(&buf);
    }
}

/* Damage either is found or leads to some valid selection: ascending, below n, finite. */
static void damaged_messages(void **state)
{
    (void)state;
    enum { N = 257 };
    uint32_t index[N], got[N];
    float value[N], back[N];
    fill_input(value, N, GAUSSIAN, 3);
    uint64_t random = 99;
    for (const egc_index_codec *const *ic = egc_index_codecs(); *ic; ic++)
        for (const egc_value_codec *const *vc = egc_value_codecs(); *vc; vc++)
            for (int round = 0; round < 400; round++) {
                size_t count = make_support(index, N, 3 + round % 3, (uint64_t)round);
                egc_selection selection = {index, value, count}, read = {got, back, 0};
                egc_buf buf = {0};
                egc_error err = {0};
                assert_ok(egc_sparse_write(*ic, *vc, NULL, NULL, &selection, N, &buf, NULL, &err),
                          err);
                assert_int_equal(buf.len, egc_sparse_bytes(NULL, *ic, *vc, index, count, N));
                size_t bit = egc_splitmix64(&random) % (8 * buf.len);
                buf.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
                uint8_t *wire = guarded(buf.len);
                memcpy(wire, buf.data, buf.len);
                egc_reader reader = egc_reader_of(wire, buf.len);
                if (egc_sparse_read(&reader, &read, N, &err) == EGC_OK) {
                    assert_true(read.count <= N);
                    for (size_t i = 0; i < read.count; i++) {
                        assert_true(got[i] < N && (i == 0 || got[i] > got[i - 1]));
                        assert_true(isfinite(back[i]));
                    }
                } else {
                    assert_int_equal(err.status, EGC_ERROR_FORMAT);
                }
                free_guarded(wire, buf.len);
                egc_buf_fini(&buf);
            }
}

/* What a value codec may lose: nothing, a rounding, or all but sign and mean; never the sign. */
static void value_codecs_round_trip(void **state)
{
    (void)state;
    float value[1023], back[1023];
    for (const egc_value_codec *const *codec = egc_value_codecs(); *codec; codec++)
        for (size_t d = 0; d < N_TEST_DIMS; d++)
            for (int family = 0; family < N_FAMILIES; family++) {
                size_t n = test_dims[d];
                fill_input(value, n, family, 5);
                egc_buf buf = {0};
                egc_error err = {0};
                egc_bit_writer writer = egc_bit_writer_to(&buf);
                assert_ok((*codec)->write(&writer, NULL, value, n, &err), err);
                assert_ok(egc_bits_flush(&writer, &err), err);
                assert_int_equal(buf.len, ((*codec)->size_bits(n) + 7) / 8);
                egc_reader reader = egc_reader_of(buf.data, buf.len);
                egc_bit_reader bits = egc_bit_reader_of(&reader);
                assert_ok((*codec)->read(&bits, back, n, &err), err);
                for (size_t i = 0; i < n; i++) {
                    assert_true(back[i] == 0 || (back[i] < 0) == (value[i] < 0));
                    if (strcmp((*codec)->name, "fp32") == 0)
                        assert_memory_equal(&back[i], &value[i], sizeof(float));
                }
                egc_buf_fini(&buf);
            }
}

static void the_smallest_is_chosen(void **state)
{
    (void)state;
    uint32_t index[1023];
    for (int kind = 0; kind < N_SUPPORTS; kind++) {
        size_t count = make_support(index, 1023, kind, 8);
        uint64_t best =
            egc_index_codec_smallest(index, count, 1023)->size_bits(NULL, index, count, 1023);
        for (const egc_index_codec *const *codec = egc_index_codecs(); *codec; codec++)
            assert_true(best <= (*codec)->size_bits(NULL, index, count, 1023));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_codecs_round_trip), cmocka_unit_test(indices_beyond_two_to_the_24),
        cmocka_unit_test(damaged_messages),        cmocka_unit_test(value_codecs_round_trip),
        cmocka_unit_test(the_smallest_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
