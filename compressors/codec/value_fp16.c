/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in half precision; the rounding error stays in the residual. */
#define FROM_FLOAT egc_half_fp16_from_float
#define TO_FLOAT egc_half_fp16_to_float
#include "codec/half_values.h"

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
