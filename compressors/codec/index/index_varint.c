/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gaps in whole bytes, LEB128: seven bits a byte, the low ones first, the top bit set in all but
 * the last byte of a gap.
 *
 * Known answer, by hand: indices 2, 3, 10 have gaps 2 0 6: bytes 02 00 06. Index 300 has the gap
 * 300 = 2 * 128 + 44: bytes ac 02. */
#include "codec/index/gaps.h"

enum { MORE = 0x80 };

static uint64_t size_bits(const egc_codec_context *context, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)context, (void)n;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += egc_bits_varint_bytes(egc_gaps_before(index, i));
    return 8 * bytes;
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, uint32_t *index,
                  size_t *count, size_t n)
{
    (void)context, (void)n;
    for (size_t i = 0; i < *count; i++) {
        uint32_t gap = egc_gaps_before(index, i);
        for (; gap >= MORE; gap >>= 7)
            egc_bits_put(bits, (gap & 0x7f) | MORE, 8);
        egc_bits_put(bits, gap, 8);
    }
}

static egc_status read_gap(egc_bits_reader *bits, uint64_t *gap, egc_error *err)
{
    *gap = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint32_t byte = egc_bits_get(bits, 8);
        *gap |= (uint64_t)(byte & 0x7f) << shift;
        if (byte == 0 && shift && !bits->ended)
            return egc_fail(err, EGC_ERROR_FORMAT, "varint ends in a byte of zeros");
        if (byte < MORE)
            return egc_bits_check(bits, err);
    }
    return egc_fail(err, EGC_ERROR_FORMAT, "varint is longer than 5 bytes");
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    egc_status status = EGC_OK;
    uint64_t next = 0, gap;
    for (size_t i = 0; i < *count && !status; i++) {
        status = read_gap(bits, &gap, err);
        if (!status)
            status = egc_gaps_skip(&next, gap, n, &index[i], err);
    }
    return status;
}

const egc_index_codec egc_index_codec_varint = {
    .name = "varint",
    .summary = "gaps in bytes of seven bits",
    .size = "sum over gaps of 8 max(1, ceil(width(gap) / 7))",
    .reference = "LEB128 of gaps, as in search engines",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
