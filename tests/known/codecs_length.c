/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long index codes get: against the information bound, and against the table of the literature.
 */
#include <stdlib.h>

#include "base/rng.h"
#include "compressors/core/sparse_message.h"
#include "support/codecs.h"
#include "support/test.h"

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

static void codecs_length__golomb_is_near_the_bound(void **state)
{
    (void)state;
    const size_t n = 1000000;
    uint32_t *index = malloc(n * sizeof *index);
    for (size_t k = 100000; k >= 100; k /= 10) {
        assert_int_equal(random_support(n, k, k, index), k);
        double bits = (double)egc_index_codec_golomb.size_bits(NULL, index, k, n);
        double bound = egc_sparse_message_bound_bits(k, n) - 32 * (double)k;
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
    const egc_codec_context coding = {.bloom_rate = bloom_rate};
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
    return egc_bits_width(longest);
}

/* Bits per kept index of n = 10^6 at uniformly random support, computed from the definitions of
 * DeepReduce's and the classical codes, not by this code. The longest run, and with it rle's
 * width, is a matter of luck; the table's supports had widths of 7, 10, 14 and 17. */
static void codecs_length__bits_per_index_of_the_literature(void **state)
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
static void codecs_length__bloom_rates(void **state)
{
    (void)state;
    const size_t n = 200000, k = 2000;
    uint32_t *index = malloc(n * sizeof *index), *picks = malloc(n * sizeof *picks);
    random_support(n, k, 77, picks);
    for (double rate = 0.1; rate > 0.0005; rate /= 10) {
        double recall[3] = {0};
        for (int policy = 0; policy < 3; policy++) {
            egc_arena scratch = {0};
            const egc_codec_context coding = {rate, policy, NULL, &scratch};
            egc_buf buf = {0};
            egc_bits_writer writer = egc_bits_writer_to(&buf);
            size_t count = k;
            memcpy(index, picks, k * sizeof *index);
            egc_index_codec_bloom.write(&writer, &coding, index, &count, n);
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
static void codecs_length__small_bloom_filters(void **state)
{
    (void)state;
    enum { N = 1000, K = 4, ROUNDS = 2000 };
    uint32_t index[N];
    double false_positives = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        egc_arena scratch = {0};
        const egc_codec_context coding = {0.001, EGC_BLOOM_ALL, NULL, &scratch};
        egc_buf buf = {0};
        egc_bits_writer writer = egc_bits_writer_to(&buf);
        size_t count = random_support(N, K, round, index);
        egc_index_codec_bloom.write(&writer, &coding, index, &count, N);
        false_positives += (double)(count - K) / (N - K) / ROUNDS;
        egc_buf_fini(&buf);
        egc_arena_fini(&scratch);
    }
    assert_close(false_positives, 0.00124, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codecs_length__golomb_is_near_the_bound),
        cmocka_unit_test(codecs_length__bits_per_index_of_the_literature),
        cmocka_unit_test(codecs_length__bloom_rates),
        cmocka_unit_test(codecs_length__small_bloom_filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
