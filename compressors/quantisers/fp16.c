/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Half precision: every element rounded to IEEE binary16, nearest even. The sum of two messages is
 * taken in the same format, as all-reduce in 16 bits does.
 *
 * The range is the weak point: what lies above 65504 is sent as 65504 and what lies below 2^-25 as
 * 0, and a sum of many workers can overflow although no addend did. The first is part of the
 * measured error; a sum that has become Inf is refused by decode.
 *
 * Known answer: 1 is 0x3c00, -2 is 0xc000. */
#include "compressors/quantisers/half_coder.h"

static size_t bound(const void *params, size_t n)
{
    (void)params;
    return n * egc_element_bytes(EGC_ELEMENT_FP16);
}

static egc_status encode(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)params, (void)state, (void)context;
    return egc_half_encode(EGC_ELEMENT_FP16, x, n, wire, err);
}

static egc_status decode(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err)
{
    (void)params;
    return egc_half_decode(EGC_ELEMENT_FP16, reader, weight, out, n, err);
}

const egc_compressor_type egc_compressor_fp16 = {
    .name = "fp16",
    .summary = "every element in half precision, saturating at 65504; summed in half precision",
    .size = "2 n bytes",
    .formula = "C(x)_i = x_i rounded to binary16, |C(x)_i| <= 65504",
    .reference = "IEEE 754-2008",
    .traits = EGC_TRAIT_LINEAR,
    .settings = "memory=none",
    .cost = {.bytes_per_element = 6, .kernels = 1},
    .element = EGC_ELEMENT_FP16,
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
