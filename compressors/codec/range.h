/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An entropy coder for whole messages. It exploits the redundancy of their bytes, such as similar
 * exponents of floats or small levels of codes.
 *
 * Bytes are coded bit by bit, the top bit first, by a binary range coder (Martin 1979). Each bit's
 * probability is the mix, in the logistic domain, of two adaptive estimates: one for this bit after
 * the same upper bits of the byte, one for the same at positions equal modulo 4, because floats
 * repeat every 4 bytes (after Mahoney's PAQ). All arithmetic is in integers, so that both sides
 * compute the same on every machine.
 *
 * The code is one byte, 0 or 1, and then the bytes as they are or the range coder's, whichever are
 * fewer: never more than one byte longer than the input. Nothing is coded as nothing. */
#ifndef EGC_CODEC_RANGE_H
#define EGC_CODEC_RANGE_H

#include "base/buf.h"

/* Appends the code of len bytes, which are not in `out`. MEMORY. */
egc_status egc_range_encode(const void *in, size_t len, egc_buf *out,
                            egc_error *err) EGC_MUST_CHECK;

/* Decodes the rest of reader into the len bytes of out. FORMAT unless it is the code of len bytes;
 * damaged bytes may decode to others. */
egc_status egc_range_decode(egc_reader *reader, uint8_t *out, size_t len,
                            egc_error *err) EGC_MUST_CHECK;

#endif
