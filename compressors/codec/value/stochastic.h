/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stochastic uniform quantisation of values to b bits, sign and level: QSGD (Alistarh et al. 2017,
 * arXiv 1610.02132) with the largest magnitude in place of the L2 norm. With s = 2^(b-1) - 1, for
 * each block of 512 values
 *     N = max |v|     l = s |v| / N     q = floor(l) + (1 with probability l - floor(l))
 * and v decodes to sign(v) N q / s. The mean of that is v; the error is less than N / s. A block
 * is N as fp32 and then the codes, each a sign bit, 0 for q = 0, and q in b - 1 bits.
 *
 * A fault of public code avoided: a block of zeros divided by its norm; here N = 0 and zeros.
 *
 * Known answer, by hand: 4, -4, 0 with b = 4 have N = 4 and nothing left to chance: 0x40800000,
 * codes 0111 1111 0000. */
#ifndef EGC_CODEC_VALUE_STOCHASTIC_H
#define EGC_CODEC_VALUE_STOCHASTIC_H

#include "codec/codec.h"

/* The width b of a code is 2, 4 or 8. */
uint64_t egc_stochastic_size_bits(unsigned b, size_t count);

/* Draws from context->rng. */
void egc_stochastic_put(unsigned b, egc_bits_writer *bits, const egc_codec_context *context,
                        const float *value, size_t count);

/* FORMAT: an N that is negative or not finite, a negative zero, or the end. */
egc_status egc_stochastic_read(unsigned b, egc_bits_reader *bits, float *value, size_t count,
                               egc_error *err) EGC_MUST_CHECK;

#endif
