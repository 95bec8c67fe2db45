/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame of a message. Messages that are summed on their way have none: they are elements, unit
 * after unit. All others are
 *
 *     2 bytes    fingerprint of compressor, round and units' lengths, so that a message can not be
 *                taken for one of another method or shape
 *     the units, one after the other; with entropy = "range" the length of that as a varint, and
 *                then its range code (codec/range.h)
 *
 * and those of workers with nothing to say in a BROADCAST round are empty. Messages that were
 * merged on their way (merge.h) count as a round of their own. */
#ifndef EGC_COMPRESSORS_CORE_FRAME_H
#define EGC_COMPRESSORS_CORE_FRAME_H

#include "codec/codec.h"
#include "compressors/core/method.h"

/* The round of merged messages, whose methods have one other. */
enum { EGC_ROUND_MERGED = 1 };

/* How the core sees one round of one method. */
typedef struct egc_round_plan {
    const egc_rounds *rounds; /* the compressor's, or NULL */
    size_t n_rounds;
    egc_round round[EGC_ROUNDS_MAX + 1];
} egc_round_plan;

egc_round_plan egc_round_plan_of(const egc_method *method);

/* Whether a round's unit is the compressor's own business, and not the core's. */
static inline bool egc_round_plan_is_own(const egc_round_plan *plan, size_t round)
{
    return plan->rounds && round < plan->rounds->count;
}

/* The sparse, shared or dense values go in the last round. */
static inline bool egc_round_plan_is_last(const egc_round_plan *plan, size_t round)
{
    return round + 1 == plan->n_rounds;
}

/* Whether a unit is sent dense although the method is not. */
bool egc_method_sends_dense(const egc_method *method, const egc_unit *unit);

/* Whether a sparsifier says what values to send, and not only which elements. */
bool egc_method_has_own_values(const egc_method *method);

/* What dense units are written with: the elements of the method's messages, or fp32. */
const egc_value_codec *egc_round_plan_dense_codec(const egc_round_plan *plan);

/* Starts the frame of a message at the end of wire. *start is where its units begin. MEMORY. */
egc_status egc_frame_begin(const egc_method *method, const egc_round_plan *plan, size_t round,
                           const egc_unit *units, size_t count, egc_buf *wire, size_t *start,
                           egc_error *err) EGC_MUST_CHECK;

/* Ends it: the units are wire[start..]. MEMORY. */
egc_status egc_frame_end(const egc_method *method, const egc_round_plan *plan, size_t round,
                         size_t start, egc_buf *wire, egc_error *err) EGC_MUST_CHECK;

/* Moves reader past the frame, or to plain, where what the entropy coder packed is unpacked.
 * FORMAT; MEMORY. */
egc_status egc_frame_open(const egc_method *method, const egc_round_plan *plan, size_t round,
                          const egc_unit *units, size_t count, egc_reader *reader, egc_buf *plain,
                          egc_error *err) EGC_MUST_CHECK;

#endif
