/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source of every kernel. A variant's file defines
 *     VARIANT       the name of the egc_kernels table to define
 *     VARIANT_NAME  its name for users
 * and includes this file; the build gives the file its instruction-set flags. The loops are
 * written so that compilers vectorise them: LANES independent partial results, no early exits. */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

enum { LANES = 16 };

/* Halves the number of partial sums until one is left: the same tree on every machine. */
static double fold(double sum[LANES])
{
    for (int width = LANES / 2; width; width /= 2)
        for (int j = 0; j < width; j++)
            sum[j] += sum[j + width];
    return sum[0];
}

/* Runs BODY(i, j) for every i < n, j being the lane of i. */
#define FOR_EACH_LANE(n, BODY)                                                                     \
    do {                                                                                           \
        size_t whole_ = (n) / LANES * LANES;                                                       \
        for (size_t i_ = 0; i_ < whole_; i_ += LANES)                                              \
            for (size_t j_ = 0; j_ < LANES; j_++)                                                  \
                BODY(i_ + j_, j_);                                                                 \
        for (size_t i_ = whole_; i_ < (n); i_++)                                                   \
            BODY(i_, i_ - whole_);                                                                 \
    } while (0)

static double norm2(const float *x, size_t n)
{
    double sum[LANES] = {0};
#define BODY(i, j) sum[j] += (double)x[i] * (double)x[i]
    FOR_EACH_LANE(n, BODY);
#undef BODY
    return fold(sum);
}

static double dot(const float *x, const float *y, size_t n)
{
    double sum[LANES] = {0};
#define BODY(i, j) sum[j] += (double)x[i] * (double)y[i]
    FOR_EACH_LANE(n, BODY);
#undef BODY
    return fold(sum);
}

static float fold_max(const float max[LANES])
{
    float result = 0;
    for (int j = 0; j < LANES; j++)
        result = max[j] > result ? max[j] : result;
    return result;
}

#define KEEP_MAX(max, value) (max) = fabsf(value) > (max) ? fabsf(value) : (max)

static float max_abs(const float *x, size_t n)
{
    float max[LANES] = {0};
#define BODY(i, j) KEEP_MAX(max[j], x[i])
    FOR_EACH_LANE(n, BODY);
#undef BODY
    return fold_max(max);
}

static void axpy(float a, const float *x, float *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static egc_norms momentum(float m, float s, const float *restrict g, float *restrict u,
                          float *restrict v, size_t n)
{
    double sum[LANES] = {0};
    float max[LANES] = {0};
#define BODY(i, j)                                                                                 \
    do {                                                                                           \
        u[i] = m * u[i] + s * g[i];                                                                \
        v[i] += u[i];                                                                              \
        sum[j] += (double)v[i] * (double)v[i];                                                     \
        KEEP_MAX(max[j], v[i]);                                                                    \
    } while (0)
    FOR_EACH_LANE(n, BODY);
#undef BODY
    return (egc_norms){fold(sum), fold_max(max)};
}

static egc_norms nesterov(float m, float s, const float *restrict g, float *restrict u,
                          float *restrict v, size_t n)
{
    double sum[LANES] = {0};
    float max[LANES] = {0};
#define BODY(i, j)                                                                                 \
    do {                                                                                           \
        u[i] = m * (u[i] + s * g[i]);                                                              \
        v[i] += u[i] + s * g[i];                                                                   \
        sum[j] += (double)v[i] * (double)v[i];                                                     \
        KEEP_MAX(max[j], v[i]);                                                                    \
    } while (0)
    FOR_EACH_LANE(n, BODY);
#undef BODY
    return (egc_norms){fold(sum), fold_max(max)};
}

static egc_norms residual(float s, const float *restrict g, float *restrict v, size_t n)
{
    double sum[LANES] = {0};
    float max[LANES] = {0};
#define BODY(i, j)                                                                                 \
    do {                                                                                           \
        v[i] += s * g[i];                                                                          \
        sum[j] += (double)v[i] * (double)v[i];                                                     \
        KEEP_MAX(max[j], v[i]);                                                                    \
    } while (0)
    FOR_EACH_LANE(n, BODY);
#undef BODY
    return (egc_norms){fold(sum), fold_max(max)};
}

/* The bins of n values. Clamping before converting keeps every conversion in range, which lets
 * compilers vectorise it. */
static void bins_of(const float *x, size_t n, double lo, double width, double last, int32_t *bin)
{
    for (size_t i = 0; i < n; i++) {
        double position = ((double)fabsf(x[i]) - lo) / width;
        bin[i] = (int32_t)(position < last ? position : last);
    }
}

static size_t count_zeros(const float *x, size_t n)
{
    uint32_t zeros = 0; /* in one block */
    for (size_t i = 0; i < n; i++)
        zeros += x[i] == 0;
    return zeros;
}

/* Bins are worked out a block ahead of counting, because only the former vectorises. Four
 * histograms side by side: neighbours often share a bin, and an increment that waits for the one
 * before it would set the pace. */
static size_t histogram(const float *x, size_t n, double lo, double width, uint32_t bins,
                        uint32_t *counts)
{
    enum { BLOCK = 256 };
    int32_t bin[BLOCK];
    size_t zeros = 0;
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t len = n - start < BLOCK ? n - start : BLOCK;
        bins_of(x + start, len, lo, width, bins - 1, bin);
        zeros += count_zeros(x + start, len);
        size_t i = 0;
        for (; i + 4 <= len; i += 4) {
            counts[(uint32_t)bin[i]]++;
            counts[bins + (uint32_t)bin[i + 1]]++;
            counts[2 * bins + (uint32_t)bin[i + 2]]++;
            counts[3 * bins + (uint32_t)bin[i + 3]]++;
        }
        for (; i < len; i++)
            counts[(uint32_t)bin[i]]++;
    }
    for (uint32_t b = 0; b < bins; b++)
        counts[b] += counts[bins + b] + counts[2 * bins + b] + counts[3 * bins + b];
    return zeros;
}

/* Selections are sparse: a block's flags are looked through eight at a time, and most words are 0.
 * The lowest index is the lowest byte: little-endian, checked below. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read from the low byte up");

static size_t select_at_least(const float *x, size_t n, float threshold, uint32_t *index)
{
    enum { BLOCK = 256, WORD = sizeof(uint64_t) };
    uint8_t passes[BLOCK];
    size_t count = 0;
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t len = n - start < BLOCK ? n - start : BLOCK;
        for (size_t i = 0; i < len; i++)
            passes[i] = fabsf(x[start + i]) >= threshold;
        for (size_t i = len; i % WORD; i++)
            passes[i] = 0;
        for (size_t i = 0; i < len; i += WORD) {
            uint64_t word;
            for (memcpy(&word, passes + i, WORD); word; word &= word - 1)
                index[count++] = (uint32_t)(start + i) + (uint32_t)__builtin_ctzll(word) / 8;
        }
    }
    return count;
}

const egc_kernels VARIANT = {
    .name = VARIANT_NAME,
    .norm2 = norm2,
    .dot = dot,
    .max_abs = max_abs,
    .axpy = axpy,
    .momentum = momentum,
    .nesterov = nesterov,
    .residual = residual,
    .histogram = histogram,
    .select = select_at_least,
};
