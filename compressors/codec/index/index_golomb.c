/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Golomb-Rice context of gaps (Golomb 1966; Rice and Plaunt 1971).
 *
 * gap_i = index_i - index_(i-1) - 1, index_(-1) = -1. A gap is floor(gap / 2^b) in unary (ones
 * closed by a zero) and its low b bits. b is the best for the selection at hand and precedes the
 * gaps in 5 bits. For a uniformly random support the gaps are geometric and the code is within
 * about 2 % of log2 C(n, k).
 *
 * Known answer, by hand: indices 2, 3, 10 of n = 16 have gaps 2, 0, 6. With b = 1 they take
 * (1+1+1) + (0+1+1) + (3+1+1) = 10 bits, with b = 2 (0+1+2) + (0+1+2) + (1+1+2) = 10, with b = 0
 * 3 + 1 + 7 = 11; the first of the best is b = 1, and the code 00001 10.0 0.0 1110.0, 15 bits. */
#include "codec/index/gaps.h"

enum { PARAMETER_BITS = 5, MAX_PARAMETER = 31 };

static uint64_t bits_with(const uint32_t *index, size_t count, unsigned b)
{
    uint64_t total = (uint64_t)count * (1 + b);
    for (size_t i = 0; i < count; i++)
        total += egc_gaps_before(index, i) >> b;
    return total;
}

/* The size is convex in b, so walking downhill from the estimate for geometric gaps,
 * b = log2(0.69 n / k), ends at the best. */
static unsigned best_parameter(const uint32_t *index, size_t count, size_t n)
{
    double mean = 0.69 * (double)n / (double)count;
    unsigned b = mean >= 2 ? egc_bits_width((uint32_t)mean) - 1 : 0;
    uint64_t here = bits_with(index, count, b);
    for (uint64_t below; b > 0 && (below = bits_with(index, count, b - 1)) <= here; b--)
        here = below;
    for (uint64_t above; b < MAX_PARAMETER && (above = bits_with(index, count, b + 1)) < here; b++)
        here = above;
    return b;
}

static uint64_t size_bits(const egc_codec_context *context, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)context;
    return count ? PARAMETER_BITS + bits_with(index, count, best_parameter(index, count, n)) : 0;
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, uint32_t *index,
                  size_t *count, size_t n)
{
    (void)context;
    unsigned b = best_parameter(index, *count, n);
    uint32_t low = (uint32_t)((1ull << b) - 1);
    egc_bits_put(bits, b, PARAMETER_BITS);
    for (size_t i = 0; i < *count; i++) {
        uint32_t gap = egc_gaps_before(index, i), ones = gap >> b;
        if (ones + 1 + b <= 32) { /* nearly always: both parts at once */
            uint64_t unary = (1ull << ones) - 1;
            egc_bits_put(bits, (uint32_t)(unary << (1 + b) | (gap & low)), ones + 1 + b);
        } else {
            egc_bits_put_unary(bits, ones);
            egc_bits_put(bits, gap & low, b);
        }
    }
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    uint32_t b = egc_bits_get(bits, PARAMETER_BITS);
    egc_status status = egc_bits_check(bits, err);
    uint64_t next = 0;
    for (size_t i = 0; i < *count && !status; i++) {
        uint32_t high;
        status = egc_bits_read_unary(bits, (uint32_t)((n - 1) >> b), &high, err);
        if (status)
            return status;
        uint64_t gap = ((uint64_t)high << b) + egc_bits_get(bits, b);
        status = egc_bits_check(bits, err);
        if (!status)
            status = egc_gaps_skip(&next, gap, n, &index[i], err);
    }
    return status;
}

const egc_index_codec egc_index_codec_golomb = {
    .name = "golomb",
    .summary = "Golomb-Rice code of the gaps, its parameter the best for the message",
    .size = "5 + sum over gaps of (gap >> b) + 1 + b",
    .reference = "Golomb 1966; Rice and Plaunt 1971",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
