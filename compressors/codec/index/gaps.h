/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ascending positions as the gaps between them. */
#ifndef EGC_CODEC_INDEX_GAPS_H
#define EGC_CODEC_INDEX_GAPS_H

#include "codec/codec.h"

/* How many positions are skipped before the i-th pick: index_i - index_(i-1) - 1, with
 * index_(-1) = -1. */
static inline uint32_t egc_gaps_before(const uint32_t *index, size_t i)
{
    return i ? index[i] - index[i - 1] - 1 : index[0];
}

/* The pick that a gap leads to: *next, the first position it may have, becomes the one after it.
 * FORMAT unless it is < n. */
EGC_MUST_CHECK static inline egc_status egc_gaps_skip(uint64_t *next, uint64_t gap, size_t n,
                                                      uint32_t *index, egc_error *err)
{
    uint64_t position = *next + gap;
    if (position >= n)
        return egc_fail(err, EGC_ERROR_FORMAT, "index %llu is not below %zu",
                        (unsigned long long)position, n);
    *index = (uint32_t)position;
    *next = position + 1;
    return EGC_OK;
}

#endif
