/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bitmap: one bit for each of the n positions. It wins when more than about one element in ten
 * is sent. */
#include "codec/codec.h"

static uint64_t size_bits(const egc_codec_context *coding, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)coding;
    (void)index, (void)count;
    return n;
}

static egc_status write_zeros(egc_bits_writer *bits, size_t zeros, egc_error *err)
{
    egc_status status = EGC_OK;
    for (; zeros > 32 && !status; zeros -= 32)
        status = egc_bits_write(bits, 0, 32, err);
    return status ? status : egc_bits_write(bits, 0, (unsigned)zeros, err);
}

static egc_status write(egc_bits_writer *bits, const egc_codec_context *coding, uint32_t *index,
                        size_t *count, size_t n, egc_error *err)
{
    (void)coding;
    egc_status status = EGC_OK;
    size_t position = 0;
    for (size_t i = 0; i < *count && !status; i++) {
        status = write_zeros(bits, index[i] - position, err);
        if (!status)
            status = egc_bits_write(bits, 1, 1, err);
        position = (size_t)index[i] + 1;
    }
    return status ? status : write_zeros(bits, n - position, err);
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bit;
        egc_status status = egc_bits_read(bits, 1, &bit, err);
        if (status)
            return status;
        if (bit && found == *count)
            return egc_fail(err, EGC_ERROR_FORMAT, "bitmap holds more than %zu elements", *count);
        if (bit)
            index[found++] = (uint32_t)i;
    }
    if (found < *count)
        return egc_fail(err, EGC_ERROR_FORMAT, "bitmap holds %zu elements, not %zu", found, *count);
    return EGC_OK;
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
