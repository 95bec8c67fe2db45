/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bit streams, most significant bit first, for the codecs.
 *
 * A writer appends to an egc_buf, which keeps the first failure until egc_bits_flush reports it. A
 * reader never passes the end, so that a truncated or hostile message is FORMAT. */
#ifndef EGC_BASE_BITS_H
#define EGC_BASE_BITS_H

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

typedef struct egc_bits_writer {
    egc_buf *buf;
    uint64_t pending; /* its low `count` bits are not written yet */
    unsigned count;   /* 0..7 between calls */
} egc_bits_writer;

static inline egc_bits_writer egc_bits_writer_to(egc_buf *buf)
{
    return (egc_bits_writer){.buf = buf};
}

/* Appends the low `width` bits of value, 0 <= width <= 32. */
void egc_bits_put(egc_bits_writer *writer, uint32_t value, unsigned width);

/* Appends `value` ones and a zero. */
void egc_bits_put_unary(egc_bits_writer *writer, uint32_t value);

/* Pads with zero bits to a byte boundary. MEMORY if this or any append before it failed. */
egc_status egc_bits_flush(egc_bits_writer *writer, egc_error *err) EGC_MUST_CHECK;

typedef struct egc_bits_reader {
    const uint8_t *bytes;
    uint64_t position; /* in bits from the start */
    uint64_t length;   /* in bits */
    bool ended;        /* an egc_bits_get met the end */
} egc_bits_reader;

/* Begins at the next byte of reader. */
egc_bits_reader egc_bits_reader_of(const egc_reader *reader);

/* Fails with FORMAT: the message ends in the middle of a bit field. */
egc_status egc_bits_end_early(egc_error *err) EGC_MUST_CHECK;

/* Returns the next 57 bits or more at the top of a word, with zeros after the end of the message.
 * Inline like egc_bits_read, because decoding spends its time here. */
static inline uint64_t egc_bits_peek(const egc_bits_reader *reader)
{
    uint64_t byte = reader->position / 8, bytes = reader->length / 8, word = 0;
    if (bytes - byte >= sizeof word) {
        memcpy(&word, reader->bytes + byte, sizeof word);
        if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
            word = __builtin_bswap64(word);
    } else {
        for (unsigned i = 0; byte + i < bytes; i++)
            word |= (uint64_t)reader->bytes[byte + i] << (56 - 8 * i);
    }
    return word << reader->position % 8;
}

/* Reads `width` bits, 0 <= width <= 32. FORMAT if fewer are left. */
EGC_MUST_CHECK static inline egc_status egc_bits_read(egc_bits_reader *reader, unsigned width,
                                                      uint32_t *out, egc_error *err)
{
    assert(width <= 32);
    *out = width ? (uint32_t)(egc_bits_peek(reader) >> (64 - width)) : 0;
    if (reader->length - reader->position < width)
        return egc_bits_end_early(err);
    reader->position += width;
    return EGC_OK;
}

/* Returns the next `width` bits, or 0 if fewer are left, which egc_bits_check reports. */
static inline uint32_t egc_bits_get(egc_bits_reader *reader, unsigned width)
{
    assert(width <= 32);
    uint64_t word = egc_bits_peek(reader);
    bool ended = reader->length - reader->position < width;
    reader->ended |= ended;
    reader->position += ended ? 0 : width;
    return width && !ended ? (uint32_t)(word >> (64 - width)) : 0;
}

/* FORMAT if any egc_bits_get met the end. */
EGC_MUST_CHECK static inline egc_status egc_bits_check(const egc_bits_reader *reader,
                                                       egc_error *err)
{
    return reader->ended ? egc_bits_end_early(err) : EGC_OK;
}

/* Counts the ones before the next zero and passes it. FORMAT at the end, or for more than `limit`
 * ones. */
egc_status egc_bits_read_unary(egc_bits_reader *reader, uint32_t limit, uint32_t *out,
                               egc_error *err) EGC_MUST_CHECK;

/* Moves the byte reader that `bits` began at past the bits read, up to a whole byte. */
void egc_bits_reader_finish(const egc_bits_reader *bits, egc_reader *reader);

/* Returns the number of bits that value needs: 0 for 0, 3 for 5, 32 at most. */
static inline unsigned egc_bits_width(uint32_t value)
{
    return value ? 32u - (unsigned)__builtin_clz(value) : 0u;
}

/* The 32 bits of a float as a number, and the reverse. */
static inline uint32_t egc_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float egc_bits_to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* LEB128 numbers: seven bits a byte, the low ones first, at most five bytes. FORMAT for a number
 * that is longer than it needs to be or than 32 bits. */
void egc_bits_put_varint(egc_buf *buf, uint32_t value);
egc_status egc_bits_read_varint(egc_reader *reader, uint32_t *out, egc_error *err) EGC_MUST_CHECK;
unsigned egc_bits_varint_bytes(uint32_t value);

#endif
