/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integer arithmetic on the bits of IEEE 754 numbers: the exponent is rebiased, the mantissa
 * shifted and rounded; the carry of a rounded mantissa increments the exponent. */
#include "base/number/half.h"

#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* value >> shift, rounded to nearest, ties to even, for value < 2^31: adds half of the divisor less
 * one, and one more if the quotient is odd. */
static uint32_t shift_round(uint32_t value, unsigned shift)
{
    return (value + (1u << (shift - 1)) - 1 + (value >> shift & 1)) >> shift;
}

uint16_t egc_half_fp16_from_float(float value)
{
    uint32_t bits = bits_of(value);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x477ff000) /* rounds to 65520 or more, NaN and Inf included */
        return (uint16_t)(sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7bff));
    if (magnitude >= 0x38800000) /* normal from 2^-14 on: rebias the exponent by 127 - 15 */
        return (uint16_t)(sign | shift_round(magnitude - 0x38000000, 13));
    unsigned shift = 126 - (magnitude >> 23); /* subnormal, in units of 2^-24 */
    if (shift > 25)
        return (uint16_t)sign;
    return (uint16_t)(sign | shift_round((magnitude & 0x7fffff) | 0x800000, shift));
}

float egc_half_fp16_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t mantissa = half & 0x3ff;
    if (exponent == 0x1f)
        return float_of(sign | 0x7f800000 | mantissa << 13);
    if (exponent == 0) {
        float magnitude = (float)mantissa * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t egc_half_bf16_from_float(float value)
{
    uint32_t bits = bits_of(value);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7fc0);
    uint32_t rounded = shift_round(magnitude, 16);
    return (uint16_t)(sign | (rounded >= 0x7f80 ? 0x7f7f : rounded));
}

float egc_half_bf16_to_float(uint16_t half)
{
    return float_of((uint32_t)half << 16);
}
