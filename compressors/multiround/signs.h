/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of signs, for signSGD and Signum.
 *
 * A sign is one bit, the first in the top bit of a byte, set for minus; the last byte is padded
 * with zeros. sgn(0) = sgn(-0) = +1. */
#ifndef EGC_COMPRESSORS_MULTIROUND_SIGNS_H
#define EGC_COMPRESSORS_MULTIROUND_SIGNS_H

#include "compressors/plugin.h"

/* Appends the signs of x. MEMORY. */
egc_status egc_signs_append(const float *x, size_t n, egc_buf *wire, egc_error *err) EGC_MUST_CHECK;

/* `bound` and `decode` of coders whose message is n signs. */
size_t egc_signs_bound(const void *params, size_t n);
egc_status egc_signs_decode(const void *params, egc_reader *reader, float weight, float *out,
                            size_t n, egc_error *err);

/* Moves past the next n signs, whole bytes at *out. FORMAT unless they are padded with zeros. */
egc_status egc_signs_take(egc_reader *reader, size_t n, const uint8_t **out,
                          egc_error *err) EGC_MUST_CHECK;

#endif
