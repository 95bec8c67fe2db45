/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in half precision; the rounding error stays in the residual. */
#define BITS 16
#define FROM_FLOAT(x) egc_half_fp16_from_float(x)
#define TO_FLOAT(bits) egc_half_fp16_to_float((uint16_t)(bits))
#include "codec/value/float_values.h"

const egc_value_codec egc_value_codec_fp16 = {
    .name = "fp16",
    .summary = "IEEE 754 half precision, nearest even, saturating at 65504",
    .size = "16 k",
    .reference = "IEEE 754-2008",
    .element = EGC_ELEMENT_FP16,
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
