/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run lengths of the bitmap. With c clusters of neighbouring elements sent, the bitmap is 2c + 1
 * runs of zeros and ones in turn; the first and the last are zeros and may be empty. All lengths
 * have one width, that of the longest; width - 1 precedes them in 5 bits.
 *
 * A fault of public code avoided: DeepReduce's width is ceil(log2 max), one bit short when the
 * longest run is a power of two. The width for max is ceil(log2(max + 1)), the number of its bits.
 *
 * Known answer, by hand: indices 2, 3, 10 of n = 16 are runs of 2 2 6 1 5. The longest needs 3
 * bits: 00010 010 010 110 001 101. */
#include "codec/index/gaps.h"

enum { WIDTH_BITS = 5 };

typedef struct runs {
    uint64_t count;
    unsigned width;
} runs;

static runs measure(const uint32_t *index, size_t count, size_t n)
{
    size_t clusters = 0, cluster_start = 0;
    uint32_t longest = (uint32_t)(n - 1 - index[count - 1]);
    for (size_t i = 0; i < count; i++) {
        uint32_t gap = egc_gaps_before(index, i);
        if (i && gap == 0)
            continue;
        uint32_t picked = (uint32_t)(i - cluster_start);
        longest = longest > gap ? longest : gap;
        longest = longest > picked ? longest : picked;
        cluster_start = i;
        clusters++;
    }
    uint32_t picked = (uint32_t)(count - cluster_start);
    longest = longest > picked ? longest : picked;
    return (runs){2 * (uint64_t)clusters + 1, egc_bits_width(longest)};
}

static uint64_t size_bits(const egc_codec_context *context, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)context;
    if (count == 0)
        return 0;
    runs of = measure(index, count, n);
    return WIDTH_BITS + of.count * of.width;
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, uint32_t *index,
                  size_t *count, size_t n)
{
    (void)context;
    unsigned width = measure(index, *count, n).width;
    egc_bits_put(bits, width - 1, WIDTH_BITS);
    for (size_t i = 0, end; i < *count; i = end) {
        for (end = i + 1; end < *count && egc_gaps_before(index, end) == 0; end++)
            ;
        egc_bits_put(bits, egc_gaps_before(index, i), width);
        egc_bits_put(bits, (uint32_t)(end - i), width);
    }
    egc_bits_put(bits, (uint32_t)(n - 1 - index[*count - 1]), width);
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    unsigned width = egc_bits_get(bits, WIDTH_BITS) + 1;
    uint64_t next = 0;
    for (size_t i = 0; i < *count;) {
        uint32_t skipped = egc_bits_get(bits, width), picked = egc_bits_get(bits, width);
        egc_status status = egc_bits_check(bits, err);
        if (status)
            return status;
        next += skipped;
        if (picked == 0 || picked > *count - i || next + picked > n || (i && skipped == 0))
            return egc_fail(err, EGC_ERROR_FORMAT, "runs of %u and %u after %zu of %zu elements",
                            skipped, picked, i, *count);
        for (uint32_t j = 0; j < picked; j++)
            index[i++] = (uint32_t)next++;
    }
    uint64_t end = next + egc_bits_get(bits, width);
    egc_status status = egc_bits_check(bits, err);
    if (!status && end != n)
        return egc_fail(err, EGC_ERROR_FORMAT, "runs end at %llu, not at %zu",
                        (unsigned long long)end, n);
    return status;
}

const egc_index_codec egc_index_codec_rle = {
    .name = "rle",
    .summary = "run lengths of the bitmap, all of one width",
    .size = "5 + (2 c + 1) * ceil(log2(longest run + 1)), c clusters of picks",
    .reference = "the run-length code of DeepReduce (Kostopoulou et al. 2021)",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
