/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source of every kernel. A variant's file defines
 *     VARIANT       the name of the egc_kernels table to define
 *     VARIANT_NAME  its name for users
 * and includes this file; the build gives the file its instruction-set flags. The loops are
 * written so that compilers vectorise them: LANES independent partial results, no early exits. */
#include <math.h>

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

static float max_abs(const float *x, size_t n)
{
    float max[LANES] = {0};
#define BODY(i, j) max[j] = fabsf(x[i]) > max[j] ? fabsf(x[i]) : max[j]
    FOR_EACH_LANE(n, BODY);
#undef BODY
    float result = 0;
    for (int j = 0; j < LANES; j++)
        result = max[j] > result ? max[j] : result;
    return result;
}

static void axpy(float a, const float *x, float *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static double momentum(float m, float s, const float *restrict g, float *restrict u,
                       float *restrict v, size_t n)
{
    double sum[LANES] = {0};
#define BODY(i, j)                                                                                 \
    do {                                                                                           \
        u[i] = m * u[i] + s * g[i];                                                                \
        v[i] += u[i];                                                                              \
        sum[j] += (double)v[i] * (double)v[i];                                                     \
    } while (0)
    FOR_EACH_LANE(n, BODY);
#undef BODY
    return fold(sum);
}

static double nesterov(float m, float s, const float *restrict g, float *restrict u,
                       float *restrict v, size_t n)
{
    double sum[LANES] = {0};
#define BODY(i, j)                                                                                 \
    do {                                                                                           \
        u[i] = m * (u[i] + s * g[i]);                                                              \
        v[i] += u[i] + s * g[i];                                                                   \
        sum[j] += (double)v[i] * (double)v[i];                                                     \
    } while (0)
    FOR_EACH_LANE(n, BODY);
#undef BODY
    return fold(sum);
}

static double residual(float s, const float *restrict g, float *restrict v, size_t n)
{
    double sum[LANES] = {0};
#define BODY(i, j)                                                                                 \
    do {                                                                                           \
        v[i] += s * g[i];                                                                          \
        sum[j] += (double)v[i] * (double)v[i];                                                     \
    } while (0)
    FOR_EACH_LANE(n, BODY);
#undef BODY
    return fold(sum);
}

/* Four histograms side by side: neighbours often share a bin, and an increment that waits for the
 * one before it would set the pace. */
static size_t histogram(const float *x, size_t n, double lo, double width, uint32_t bins,
                        uint32_t *counts)
{
    int32_t last = (int32_t)bins - 1;
    size_t zeros = 0;
    for (size_t start = 0; start < n; start += LANES) {
        size_t len = n - start < LANES ? n - start : LANES;
        float block[LANES] = {0};
        int32_t bin[LANES];
        for (size_t j = 0; j < len; j++)
            block[j] = x[start + j];
        for (size_t j = 0; j < LANES; j++) {
            double position = ((double)fabsf(block[j]) - lo) / width;
            bin[j] = position < last ? (int32_t)position : last;
        }
        for (size_t j = 0; j < len; j++) {
            zeros += block[j] == 0;
            counts[j % 4 * bins + (uint32_t)bin[j]]++;
        }
    }
    for (uint32_t b = 0; b < bins; b++)
        counts[b] += counts[bins + b] + counts[2 * bins + b] + counts[3 * bins + b];
    return zeros;
}

/* Selections are sparse: a block is looked into only when something in it passes. */
static size_t select_at_least(const float *x, size_t n, float threshold, uint32_t *index)
{
    size_t count = 0;
    for (size_t start = 0; start < n; start += LANES) {
        size_t len = n - start < LANES ? n - start : LANES;
        int any = 0;
        if (len == LANES)
            for (size_t j = 0; j < LANES; j++)
                any |= fabsf(x[start + j]) >= threshold;
        if (len == LANES && !any)
            continue;
        for (size_t j = 0; j < len; j++)
            if (fabsf(x[start + j]) >= threshold)
                index[count++] = (uint32_t)(start + j);
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
