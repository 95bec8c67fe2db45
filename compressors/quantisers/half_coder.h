/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fp16.c and bf16.c share: a message that is the elements themselves, 16 bits each in the
 * host's order and without a header, so that vectors of them can be summed on their way. */
#ifndef EGC_COMPRESSORS_QUANTISERS_HALF_CODER_H
#define EGC_COMPRESSORS_QUANTISERS_HALF_CODER_H

#include <math.h>

#include "compressors/plugin.h"
#include "kernels/kernels.h"

static inline egc_status egc_half_encode(egc_element element, const float *x, size_t n,
                                         egc_buf *wire, egc_error *err)
{
    size_t bytes = n * egc_element_bytes(element);
    egc_status status = egc_buf_reserve(wire, bytes, err);
    if (status)
        return status;
    egc_element_from_float(element, x, wire->data + wire->len, n);
    wire->len += bytes;
    return EGC_OK;
}

static inline egc_status egc_half_decode(egc_element element, egc_reader *reader, float weight,
                                         float *out, size_t n, egc_error *err)
{
    const egc_kernels *kernels = egc_kernels_get();
    size_t size = egc_element_bytes(element);
    const uint8_t *bytes;
    egc_status status = egc_reader_take(reader, n * size, &bytes, err);
    if (status)
        return status;
    float piece[1024];
    enum { PIECE = sizeof piece / sizeof *piece };
    for (size_t start = 0; start < n; start += PIECE) {
        size_t len = n - start < PIECE ? n - start : PIECE;
        egc_element_to_float(element, bytes + start * size, piece, len);
        if (!isfinite(kernels->norm2(piece, len)))
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "a value among elements %zu to %zu is not finite", start,
                            start + len - 1);
        kernels->axpy(weight, piece, out + start, len);
    }
    return EGC_OK;
}

#endif
