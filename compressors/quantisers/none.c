/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No compression: n raw floats, without a header, so that messages can be summed as they are.
 * The dense baseline, and what units below `min_elements` are sent with. */
#include <math.h>
#include <string.h>

#include "compressors/plugin.h"
#include "kernels/kernels.h"

static size_t bound(const void *params, size_t n)
{
    (void)params;
    return sizeof(float) * n;
}

static egc_status encode(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)params, (void)state, (void)context;
    return egc_buf_append(wire, x, sizeof(float) * n, err);
}

/* The message may start at any byte, so it is copied out piece by piece. */
static egc_status decode(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err)
{
    (void)params;
    const egc_kernels *kernels = egc_kernels_get();
    const uint8_t *bytes;
    egc_status status = egc_reader_take(reader, sizeof(float) * n, &bytes, err);
    if (status)
        return status;
    float piece[1024];
    enum { PIECE = sizeof piece / sizeof *piece };
    for (size_t start = 0; start < n; start += PIECE) {
        size_t len = n - start < PIECE ? n - start : PIECE;
        memcpy(piece, bytes + sizeof(float) * start, sizeof(float) * len);
        if (!isfinite(kernels->norm2(piece, len)))
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "a value among elements %zu to %zu is not finite", start,
                            start + len - 1);
        kernels->axpy(weight, piece, out + start, len);
    }
    return EGC_OK;
}

const egc_compressor_type egc_compressor_none = {
    .name = "none",
    .summary = "no compression: every element as fp32",
    .size = "4 n bytes",
    .formula = "C(x) = x",
    .reference = "the dense baseline",
    .traits = EGC_TRAIT_EXACT | EGC_TRAIT_LINEAR | EGC_TRAIT_UNBIASED,
    .settings = "memory=none",
    .element = EGC_ELEMENT_FP32,
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
