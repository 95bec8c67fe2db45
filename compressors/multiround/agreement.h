/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The selection that workers agree on in rounds: sets of indices as parts of messages, and how a
 * replica keeps the one agreed on. */
#ifndef EGC_COMPRESSORS_MULTIROUND_AGREEMENT_H
#define EGC_COMPRESSORS_MULTIROUND_AGREEMENT_H

#include "compressors/plugin.h"

/* What a replica of such a type begins with. */
typedef struct egc_agreement {
    size_t count;
    uint32_t index[]; /* of the unit's elements, ascending */
} egc_agreement;

/* `replica_size` of types that keep nothing else, and the `select` of all of them. */
size_t egc_agreement_size(const void *params, const egc_unit *unit);
egc_status egc_agreement_select(const void *params, void *state, const egc_context *context,
                                const float *x, size_t n, egc_selection *out, egc_error *err);

/* Appends `count` ascending indices < n: their number as a varint and, when there are any, a byte
 * for the index codec that needs the fewest bits and what it writes, padded to a byte. MEMORY. */
egc_status egc_agreement_write(uint32_t *index, size_t count, size_t n, egc_buf *wire,
                               egc_error *err) EGC_MUST_CHECK;

/* Reads them into index, which has room for n. FORMAT. */
egc_status egc_agreement_read(egc_reader *reader, uint32_t *index, size_t *count, size_t n,
                              egc_error *err) EGC_MUST_CHECK;

#endif
