/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bit streams, most significant bit first, as the codecs write them.
 *
 * A writer appends to an egc_buf through a 64-bit accumulator; egc_bits_flush pads with zeros to
 * a whole byte. A reader refuses to run past the end, so that a truncated or hostile message is
 * EGC_ERROR_FORMAT and nothing worse. */
#ifndef EGC_BASE_BITS_H
#define EGC_BASE_BITS_H

#include <stdbool.h>

#include "base/buf.h"

typedef struct egc_bit_writer {
    egc_buf *buf;
    uint64_t pending; /* the low `count` bits wait to be written */
    unsigned count;   /* 0..7 between calls */
} egc_bit_writer;

static inline egc_bit_writer egc_bit_writer_to(egc_buf *buf)
{
    return (egc_bit_writer){.buf = buf};
}

/* Appends the low `width` bits of value, 0 <= width <= 32. MEMORY. */
egc_status egc_bits_write(egc_bit_writer *writer, uint32_t value, unsigned width,
                          egc_error *err) EGC_MUST_CHECK;

/* Appends `value` ones and a zero. MEMORY. */
egc_status egc_bits_write_unary(egc_bit_writer *writer, uint32_t value,
                                egc_error *err) EGC_MUST_CHECK;

/* Pads with zero bits to a byte boundary. MEMORY. */
egc_status egc_bits_flush(egc_bit_writer *writer, egc_error *err) EGC_MUST_CHECK;

typedef struct egc_bit_reader {
    const uint8_t *bytes;
    uint64_t position; /* in bits from the start */
    uint64_t length;   /* in bits */
} egc_bit_reader;

/* Reads from where `reader` stands. */
egc_bit_reader egc_bit_reader_of(const egc_reader *reader);

/* The next `width` bits, 0 <= width <= 32. FORMAT at the end. */
egc_status egc_bits_read(egc_bit_reader *reader, unsigned width, uint32_t *out,
                         egc_error *err) EGC_MUST_CHECK;

/* Counts ones up to the next zero. FORMAT at the end, or when there are more than `limit`. */
egc_status egc_bits_read_unary(egc_bit_reader *reader, uint32_t limit, uint32_t *out,
                               egc_error *err) EGC_MUST_CHECK;

/* Moves the byte reader that this one came from past the bits read, to a whole byte. */
void egc_bit_reader_finish(const egc_bit_reader *bits, egc_reader *reader);

/* The number of bits needed to write value: 0 for 0, 3 for 5, 32 at most. */
static inline unsigned egc_bit_width(uint32_t value)
{
    return value ? 32u - (unsigned)__builtin_clz(value) : 0u;
}

/* LEB128: seven bits a byte, the low ones first. */
egc_status egc_varint_append(egc_buf *buf, uint32_t value, egc_error *err) EGC_MUST_CHECK;
egc_status egc_varint_read(egc_reader *reader, uint32_t *out, egc_error *err) EGC_MUST_CHECK;
unsigned egc_varint_bytes(uint32_t value);

#endif
