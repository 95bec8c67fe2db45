/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as bfloat16: the range of single precision with 8 significand bits. The rounding error, at
 * most 2^-9 of a value, stays in the residual.
 *
 * Known answer, by hand: 1 is 0x3f80, -2 is 0xc000; 1 + 2^-8 is a tie and goes to 0x3f80. */
#define BITS 16
#define FROM_FLOAT(x) egc_half_bf16_from_float(x)
#define TO_FLOAT(bits) egc_half_bf16_to_float((uint16_t)(bits))
#include "codec/value/float_values.h"

const egc_value_codec egc_value_codec_bf16 = {
    .name = "bf16",
    .summary = "bfloat16, nearest even, saturating",
    .size = "16 k",
    .reference = "the upper half of IEEE 754 single precision",
    .element = EGC_ELEMENT_BF16,
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
