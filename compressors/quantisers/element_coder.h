/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Template of coders whose message is the elements themselves, in the host's byte order and without
 * a header, so that an exchange can sum messages. A coder's file defines
 *     ELEMENT    an egc_element
 * and includes this one. */
#include <math.h>

#include "compressors/plugin.h"
#include "kernels/kernels.h"

static size_t bound(const void *params, size_t n)
{
    (void)params;
    return n * egc_element_bytes(ELEMENT);
}

static egc_status encode(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)state, (void)context;
    size_t bytes = bound(params, n);
    egc_status status = egc_buf_reserve(wire, bytes, err);
    if (status)
        return status;
    egc_element_from_float(ELEMENT, x, wire->data + wire->len, n);
    wire->len += bytes;
    return EGC_OK;
}

/* The message may start at any byte, so it is copied out piece by piece. */
static egc_status decode(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err)
{
    const egc_kernels *kernels = egc_kernels_get();
    const uint8_t *bytes;
    egc_status status = egc_reader_take(reader, bound(params, n), &bytes, err);
    if (status)
        return status;
    float piece[1024];
    enum { PIECE = sizeof piece / sizeof *piece };
    for (size_t start = 0; start < n; start += PIECE) {
        size_t len = n - start < PIECE ? n - start : PIECE;
        egc_element_to_float(ELEMENT, bytes + bound(params, start), piece, len);
        if (!isfinite(kernels->norm2(piece, len)))
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "a value among elements %zu to %zu is not finite", start,
                            start + len - 1);
        kernels->axpy(weight, piece, out + start, len);
    }
    return EGC_OK;
}
