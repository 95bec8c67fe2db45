/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Half precision: every element rounded to IEEE binary16, nearest even. The sum of two messages is
 * taken in the same format, as all-reduce in 16 bits does.
 *
 * The range is the weak point: magnitudes above 65504 are sent as 65504, those below 2^-25 as 0,
 * and a sum of many workers can overflow although no addend did. The first is part of the measured
 * error; a sum that has become Inf is refused by decode.
 *
 * Known answer: 1 is 0x3c00, -2 is 0xc000. */
#define ELEMENT EGC_ELEMENT_FP16
#include "compressors/quantisers/element_coder.h"

const egc_compressor_type egc_compressor_fp16 = {
    .name = "fp16",
    .summary = "every element in half precision, saturating at 65504; summed in half precision",
    .size = "2 n bytes",
    .formula = "C(x)_i = x_i rounded to binary16, |C(x)_i| <= 65504",
    .reference = "IEEE 754-2008",
    .traits = EGC_TRAIT_LINEAR,
    .settings = "memory=none",
    .cost = {.bytes_per_element = 6, .kernels = 1},
    .element = ELEMENT,
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
