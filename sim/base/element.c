/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/element.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/half.h"

enum { FP16_INFINITY = 0x7c00, BF16_INFINITY = 0x7f80 };

size_t egc_element_bytes(egc_element element)
{
    static const size_t bytes[] = {0, 4, 2, 2};
    return bytes[element];
}

static float float_at(egc_element element, const void *elements, size_t i)
{
    uint16_t half;
    float value;
    if (element == EGC_ELEMENT_FP32) {
        memcpy(&value, (const char *)elements + i * sizeof value, sizeof value);
        return value;
    }
    memcpy(&half, (const char *)elements + i * sizeof half, sizeof half);
    return element == EGC_ELEMENT_FP16 ? egc_fp16_to_float(half) : egc_bf16_to_float(half);
}

static void put(egc_element element, float value, void *elements, size_t i)
{
    if (element == EGC_ELEMENT_FP32) {
        memcpy((char *)elements + i * sizeof value, &value, sizeof value);
        return;
    }
    uint16_t half =
        element == EGC_ELEMENT_FP16 ? egc_fp16_from_float(value) : egc_bf16_from_float(value);
    memcpy((char *)elements + i * sizeof half, &half, sizeof half);
}

/* The sum of two halves, in the arithmetic of the format: too large is Inf, not the saturation of
 * egc_fp16_from_float. The float sum of two binary16 or bfloat16 numbers rounds as if exact, since
 * float has more than twice their digits. */
static uint16_t half_sum(egc_element element, float sum)
{
    bool fp16 = element == EGC_ELEMENT_FP16;
    uint16_t half = fp16 ? egc_fp16_from_float(sum) : egc_bf16_from_float(sum);
    float beyond = fp16 ? 65520 : 0x1.ffp127f; /* halfway from the largest to what is too large */
    if (isfinite(sum) && fabsf(sum) < beyond)
        return half;
    return isnan(sum) ? half : (uint16_t)((half & 0x8000) | (fp16 ? FP16_INFINITY : BF16_INFINITY));
}

void egc_element_add(egc_element element, void *sum, const void *addend, size_t n)
{
    assert(element != EGC_ELEMENT_NONE);
    for (size_t i = 0; i < n; i++) {
        float both = float_at(element, sum, i) + float_at(element, addend, i);
        if (element == EGC_ELEMENT_FP32) {
            put(element, both, sum, i);
        } else {
            uint16_t half = half_sum(element, both);
            memcpy((char *)sum + i * sizeof half, &half, sizeof half);
        }
    }
}

void egc_element_to_float(egc_element element, const void *in, float *out, size_t n)
{
    assert(element != EGC_ELEMENT_NONE);
    for (size_t i = 0; i < n; i++)
        out[i] = float_at(element, in, i);
}

void egc_element_from_float(egc_element element, const float *in, void *out, size_t n)
{
    assert(element != EGC_ELEMENT_NONE);
    for (size_t i = 0; i < n; i++)
        put(element, in[i], out, i);
}
