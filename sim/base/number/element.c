/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over elements through memcpy, which compiles to unaligned loads and vectorises. A 16-bit
 * element is added in float, whose 24 digits make the rounded sum exact for both formats. */
#include "base/number/element.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/number/half.h"

enum { FP16_INFINITY = 0x7c00, BF16_INFINITY = 0x7f80, BLOCK = 16 /* floats */ };

size_t egc_element_bytes(egc_element element)
{
    static const size_t bytes[] = {0, 4, 2, 2};
    return bytes[element];
}

/* ---- binary16 and bfloat16 ------------------------------------------------------------------- */

static float half_to_float(bool fp16, uint16_t half)
{
    return fp16 ? egc_half_fp16_to_float(half) : egc_half_bf16_to_float(half);
}

static uint16_t half_from_float(bool fp16, float value)
{
    return fp16 ? egc_half_fp16_from_float(value) : egc_half_bf16_from_float(value);
}

/* The sum of two halves in the arithmetic of the format: a sum that is too large is Inf, while
 * egc_half_fp16_from_float saturates. The float sum of two binary16 or bfloat16 numbers rounds as
 * if it were exact, since float has more than twice their digits. */
static uint16_t half_sum(bool fp16, uint16_t a, uint16_t b)
{
    float sum = half_to_float(fp16, a) + half_to_float(fp16, b);
    uint16_t half = half_from_float(fp16, sum);
    float beyond =
        fp16 ? 65520 : 0x1.ffp127f; /* halfway from the largest number to the next power of two */
    if (fabsf(sum) < beyond || isnan(sum))
        return half;
    return (uint16_t)((half & 0x8000) | (fp16 ? FP16_INFINITY : BF16_INFINITY));
}

static inline void add_halves(bool fp16, char *sum, const char *addend, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t a, b;
        memcpy(&a, sum + i * sizeof a, sizeof a);
        memcpy(&b, addend + i * sizeof b, sizeof b);
        a = half_sum(fp16, a, b);
        memcpy(sum + i * sizeof a, &a, sizeof a);
    }
}

static inline void halves_to_floats(bool fp16, const char *in, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t half;
        memcpy(&half, in + i * sizeof half, sizeof half);
        out[i] = half_to_float(fp16, half);
    }
}

static inline void halves_from_floats(bool fp16, const float *in, char *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t half = half_from_float(fp16, in[i]);
        memcpy(out + i * sizeof half, &half, sizeof half);
    }
}

/* ---- binary32 -------------------------------------------------------------------------------- */

/* The length is fixed and the data copied, which costs nothing, so that compilers vectorise the
 * loop for any alignment. */
static inline void add_block(char *sum, const char *addend)
{
    float a[BLOCK], b[BLOCK];
    memcpy(a, sum, sizeof a);
    memcpy(b, addend, sizeof b);
    for (size_t i = 0; i < BLOCK; i++)
        a[i] += b[i];
    memcpy(sum, a, sizeof a);
}

static void add_floats(char *sum, const char *addend, size_t n)
{
    for (; n >= BLOCK; n -= BLOCK) {
        add_block(sum, addend);
        sum += BLOCK * sizeof(float);
        addend += BLOCK * sizeof(float);
    }
    for (size_t i = 0; i < n; i++) {
        float a, b;
        memcpy(&a, sum + i * sizeof a, sizeof a);
        memcpy(&b, addend + i * sizeof b, sizeof b);
        a += b;
        memcpy(sum + i * sizeof a, &a, sizeof a);
    }
}

/* ---- any ------------------------------------------------------------------------------------- */

void egc_element_add(egc_element element, void *sum, const void *addend, size_t n)
{
    assert(element != EGC_ELEMENT_NONE);
    if (element == EGC_ELEMENT_FP32)
        add_floats(sum, addend, n);
    else if (element == EGC_ELEMENT_FP16)
        add_halves(true, sum, addend, n);
    else
        add_halves(false, sum, addend, n);
}

void egc_element_to_float(egc_element element, const void *in, float *out, size_t n)
{
    assert(element != EGC_ELEMENT_NONE);
    if (element == EGC_ELEMENT_FP32 && n)
        memcpy(out, in, n * sizeof *out);
    else if (element == EGC_ELEMENT_FP16)
        halves_to_floats(true, in, out, n);
    else
        halves_to_floats(false, in, out, n);
}

void egc_element_from_float(egc_element element, const float *in, void *out, size_t n)
{
    assert(element != EGC_ELEMENT_NONE);
    if (element == EGC_ELEMENT_FP32 && n)
        memcpy(out, in, n * sizeof *in);
    else if (element == EGC_ELEMENT_FP16)
        halves_from_floats(true, in, out, n);
    else
        halves_from_floats(false, in, out, n);
}
