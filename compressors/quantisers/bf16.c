/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bfloat16: the upper half of each binary32, rounded to nearest even. It keeps the range of fp32
 * and 8 significant bits; only numbers that would round beyond the largest finite one saturate.
 *
 * Known answer: 1 is 0x3f80, -2 is 0xc000. */
#define ELEMENT EGC_ELEMENT_BF16
#include "compressors/quantisers/element_coder.h"

const egc_compressor_type egc_compressor_bf16 = {
    .name = "bf16",
    .summary = "every element as bfloat16: the range of fp32, 8 significant bits; summed likewise",
    .size = "2 n bytes",
    .formula = "C(x)_i = x_i rounded to bfloat16",
    .reference = "Wang and Kanwar 2019, \"BFloat16: The secret to high performance on Cloud TPUs\"",
    .traits = EGC_TRAIT_LINEAR,
    .settings = "memory=none",
    .cost = {.bytes_per_element = 6, .kernels = 1},
    .element = ELEMENT,
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
