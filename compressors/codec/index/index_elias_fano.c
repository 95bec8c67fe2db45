/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elias-Fano (Elias 1974; Fano 1971): the low l = max(0, floor(log2(n/k))) bits of every index as
 * they are, then the high parts as a histogram in unary, for each of the floor(n / 2^l) + 1 high
 * parts its picks as ones closed by a zero. Both sides know n and k and with them l. It is within
 * half a bit of the bound whatever the support, and its size depends on n and k alone.
 *
 * Known answer, by hand: indices 2, 3, 10 of n = 16 have l = 2, low parts 10 11 10 and high parts
 * 0 0 2: 101110, then 110 0 10 0 0. */
#include "codec/codec.h"

static unsigned low_width(size_t count, size_t n)
{
    unsigned l = 0;
    while ((uint64_t)count << (l + 1) <= n)
        l++;
    return l;
}

static uint64_t size_bits(const egc_codec_context *context, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)context, (void)index;
    if (count == 0)
        return 0;
    unsigned l = low_width(count, n);
    return (uint64_t)count * (l + 1) + (n >> l) + 1;
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, uint32_t *index,
                  size_t *count, size_t n)
{
    (void)context;
    unsigned l = low_width(*count, n);
    uint32_t low = (uint32_t)((1ull << l) - 1);
    for (size_t i = 0; i < *count; i++)
        egc_bits_put(bits, index[i] & low, l);
    size_t i = 0;
    for (uint64_t high = 0; high <= n >> l; high++) {
        uint32_t ones = 0;
        for (; i < *count && index[i] >> l == high; i++)
            ones++;
        egc_bits_put_unary(bits, ones);
    }
}

/* Reads the indices whose high part is `high`; *i of count are read already. */
static egc_status read_high(egc_bits_reader *lows, egc_bits_reader *highs, unsigned l,
                            uint64_t high, uint32_t *index, size_t *i, size_t count, size_t n,
                            egc_error *err)
{
    uint32_t ones;
    egc_status status = egc_bits_read_unary(highs, (uint32_t)(count - *i), &ones, err);
    for (; !status && ones > 0; ones--, ++*i) {
        uint64_t position = high << l | egc_bits_get(lows, l); /* the low bits are all there */
        if (position >= n || (*i && position <= index[*i - 1]))
            return egc_fail(err, EGC_ERROR_FORMAT, "index %llu is out of order or not below %zu",
                            (unsigned long long)position, n);
        index[*i] = (uint32_t)position;
    }
    return status;
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    unsigned l = low_width(*count, n);
    egc_bits_reader lows = *bits;
    if (bits->length - bits->position < (uint64_t)*count * l)
        return egc_bits_end_early(err);
    bits->position += (uint64_t)*count * l;
    egc_status status = EGC_OK;
    size_t found = 0;
    for (uint64_t high = 0; high <= n >> l && !status; high++)
        status = read_high(&lows, bits, l, high, index, &found, *count, n, err);
    if (!status && found < *count)
        return egc_fail(err, EGC_ERROR_FORMAT, "code holds %zu elements, not %zu", found, *count);
    return status;
}

const egc_index_codec egc_index_codec_elias_fano = {
    .name = "elias_fano",
    .summary = "low bits as they are, high bits as a histogram in unary",
    .size = "k l + k + (n >> l) + 1, l = max(0, floor(log2(n / k)))",
    .reference = "Elias 1974; Fano 1971",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
