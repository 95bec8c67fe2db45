/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The selection that workers agree on in rounds: index sets as parts of messages, and the replica's
 * copy of the agreed set. */
#ifndef EGC_COMPRESSORS_MULTIROUND_AGREEMENT_H
#define EGC_COMPRESSORS_MULTIROUND_AGREEMENT_H

#include "compressors/plugin.h"

/* The head of the replica state of types that agree on a selection. */
typedef struct egc_agreement {
    size_t count;
    uint32_t index[]; /* ascending */
} egc_agreement;

/* `replica_size` of types that keep nothing else, and the `select` of all of them. */
size_t egc_agreement_size(const void *params, const egc_unit *unit);
egc_status egc_agreement_select(const void *params, void *state, const egc_context *context,
                                const float *x, size_t n, egc_selection *out, egc_error *err);

/* Appends `count` ascending indices < n: their number as a varint and, unless it is 0, a byte for
 * the index codec that needs the fewest bits and its bits, padded to a byte. MEMORY. */
egc_status egc_agreement_write(uint32_t *index, size_t count, size_t n, egc_buf *wire,
                               egc_error *err) EGC_MUST_CHECK;

/* Reads them into index, which has room for n. FORMAT. */
egc_status egc_agreement_read(egc_reader *reader, uint32_t *index, size_t *count, size_t n,
                              egc_error *err) EGC_MUST_CHECK;

#endif
