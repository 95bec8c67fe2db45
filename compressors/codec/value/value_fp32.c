/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in single precision, unchanged: the default. */
#define BITS 32
#define FROM_FLOAT(x) egc_bits_of_float(x)
#define TO_FLOAT(bits) egc_bits_to_float(bits)
#include "codec/value/float_values.h"

const egc_value_codec egc_value_codec_fp32 = {
    .name = "fp32",
    .summary = "IEEE 754 single precision, exact",
    .size = "32 k",
    .reference = "IEEE 754",
    .element = EGC_ELEMENT_FP32,
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
