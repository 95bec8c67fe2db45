/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bitmap: one bit for each of the n positions. It wins when more than about one element in ten
 * is sent. */
#include "codec/codec.h"

static uint64_t size_bits(const egc_codec_context *context, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)context, (void)index, (void)count;
    return n;
}

static void put_zeros(egc_bits_writer *bits, size_t zeros)
{
    for (; zeros > 32; zeros -= 32)
        egc_bits_put(bits, 0, 32);
    egc_bits_put(bits, 0, (unsigned)zeros);
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, uint32_t *index,
                  size_t *count, size_t n)
{
    (void)context;
    size_t position = 0;
    for (size_t i = 0; i < *count; i++) {
        put_zeros(bits, index[i] - position);
        egc_bits_put(bits, 1, 1);
        position = (size_t)index[i] + 1;
    }
    put_zeros(bits, n - position);
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bit = egc_bits_get(bits, 1);
        if (bit && found == *count)
            return egc_fail(err, EGC_ERROR_FORMAT, "bitmap holds more than %zu elements", *count);
        if (bit)
            index[found++] = (uint32_t)i;
    }
    egc_status status = egc_bits_check(bits, err);
    if (!status && found < *count)
        return egc_fail(err, EGC_ERROR_FORMAT, "bitmap holds %zu elements, not %zu", found, *count);
    return status;
}

const egc_index_codec egc_index_codec_bitmap = {
    .name = "bitmap",
    .summary = "one bit for every position",
    .size = "n",
    .reference = "the bitmap of DeepReduce (Kostopoulou et al. 2021)",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
