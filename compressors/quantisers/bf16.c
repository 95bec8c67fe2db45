/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bfloat16: the upper half of each binary32, rounded to nearest even. It keeps the range of fp32
 * and 8 significant bits; only what would round beyond the largest finite number saturates.
 *
 * Known answer: 1 is 0x3f80, -2 is 0xc000. */
#include "compressors/quantisers/half_coder.h"

static size_t bound(const void *params, size_t n)
{
    (void)params;
    return n * egc_element_bytes(EGC_ELEMENT_BF16);
}

static egc_status encode(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)params, (void)state, (void)context;
    return egc_half_encode(EGC_ELEMENT_BF16, x, n, wire, err);
}

static egc_status decode(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err)
{
    (void)params;
    return egc_half_decode(EGC_ELEMENT_BF16, reader, weight, out, n, err);
}

const egc_compressor_type egc_compressor_bf16 = {
    .name = "bf16",
    .summary = "every element as bfloat16: the range of fp32, 8 significant bits; summed likewise",
    .size = "2 n bytes",
    .formula = "C(x)_i = x_i rounded to bfloat16",
    .reference = "Wang and Kanwar 2019, \"BFloat16: The secret to high performance on Cloud TPUs\"",
    .traits = EGC_TRAIT_LINEAR,
    .settings = "memory=none",
    .cost = {.bytes_per_element = 6, .kernels = 1},
    .element = EGC_ELEMENT_BF16,
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
