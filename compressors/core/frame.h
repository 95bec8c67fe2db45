/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame of a message. Messages that are summed on the way have none: they are elements, unit
 * after unit. All others are
 *
 *     2 bytes    fingerprint of compressor, round and lengths of the units, so that a message is
 * not taken for one of another method or shape the units, one after the other; with entropy =
 * "range" their length in bytes as a varint, then their range code (codec/range.h)
 *
 * In a BROADCAST round the messages of all workers but the leader are empty. Merged messages
 * (merger.h) count as a round of their own. */
#ifndef EGC_COMPRESSORS_CORE_FRAME_H
#define EGC_COMPRESSORS_CORE_FRAME_H

#include "compressors/core/round_plan.h"

/* The round of merged messages: their methods have round 0 only. */
enum { EGC_ROUND_MERGED = 1 };

/* The message of one round for units[0..count). */
typedef struct egc_frame {
    const egc_method *method;
    const egc_round_plan *plan;
    size_t round;
    const egc_unit *units;
    size_t count;
} egc_frame;

/* Appends the frame's head to wire. *start is the offset at which the units begin. MEMORY. */
egc_status egc_frame_begin(const egc_frame *frame, egc_buf *wire, size_t *start,
                           egc_error *err) EGC_MUST_CHECK;

/* Ends the frame of the units wire[start..]: packs them if the method has an entropy coder.
 * MEMORY. */
egc_status egc_frame_end(const egc_frame *frame, size_t start, egc_buf *wire,
                         egc_error *err) EGC_MUST_CHECK;

/* Moves reader past the head, or to the start of `plain`, where the units of a packed message are
 * unpacked to. FORMAT; MEMORY. */
egc_status egc_frame_open(const egc_frame *frame, egc_reader *reader, egc_buf *plain,
                          egc_error *err) EGC_MUST_CHECK;

/* FORMAT unless the reader was consumed to its end. */
egc_status egc_frame_close(const egc_reader *reader, egc_error *err) EGC_MUST_CHECK;

#endif
