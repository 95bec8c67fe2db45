/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indices as 32-bit integers, the way most published code sends them. It never beats `raw`; it is
 * here so that ratios quoted against it can be reproduced. */
#include "codec/codec.h"

static uint64_t size_bits(const egc_coding *coding, const uint32_t *index, size_t count, size_t n)
{
    (void)coding, (void)index, (void)n;
    return 32 * (uint64_t)count;
}

static egc_status write(egc_bit_writer *bits, const egc_coding *coding, uint32_t *index,
                        size_t *count, size_t n, egc_error *err)
{
    (void)coding, (void)n;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < *count && !status; i++)
        status = egc_bits_write(bits, index[i], 32, err);
    return status;
}

static egc_status read(egc_bit_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    for (size_t i = 0; i < *count; i++) {
        egc_status status = egc_bits_read(bits, 32, &index[i], err);
        if (status)
            return status;
        if (index[i] >= n || (i && index[i] <= index[i - 1]))
            return egc_fail(err, EGC_ERROR_FORMAT, "index %u is out of order or not below %zu",
                            index[i], n);
    }
    return EGC_OK;
}

const egc_index_codec egc_index_codec_raw32 = {
    .name = "raw32",
    .summary = "every index as a 32-bit integer, as most published code does",
    .size = "32 k",
    .reference = "GRACE (Xu et al. 2021) and others",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
