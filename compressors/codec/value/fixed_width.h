/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Template of index codecs that write every index in the same width. A codec's file defines
 *     WIDTH(n)    the bits of an index below n
 * and includes this one. */
#include "codec/codec.h"

static uint64_t size_bits(const egc_codec_context *context, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)context, (void)index, (void)n;
    return (uint64_t)count * WIDTH(n);
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, uint32_t *index,
                  size_t *count, size_t n)
{
    (void)context, (void)n;
    unsigned width = WIDTH(n);
    for (size_t i = 0; i < *count; i++)
        egc_bits_put(bits, index[i], width);
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    unsigned width = WIDTH(n);
    for (size_t i = 0; i < *count; i++) {
        index[i] = egc_bits_get(bits, width);
        if (!bits->ended && (index[i] >= n || (i && index[i] <= index[i - 1])))
            return egc_fail(err, EGC_ERROR_FORMAT, "index %u is out of order or not below %zu",
                            index[i], n);
    }
    return egc_bits_check(bits, err);
}
