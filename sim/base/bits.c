/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bits pass through a 64-bit accumulator, most significant first; LEB128 is as in DWARF. A reader
 * peeks 57 bits or more at once, so that a unary code needs one count of leading ones. */
#include "base/bits.h"

#include <assert.h>

void egc_bits_put(egc_bits_writer *writer, uint32_t value, unsigned width)
{
    assert(width <= 32 && (width == 32 || value >> width == 0));
    egc_buf *buf = writer->buf;
    if (buf->capacity - buf->len < 8 && egc_buf_reserve(buf, 8, NULL))
        return;
    writer->pending = writer->pending << width | value;
    writer->count += width;
    while (writer->count >= 8) {
        writer->count -= 8;
        buf->data[buf->len++] = (uint8_t)(writer->pending >> writer->count);
    }
}

void egc_bits_put_unary(egc_bits_writer *writer, uint32_t value)
{
    for (; value >= 32; value -= 32)
        egc_bits_put(writer, UINT32_MAX, 32);
    egc_bits_put(writer, (uint32_t)((1ull << value) - 1), value);
    egc_bits_put(writer, 0, 1);
}

egc_status egc_bits_flush(egc_bits_writer *writer, egc_error *err)
{
    if (writer->count)
        egc_bits_put(writer, 0, 8 - writer->count);
    return egc_buf_check(writer->buf, err);
}

egc_bits_reader egc_bits_reader_of(const egc_reader *reader)
{
    return (egc_bits_reader){.bytes = reader->next,
                             .length = 8 * (uint64_t)egc_reader_left(reader)};
}

egc_status egc_bits_end_early(egc_error *err)
{
    return egc_fail(err, EGC_ERROR_FORMAT, "message ends in the middle of a bit field");
}

egc_status egc_bits_read_unary(egc_bits_reader *reader, uint32_t limit, uint32_t *out,
                               egc_error *err)
{
    enum { WINDOW = 57 };
    uint64_t ones = 0;
    unsigned run;
    do {
        uint64_t zeros = ~egc_bits_peek(reader);
        run = zeros ? (unsigned)__builtin_clzll(zeros) : 64;
        run = run < WINDOW ? run : WINDOW;
        ones += run;
        reader->position += run;
    } while (run == WINDOW && ones <= limit);
    if (ones > limit)
        return egc_fail(err, EGC_ERROR_FORMAT, "unary code is longer than %u", limit);
    if (reader->position >= reader->length)
        return egc_bits_end_early(err);
    reader->position++;
    *out = (uint32_t)ones;
    return EGC_OK;
}

void egc_bits_reader_finish(const egc_bits_reader *bits, egc_reader *reader)
{
    reader->next += (bits->position + 7) / 8;
}

void egc_bits_put_varint(egc_buf *buf, uint32_t value)
{
    uint8_t bytes[5];
    size_t len = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[len++] = (uint8_t)(value | 0x80);
    bytes[len++] = (uint8_t)value;
    egc_buf_put(buf, bytes, len);
}

egc_status egc_bits_read_varint(egc_reader *reader, uint32_t *out, egc_error *err)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        const uint8_t *byte;
        egc_status status = egc_reader_take(reader, 1, &byte, err);
        if (status)
            return status;
        value |= (uint64_t)(*byte & 0x7f) << shift;
        if (*byte == 0 && shift > 0)
            return egc_fail(err, EGC_ERROR_FORMAT, "varint is longer than its number needs");
        if (*byte < 0x80 && value <= UINT32_MAX) {
            *out = (uint32_t)value;
            return EGC_OK;
        }
    }
    return egc_fail(err, EGC_ERROR_FORMAT, "varint is longer than 32 bits");
}

unsigned egc_bits_varint_bytes(uint32_t value)
{
    unsigned bits = egc_bits_width(value);
    return bits ? (bits + 6) / 7 : 1;
}
