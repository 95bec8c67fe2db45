/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The 16-bit floating-point formats binary16 and bfloat16, bit-equal on every CPU. */
#ifndef EGC_BASE_NUMBER_HALF_H
#define EGC_BASE_NUMBER_HALF_H

#include <stdint.h>

/* Converts to IEEE binary16, to nearest, ties to even. Values above 65504 and Inf become 65504 with
 * their sign: an Inf would destroy the model, while the error of saturation stays in the residual.
 */
uint16_t egc_half_fp16_from_float(float value);
float egc_half_fp16_to_float(uint16_t half);

/* The same for bfloat16, the upper half of binary32. */
uint16_t egc_half_bf16_from_float(float value);
float egc_half_bf16_to_float(uint16_t half);

#endif
