/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bit fields, scales and blocks of the coders that send a few bits per element. The room for all
 * fields is reserved once, not per field. */
#ifndef EGC_COMPRESSORS_QUANTISERS_QUANTISER_H
#define EGC_COMPRESSORS_QUANTISERS_QUANTISER_H

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"

/* ---- writing ------------------------------------------------------------------------------- */

/* A bit stream as base/bits.h writes it, most significant bit first. */
typedef struct egc_quantiser_packer {
    egc_buf *wire;
    uint8_t *next;
    uint64_t pending; /* the low `count` bits wait to be completed to a byte */
    unsigned count;   /* 0..7 */
} egc_quantiser_packer;

/* To be followed by fields of no more than `bits` bits in all. MEMORY. */
EGC_MUST_CHECK static inline egc_status
egc_quantiser_open(egc_quantiser_packer *packer, egc_buf *wire, uint64_t bits, egc_error *err)
{
    egc_status status = egc_buf_reserve(wire, (size_t)(bits / 8) + 2 * sizeof(uint64_t), err);
    if (!status)
        *packer = (egc_quantiser_packer){.wire = wire, .next = wire->data + wire->len};
    return status;
}

/* Appends the low `width` bits of value, which has no others, 0 <= width <= 56. Eight bytes are
 * written whatever the width, so that there is nothing to decide. */
static inline void egc_quantiser_put(egc_quantiser_packer *packer, uint64_t value, unsigned width)
{
    packer->pending = packer->pending << width | value;
    packer->count += width;
    uint64_t word = packer->pending << 1 << (63 - packer->count);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        word = __builtin_bswap64(word);
    memcpy(packer->next, &word, sizeof word);
    packer->next += packer->count / 8;
    packer->count %= 8;
}

/* Pads with zero bits to a byte, and ends the message. */
static inline void egc_quantiser_close(egc_quantiser_packer *packer)
{
    packer->wire->len = (size_t)(packer->next - packer->wire->data) + (packer->count > 0);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* FORMAT when fewer than `bits` bits are left. */
EGC_MUST_CHECK static inline egc_status egc_quantiser_need(const egc_bits_reader *reader,
                                                           uint64_t bits, egc_error *err)
{
    return reader->length - reader->position < bits ? egc_bits_end_early(err) : EGC_OK;
}

/* The next `width` bits, 0 <= width <= 32, which are known to be there. */
static inline uint32_t egc_quantiser_get(egc_bits_reader *reader, unsigned width)
{
    assert(reader->length - reader->position >= width);
    uint32_t value = (uint32_t)(egc_bits_peek(reader) >> 1 >> (63 - width));
    reader->position += width;
    return value;
}

/* ---- floats -------------------------------------------------------------------------------- */

/* 1 for numbers below zero; neither zero has a sign here. */
static inline uint32_t egc_is_negative(float value)
{
    return value < 0;
}

static inline void egc_quantiser_put_float(egc_quantiser_packer *packer, float value)
{
    egc_quantiser_put(packer, egc_bits_of_float(value), 32);
}

/* FORMAT at the end, or unless the number is finite and in [min, max]. */
EGC_MUST_CHECK static inline egc_status
egc_quantiser_read_scale(egc_bits_reader *reader, float min, float max, float *out, egc_error *err)
{
    uint32_t bits;
    egc_status status = egc_bits_read(reader, 32, &bits, err);
    if (status)
        return status;
    *out = egc_bits_to_float(bits);
    if (!isfinite(*out) || *out < min || *out > max)
        return egc_fail(err, EGC_ERROR_FORMAT, "scale %g is not a finite number in [%g, %g]", *out,
                        min, max);
    return EGC_OK;
}

/* ---- buckets ------------------------------------------------------------------------------- */

/* The length of each of the buckets of n elements but the last; 0 means one bucket of all. */
static inline size_t egc_quantiser_block_length(int64_t block, size_t n)
{
    size_t length = block > 0 && (uint64_t)block < n ? (size_t)block : n;
    return length ? length : 1;
}

static inline size_t egc_quantiser_block_count(int64_t block, size_t n)
{
    size_t length = egc_quantiser_block_length(block, n);
    return n / length + (n % length != 0);
}

#endif
