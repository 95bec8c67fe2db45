/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every index and value codec: the size it states is the size it writes, what it reads is what it
 * wrote (lossy codecs: what it left of the selection; stochastic ones: in the mean), and no
 * truncated or damaged bytes make it read past the end or return what is not valid. */
#include "support/test.h"

#include "codec/codec.h"
#include "compressors/core/sparse_message.h"
#include "support/inputs.h"

/* Supports of n positions: none too regular, the extremes included. */
static size_t make_support(uint32_t *index, size_t n, int kind, uint64_t seed)
{
    uint64_t state = egc_rng_derive_seed(seed, (uint64_t)kind, n);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t draw = egc_rng_next(&state) % 1000;
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

/* What every codec may use, for policy 0, 1, 2 of those that have policies. */
static egc_arena scratch;
static gsl_rng *rng;

static egc_codec_context coding_with(int policy)
{
    egc_arena_reset(&scratch);
    return (egc_codec_context){.bloom_policy = policy, .rng = rng, .scratch = &scratch};
}

static int n_policies(const egc_index_codec *codec)
{
    return codec->lossy ? EGC_BLOOM_CONFLICTS + 1 : 1;
}

static int set_up(void **state)
{
    (void)state;
    rng = gsl_rng_alloc(egc_rng_splitmix64);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gsl_rng_free(rng);
    egc_arena_fini(&scratch);
    return 0;
}

/* Whether every one of the picks is among what is sent; both ascend. */
static bool holds(const uint32_t *sent, size_t n_sent, const uint32_t *picks, size_t n_picks)
{
    size_t found = 0;
    for (size_t i = 0; i < n_sent && found < n_picks; i++)
        found += sent[i] == picks[found];
    return found == n_picks;
}

static void assert_selection(const uint32_t *index, size_t count, size_t n)
{
    assert_true(count <= n);
    for (size_t i = 0; i < count; i++)
        assert_true(index[i] < n && (i == 0 || index[i] > index[i - 1]));
}

/* index has room for n. */
static void round_trip_index(const egc_index_codec *codec, int policy, uint32_t *index,
                             size_t picks, size_t n)
{
    egc_buf buf = {0};
    egc_error err = {0};
    const egc_codec_context coding = coding_with(policy);
    egc_bits_writer writer = egc_bits_writer_to(&buf);
    uint64_t size_bits = codec->size_bits(&coding, index, picks, n);
    uint32_t *sent = guarded(n * sizeof *sent), *got = guarded(n * sizeof *got);
    size_t count = picks;
    memcpy(sent, index, picks * sizeof *sent);
    codec->write(&writer, &coding, sent, &count, n);
    assert_ok(egc_bits_flush(&writer, &err), err);
    assert_int_equal(buf.len, (size_bits + 7) / 8);
    assert_selection(sent, count, n);
    if (!codec->lossy || policy == EGC_BLOOM_ALL)
        assert_true(holds(sent, count, index, picks));
    if (!codec->lossy || policy != EGC_BLOOM_ALL)
        assert_int_equal(count, picks);

    uint8_t *wire = guarded(buf.len);
    memcpy(wire, buf.data, buf.len);
    for (size_t len = 0; len <= buf.len; len++) { /* every truncation, then the whole */
        egc_reader reader = egc_reader_of(wire + buf.len - len, len);
        memcpy(wire + buf.len - len, buf.data, len);
        egc_bits_reader bits = egc_bits_reader_of(&reader);
        size_t read = picks;
        egc_status status = codec->read(&bits, got, &read, n, &err);
        if (len == buf.len) {
            assert_int_equal(status, EGC_OK);
            egc_bits_reader_finish(&bits, &reader);
            assert_int_equal(egc_reader_left(&reader), 0);
            assert_int_equal(read, count);
            assert_memory_equal(got, sent, count * sizeof *got);
        } else if (len > 0 || n > 1) {
            assert_int_equal(status, EGC_ERROR_FORMAT);
        }
        if (buf.len > 64 && len > 8 && len < buf.len - 8)
            len = buf.len - 8;
    }
    free_guarded(sent, n * sizeof *sent);
    free_guarded(got, n * sizeof *got);
    free_guarded(wire, buf.len);
    egc_buf_fini(&buf);
}

static void codecs__index_codecs_round_trip(void **state)
{
    (void)state;
    uint32_t index[1023];
    for (const egc_index_codec *const *codec = egc_codec_index_types(); *codec; codec++)
        for (size_t d = 0; d < N_TEST_DIMS; d++)
            for (int kind = 0; kind < N_SUPPORTS; kind++)
                for (int policy = 0; policy < n_policies(*codec); policy++) {
                    size_t count = make_support(index, test_dims[d], kind, 1);
                    if (count)
                        round_trip_index(*codec, policy, index, count, test_dims[d]);
                }
}

/* The same beyond one block of 16-bit offsets, n a multiple of it and not. */
static void codecs__long_units_round_trip(void **state)
{
    (void)state;
    enum { MOST = 3 * 65536 };
    static uint32_t index[MOST];
    const size_t dims[] = {65535, 65536, 65537, 2 * 65536, MOST - 1};
    for (const egc_index_codec *const *codec = egc_codec_index_types(); *codec; codec++)
        for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
            for (int kind = 0; kind < N_SUPPORTS; kind++)
                for (int policy = 0; policy < n_policies(*codec); policy++) {
                    size_t count = make_support(index, dims[d], kind, 1);
                    round_trip_index(*codec, policy, index, count, dims[d]);
                }
}

/* Codecs that write or look at something for every position. */
static bool is_linear_in_n(const egc_index_codec *codec)
{
    return codec->lossy || strcmp(codec->name, "bitmap") == 0;
}

/* Widths follow n: positions beyond 2^24, where a float could not count them, survive. */
static void codecs__indices_beyond_two_to_the_24(void **state)
{
    (void)state;
    for (const egc_index_codec *const *codec = egc_codec_index_types(); *codec; codec++) {
        size_t n = is_linear_in_n(*codec) ? (1u << 24) + 7 : ((size_t)1 << 32) - 5, count = 5;
        size_t room = is_linear_in_n(*codec) ? n : count;
        const uint32_t picks[] = {3, 1u << 24, (1u << 24) + 1, (uint32_t)(n - 2),
                                  (uint32_t)(n - 1)};
        uint32_t *index = calloc(room, sizeof *index), *got = calloc(room, sizeof *got);
        memcpy(index, picks, sizeof picks);
        egc_buf buf = {0};
        egc_error err = {0};
        egc_bits_writer writer = egc_bits_writer_to(&buf);
        const egc_codec_context coding = coding_with(EGC_BLOOM_ALL);
        (*codec)->write(&writer, &coding, index, &count, n);
        assert_ok(egc_bits_flush(&writer, &err), err);
        egc_reader reader = egc_reader_of(buf.data, buf.len);
        egc_bits_reader bits = egc_bits_reader_of(&reader);
        size_t read = 5;
        assert_ok((*codec)->read(&bits, got, &read, n, &err), err);
        assert_int_equal(read, count);
        assert_memory_equal(got, index, count * sizeof *got);
        assert_true(holds(got, count, picks, 5));
        egc_buf_fini(&buf);
        free(index);
        free(got);
    }
}

/* One bit of a message is flipped: that is found, or leads to some valid selection. */
static void damage_message(const egc_index_codec *index_codec, const egc_value_codec *value_codec,
                           const float *x, uint32_t *index, size_t count, size_t n, int policy,
                           uint64_t *random)
{
    uint32_t got[1023];
    float carried[1023], back[1023];
    egc_selection selection = {index, carried, count}, read = {got, back, 0};
    egc_buf buf = {0};
    egc_error err = {0};
    const egc_codec_context coding = coding_with(policy);
    size_t bytes = egc_sparse_message_bytes(&coding, index_codec, value_codec, index, count, n);
    assert_ok(egc_sparse_message_write(index_codec, value_codec, &coding, x, &selection, n, &buf,
                                       NULL, &err),
              err);
    if (selection.count == count)
        assert_int_equal(buf.len, bytes);
    size_t bit = egc_rng_next(random) % (8 * buf.len);
    buf.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    uint8_t *wire = guarded(buf.len);
    memcpy(wire, buf.data, buf.len);
    egc_reader reader = egc_reader_of(wire, buf.len);
    if (egc_sparse_message_read(&reader, &read, n, &err) == EGC_OK) {
        assert_selection(got, read.count, n);
        for (size_t i = 0; i < read.count; i++)
            assert_true(isfinite(back[i]));
    } else {
        assert_int_equal(err.status, EGC_ERROR_FORMAT);
    }
    free_guarded(wire, buf.len);
    egc_buf_fini(&buf);
}

static void codecs__damaged_messages(void **state)
{
    (void)state;
    enum { N = 257 };
    uint32_t index[N];
    float value[N];
    fill_input(value, N, GAUSSIAN, 3);
    uint64_t random = 99;
    for (const egc_index_codec *const *ic = egc_codec_index_types(); *ic; ic++)
        for (const egc_value_codec *const *vc = egc_codec_value_types(); *vc; vc++)
            for (int round = 0; round < 400; round++) {
                size_t count = make_support(index, N, 3 + round % 3, (uint64_t)round);
                damage_message(*ic, *vc, value, index, count, N, round % n_policies(*ic), &random);
            }
}

/* Bytes of no origin, k as large as a header may say: every codec ends, within n. */
static void codecs__random_bytes(void **state)
{
    (void)state;
    enum { N = 1023, LEN = 600 };
    uint64_t random = 5;
    uint8_t *wire = guarded(LEN);
    uint32_t *index = guarded(N * sizeof *index);
    float *value = guarded(N * sizeof *value);
    for (const egc_index_codec *const *codec = egc_codec_index_types(); *codec; codec++)
        for (int round = 0; round < 3000; round++) {
            uint64_t mask = round % 3 == 0 ? 0xff : round % 3 == 1 ? 0x11 : 0;
            size_t len = egc_rng_next(&random) % (LEN + 1);
            for (size_t i = LEN - len; i < LEN; i++) /* noise, few ones, few zeros */
                wire[i] = (uint8_t)(mask ? egc_rng_next(&random) & mask
                                         : egc_rng_next(&random) | egc_rng_next(&random));
            egc_reader reader = egc_reader_of(wire + LEN - len, len);
            egc_bits_reader bits = egc_bits_reader_of(&reader);
            size_t count = 1 + egc_rng_next(&random) % N;
            egc_status status = (*codec)->read(&bits, index, &count, N, NULL);
            assert_true(status == EGC_OK || status == EGC_ERROR_FORMAT);
            if (status == EGC_OK)
                assert_selection(index, count, N);
        }
    for (const egc_value_codec *const *codec = egc_codec_value_types(); *codec; codec++)
        for (int round = 0; round < 3000; round++) {
            size_t len = egc_rng_next(&random) % (LEN + 1);
            for (size_t i = LEN - len; i < LEN; i++)
                wire[i] = (uint8_t)(egc_rng_next(&random) & (round % 2 ? 0xff : 0x3f));
            egc_reader reader = egc_reader_of(wire + LEN - len, len);
            egc_bits_reader bits = egc_bits_reader_of(&reader);
            size_t count = 1 + egc_rng_next(&random) % N;
            if ((*codec)->read(&bits, value, count, NULL) == EGC_OK)
                for (size_t i = 0; i < count; i++)
                    assert_true(isfinite(value[i]));
        }
    free_guarded(wire, LEN);
    free_guarded(index, N * sizeof *index);
    free_guarded(value, N * sizeof *value);
}

/* Writes the values and reads them back. */
static void round_trip_values(const egc_value_codec *codec, const float *value, float *back,
                              size_t n)
{
    egc_buf buf = {0};
    egc_error err = {0};
    const egc_codec_context coding = coding_with(0);
    egc_bits_writer writer = egc_bits_writer_to(&buf);
    codec->write(&writer, &coding, value, n);
    assert_ok(egc_bits_flush(&writer, &err), err);
    assert_int_equal(buf.len, (codec->size_bits(n) + 7) / 8);
    egc_reader reader = egc_reader_of(buf.data, buf.len);
    egc_bits_reader bits = egc_bits_reader_of(&reader);
    assert_ok(codec->read(&bits, back, n, &err), err);
    egc_bits_reader_finish(&bits, &reader);
    assert_int_equal(egc_reader_left(&reader), 0);
    for (size_t len = 0; len<buf.len; len += len> 8 && len + 8 < buf.len ? len / 2 : 1) {
        uint8_t *wire = guarded(len);
        float *unread = guarded(n * sizeof *unread);
        memcpy(wire, buf.data, len);
        reader = egc_reader_of(wire, len);
        bits = egc_bits_reader_of(&reader);
        assert_int_equal(codec->read(&bits, unread, n, &err), EGC_ERROR_FORMAT);
        free_guarded(wire, len);
        free_guarded(unread, n * sizeof *unread);
    }
    egc_buf_fini(&buf);
}

/* What a value codec may lose: nothing, a rounding, or all but sign and mean; never the sign,
 * unless it sends but one value for all. */
static void codecs__value_codecs_round_trip(void **state)
{
    (void)state;
    float value[1023], back[1023];
    for (const egc_value_codec *const *codec = egc_codec_value_types(); *codec; codec++)
        for (size_t d = 0; d < N_TEST_DIMS; d++)
            for (int family = 0; family < N_FAMILIES; family++) {
                size_t n = test_dims[d];
                bool one_for_all = (*codec)->size_bits(1) == (*codec)->size_bits(1000);
                fill_input(value, n, family, 5);
                round_trip_values(*codec, value, back, n);
                for (size_t i = 0; i < n; i++) {
                    assert_true(isfinite(back[i]));
                    if (!one_for_all)
                        assert_true(back[i] == 0 || (back[i] < 0) == (value[i] < 0));
                    if (strcmp((*codec)->name, "fp32") == 0)
                        assert_memory_equal(&back[i], &value[i], sizeof(float));
                }
            }
}

/* The largest and the smallest floats there are. */
static void codecs__extreme_values(void **state)
{
    (void)state;
    const float value[] = {3.4028234e38f, -3.4028234e38f, 3.4e38f, 1e-45f, -1e-45f, 0, -0.0f, 1};
    float back[8];
    for (const egc_value_codec *const *codec = egc_codec_value_types(); *codec; codec++)
        for (size_t first = 0; first < 8; first++)
            for (size_t n = 1; first + n <= 8; n++) {
                round_trip_values(*codec, value + first, back, n);
                for (size_t i = 0; i < n; i++)
                    assert_true(isfinite(back[i]));
            }
}

/* A sum over draws of a random number whose mean should be 0. */
typedef struct tally {
    double sum, squares;
    int above, below; /* draws */
} tally;

static void count_draw(tally *t, double error)
{
    t->sum += error;
    t->squares += error * error;
    t->above += error > 0;
    t->below += error < 0;
}

/* Within 5 standard errors. */
static bool is_centred(const tally *t, int draws, double rounding)
{
    double mean = t->sum / draws, variance = fmax(0, t->squares / draws - mean * mean);
    return fabs(mean) <= 5 * sqrt(variance / draws) + rounding;
}

static bool was_often_on_both_sides(const tally *t)
{
    return t->above >= 30 && t->below >= 30;
}

/* The mean of many decodings is the value: that of each element of which draws can tell, and of
 * sums of elements, which see what rarely happens to one. */
static void check_unbiased(const egc_value_codec *codec, const float *value, size_t n)
{
    enum { DRAWS = 2000, SUMS = 8, MOST = 600 };
    float back[MOST];
    tally each[MOST] = {0}, sums[SUMS] = {0};
    double weight[SUMS][MOST]; /* of a sum of all, of all magnitudes, of some at random */
    for (size_t s = 0; s < SUMS; s++)
        for (size_t i = 0; i < n; i++)
            weight[s][i] = s == 0   ? 1
                           : s == 1 ? (value[i] < 0 ? -1 : 1)
                                    : (double)(egc_rng_derive_seed(s, i, 0) & 1);
    for (int draw = 0; draw < DRAWS; draw++) {
        egc_buf buf = {0};
        egc_error err = {0};
        const egc_codec_context coding = coding_with(0);
        egc_bits_writer writer = egc_bits_writer_to(&buf);
        codec->write(&writer, &coding, value, n);
        assert_ok(egc_bits_flush(&writer, &err), err);
        egc_reader reader = egc_reader_of(buf.data, buf.len);
        egc_bits_reader bits = egc_bits_reader_of(&reader);
        assert_ok(codec->read(&bits, back, n, &err), err);
        double sum[SUMS] = {0};
        for (size_t i = 0; i < n; i++) {
            double error = (double)back[i] - (double)value[i];
            count_draw(&each[i], error);
            for (size_t s = 0; s < SUMS; s++)
                sum[s] += weight[s][i] * error;
        }
        for (size_t s = 0; s < SUMS; s++)
            count_draw(&sums[s], sum[s]);
        egc_buf_fini(&buf);
    }
    double rounding = 0;
    for (size_t i = 0; i < n; i++) {
        double one = 0x1p-24 * fabs((double)value[i]) + 0x1p-149;
        assert_true(!was_often_on_both_sides(&each[i]) || is_centred(&each[i], DRAWS, one));
        rounding += one;
    }
    for (size_t s = 0; s < SUMS; s++)
        assert_true(is_centred(&sums[s], DRAWS, rounding));
}

static void codecs__stochastic_codecs_are_unbiased(void **state)
{
    (void)state;
    enum { N = 600 };
    float value[N];
    for (const egc_value_codec *const *codec = egc_codec_value_types(); *codec; codec++)
        for (int family = 0; (*codec)->stochastic && family < N_FAMILIES; family++) {
            fill_input(value, N, family, 6);
            gsl_rng_set(rng, (unsigned long)family);
            check_unbiased(*codec, value, N);
        }
}

/* Values of one magnitude, and of one value, come back bit for bit from the codecs that send one
 * mean. */
static void codecs__equal_magnitudes_are_exact(void **state)
{
    (void)state;
    enum { MOST = 100003 };
    static float value[MOST], back[MOST];
    const float taus[] = {0.1f, 1e-3f, 0.3333333f, 1e-40f, 1.4e-45f, 3.4028234e38f};
    const size_t counts[] = {1, 2, 3, 7, 33, 1000, MOST};
    for (const egc_value_codec *const *codec = egc_codec_value_types(); *codec; codec++) {
        bool any_sign = strcmp((*codec)->name, "sign_mean1") == 0;
        if (!any_sign && strcmp((*codec)->name, "mean") != 0)
            continue;
        for (size_t t = 0; t < sizeof taus / sizeof *taus; t++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                for (size_t i = 0; i < counts[c]; i++)
                    value[i] = any_sign && i % 3 == 1 ? -taus[t] : taus[t];
                round_trip_values(*codec, value, back, counts[c]);
                assert_memory_equal(back, value, counts[c] * sizeof *value);
            }
    }
}

static void codecs__the_smallest_is_chosen(void **state)
{
    (void)state;
    uint32_t index[1023];
    for (int kind = 0; kind < N_SUPPORTS; kind++) {
        size_t count = make_support(index, 1023, kind, 8);
        uint64_t best =
            egc_codec_smallest_index(index, count, 1023)->size_bits(NULL, index, count, 1023);
        for (const egc_index_codec *const *codec = egc_codec_index_types(); *codec; codec++)
            assert_true((*codec)->lossy || best <= (*codec)->size_bits(NULL, index, count, 1023));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codecs__index_codecs_round_trip),
        cmocka_unit_test(codecs__long_units_round_trip),
        cmocka_unit_test(codecs__indices_beyond_two_to_the_24),
        cmocka_unit_test(codecs__damaged_messages),
        cmocka_unit_test(codecs__random_bytes),
        cmocka_unit_test(codecs__value_codecs_round_trip),
        cmocka_unit_test(codecs__extreme_values),
        cmocka_unit_test(codecs__stochastic_codecs_are_unbiased),
        cmocka_unit_test(codecs__equal_magnitudes_are_exact),
        cmocka_unit_test(codecs__the_smallest_is_chosen),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
