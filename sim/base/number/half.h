/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sixteen-bit floating point by bit arithmetic, the same on every CPU. */
#ifndef EGC_BASE_NUMBER_HALF_H
#define EGC_BASE_NUMBER_HALF_H

#include <stdint.h>

/* To IEEE binary16, nearest even. Finite values above 65504 become 65504 of their sign: an Inf
 * would destroy the model, while the error of saturation stays in the residual. */
uint16_t egc_half_fp16_from_float(float value);
float egc_half_fp16_to_float(uint16_t half);

/* To bfloat16 (the upper half of binary32), nearest even, saturating likewise. */
uint16_t egc_half_bf16_from_float(float value);
float egc_half_bf16_to_float(uint16_t half);

#endif
