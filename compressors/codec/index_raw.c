/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Raw indices: each as a number of ceil(log2 n) bits. The width follows n, never the value type,
 * and is exact for every n up to 2^32. */
#include "codec/codec.h"

static unsigned width_for(size_t n)
{
    return egc_bit_width((uint32_t)(n - 1));
}

static uint64_t size_bits(const egc_coding *coding, const uint32_t *index, size_t count, size_t n)
{
    (void)coding;
    (void)index;
    return (uint64_t)count * width_for(n);
}

static egc_status write(egc_bit_writer *bits, const egc_coding *coding, uint32_t *index,
                        size_t *count, size_t n, egc_error *err)
{
    (void)coding;
    unsigned width = width_for(n);
    egc_status status = EGC_OK;
    for (size_t i = 0; i < *count && !status; i++)
        status = egc_bits_write(bits, index[i], width, err);
    return status;
}

static egc_status read(egc_bit_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    unsigned width = width_for(n);
    for (size_t i = 0; i < *count; i++) {
        egc_status status = egc_bits_read(bits, width, &index[i], err);
        if (status)
            return status;
        if (index[i] >= n || (i && index[i] <= index[i - 1]))
            return egc_fail(err, EGC_ERROR_FORMAT, "index %u is out of order or not below %zu",
                            index[i], n);
    }
    return EGC_OK;
}

const egc_index_codec egc_index_codec_raw = {
    .name = "raw",
    .summary = "every index as a number just wide enough for n",
    .size = "k * ceil(log2 n)",
    .reference = "the baseline of DeepReduce (Kostopoulou et al. 2021)",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
