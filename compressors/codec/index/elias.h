/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elias' universal codes of integers x >= 1 (Elias 1975), N = floor(log2 x):
 *     gamma   N zeros, then x in its N + 1 bits             1 -> 1, 3 -> 011, 5 -> 00101
 *     delta   the gamma code of N + 1, then the low N bits  1 -> 1, 3 -> 0101, 5 -> 01101 */
#ifndef EGC_CODEC_INDEX_ELIAS_H
#define EGC_CODEC_INDEX_ELIAS_H

#include "base/bits.h"

/* floor(log2 x). Here and below 1 <= x <= 2^32, the range of gap + 1. */
static inline unsigned egc_elias_log2(uint64_t x)
{
    return 63u - (unsigned)__builtin_clzll(x);
}

static inline unsigned egc_elias_gamma_bits(uint64_t x)
{
    return 2 * egc_elias_log2(x) + 1;
}

static inline unsigned egc_elias_delta_bits(uint64_t x)
{
    unsigned log2 = egc_elias_log2(x);
    return egc_elias_gamma_bits(log2 + 1) + log2;
}

void egc_elias_gamma_put(egc_bits_writer *bits, uint64_t x);
void egc_elias_delta_put(egc_bits_writer *bits, uint64_t x);

/* FORMAT: the bits end, or x would be 2^33 or more. */
egc_status egc_elias_gamma_read(egc_bits_reader *bits, uint64_t *x, egc_error *err) EGC_MUST_CHECK;
egc_status egc_elias_delta_read(egc_bits_reader *bits, uint64_t *x, egc_error *err) EGC_MUST_CHECK;

#endif
