/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indices as numbers of one width. A codec's file defines
 *     WIDTH(n)    the bits of an index below n
 * and includes this one. */
#include "codec/codec.h"

static uint64_t size_bits(const egc_codec_context *coding, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)coding, (void)index, (void)n;
    return (uint64_t)count * WIDTH(n);
}

static egc_status write(egc_bits_writer *bits, const egc_codec_context *coding, uint32_t *index,
                        size_t *count, size_t n, egc_error *err)
{
    (void)coding, (void)n;
    unsigned width = WIDTH(n);
    egc_status status = EGC_OK;
    for (size_t i = 0; i < *count && !status; i++)
        status = egc_bits_write(bits, index[i], width, err);
    return status;
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    unsigned width = WIDTH(n);
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
