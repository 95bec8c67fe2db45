/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packs signs into bytes, eight at a time, and reads them back. */
#include "compressors/multiround/signs.h"

size_t egc_signs_bound(const void *params, size_t n)
{
    (void)params;
    return n / 8 + (n % 8 != 0);
}

static uint8_t pack(const float *x, size_t n)
{
    unsigned bits = 0;
    for (size_t i = 0; i < n; i++)
        bits |= (unsigned)(x[i] < 0) << (7 - i);
    return (uint8_t)bits;
}

egc_status egc_signs_append(const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    egc_status status = egc_buf_reserve(wire, egc_signs_bound(NULL, n), err);
    if (status)
        return status;
    uint8_t *next = wire->data + wire->len;
    for (size_t i = 0; i + 8 <= n; i += 8)
        *next++ = pack(x + i, 8);
    if (n % 8)
        *next++ = pack(x + n / 8 * 8, n % 8);
    wire->len = (size_t)(next - wire->data);
    return EGC_OK;
}

egc_status egc_signs_take(egc_reader *reader, size_t n, const uint8_t **out, egc_error *err)
{
    size_t bytes = egc_signs_bound(NULL, n);
    egc_status status = egc_reader_take(reader, bytes, out, err);
    if (!status && n % 8 && (*out)[bytes - 1] & 0xffu >> n % 8)
        return egc_fail(err, EGC_ERROR_FORMAT, "the padding after %zu signs is not zero", n);
    return status;
}

egc_status egc_signs_decode(const void *params, egc_reader *reader, float weight, float *out,
                            size_t n, egc_error *err)
{
    (void)params;
    const uint8_t *bits;
    egc_status status = egc_signs_take(reader, n, &bits, err);
    if (status)
        return status;
    const float value[] = {weight, -weight};
    for (size_t i = 0; i < n; i++)
        out[i] += value[bits[i / 8] >> (7 - i % 8) & 1];
    return EGC_OK;
}
