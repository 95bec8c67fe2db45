/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and checks the head of messages, and runs the entropy coder over their units. */
#include "compressors/core/frame.h"

#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "codec/range.h"

static uint16_t fingerprint(const egc_frame *frame)
{
    const char *name = frame->method->compressor->name;
    uint64_t hash = egc_hash(EGC_HASH_START, name, strlen(name));
    hash = egc_hash(hash, &frame->round, sizeof frame->round);
    for (size_t i = 0; i < frame->count; i++)
        hash = egc_hash(hash, &frame->units[i].count, sizeof frame->units[i].count);
    return (uint16_t)(hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48);
}

static bool is_bare(const egc_frame *frame)
{
    return frame->plan->round[frame->round].element;
}

egc_status egc_frame_begin(const egc_frame *frame, egc_buf *wire, size_t *start, egc_error *err)
{
    egc_status status = EGC_OK;
    if (!is_bare(frame)) {
        uint16_t print = fingerprint(frame);
        uint8_t bytes[] = {(uint8_t)print, (uint8_t)(print >> 8)};
        status = egc_buf_append(wire, bytes, sizeof bytes, err);
    }
    *start = wire->len;
    return status;
}

egc_status egc_frame_end(const egc_frame *frame, size_t start, egc_buf *wire, egc_error *err)
{
    if (frame->method->options.entropy == EGC_ENTROPY_NONE || is_bare(frame))
        return EGC_OK;
    egc_buf coded = {0};
    size_t plain = wire->len - start;
    egc_bits_put_varint(&coded, (uint32_t)plain);
    egc_status status = egc_range_encode(wire->data + start, plain, &coded, err);
    wire->len = start;
    if (!status)
        status = egc_buf_append(wire, coded.data, coded.len, err);
    egc_buf_fini(&coded);
    return status;
}

/* Upper bound of the units' length in bytes: indices take eight each at most, values four. */
static size_t longest_units(const egc_frame *frame)
{
    enum { HEADERS = 64, ELEMENT = 16 };
    const egc_compressor_type *type = frame->method->compressor;
    size_t bytes = 0;
    for (size_t i = 0; i < frame->count; i++) {
        size_t n = frame->units[i].count;
        size_t coded = type->bound ? type->bound(frame->method->params, n) : 0;
        size_t other = HEADERS + ELEMENT * n;
        bytes += coded > other ? coded : other;
    }
    return bytes;
}

static egc_status unpack(const egc_frame *frame, egc_reader *reader, egc_buf *plain, egc_error *err)
{
    uint32_t len;
    egc_status status = egc_bits_read_varint(reader, &len, err);
    if (status)
        return status;
    if (len > longest_units(frame))
        return egc_fail(err, EGC_ERROR_FORMAT, "message claims to hold %u bytes for its units",
                        len);
    egc_buf_clear(plain);
    status = egc_buf_reserve(plain, len, err);
    if (!status)
        status = egc_range_decode(reader, plain->data, len, err);
    plain->len = len;
    *reader = egc_reader_of(plain->data, len);
    return status;
}

egc_status egc_frame_open(const egc_frame *frame, egc_reader *reader, egc_buf *plain,
                          egc_error *err)
{
    if (is_bare(frame))
        return EGC_OK;
    const uint8_t *bytes;
    egc_status status = egc_reader_take(reader, 2, &bytes, err);
    if (status)
        return status;
    if ((bytes[0] | bytes[1] << 8) != fingerprint(frame))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "message is not for method %s and %zu units from %s on",
                        frame->method->compressor->name, frame->count, frame->units[0].name);
    return frame->method->options.entropy ? unpack(frame, reader, plain, err) : EGC_OK;
}

egc_status egc_frame_close(const egc_reader *reader, egc_error *err)
{
    size_t left = egc_reader_left(reader);
    return left == 0
               ? EGC_OK
               : egc_fail(err, EGC_ERROR_FORMAT, "%zu bytes are left after the last unit", left);
}
