/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means and squared deviations in 16 interleaved partial sums, folded by one tree, so that every
 * machine and every vector width gets the same bits. */
#include "compressors/sparsifiers/moments.h"

#include <math.h>

enum { LANES = 16 };

/* Halves the number of partial sums until one is left: the same tree on every machine. */
static double fold(double sum[LANES])
{
    for (int width = LANES / 2; width; width /= 2)
        for (int j = 0; j < width; j++)
            sum[j] += sum[j + width];
    return sum[0];
}

/* Defines a function that sums TERM, which depends on i. */
#define DEFINE_SUM(name, TERM)                                                                     \
    static double name(const float *x, size_t n, double mean)                                      \
    {                                                                                              \
        (void)mean;                                                                                \
        double sum[LANES] = {0};                                                                   \
        size_t whole = n / LANES * LANES;                                                          \
        for (size_t start = 0; start < whole; start += LANES)                                      \
            for (size_t j = 0; j < LANES; j++) {                                                   \
                double value = (double)x[start + j];                                               \
                sum[j] += TERM;                                                                    \
            }                                                                                      \
        for (size_t j = 0; j < n - whole; j++) {                                                   \
            double value = (double)x[whole + j];                                                   \
            sum[j] += TERM;                                                                        \
        }                                                                                          \
        return fold(sum);                                                                          \
    }

DEFINE_SUM(sum_of, value)
DEFINE_SUM(sum_abs, fabs(value))
DEFINE_SUM(sum_deviation2, (value - mean) * (value - mean))
DEFINE_SUM(sum_deviation2_abs, (fabs(value) - mean) * (fabs(value) - mean))

double egc_moments_mean(const float *x, size_t n)
{
    return sum_of(x, n, 0) / (double)n;
}

double egc_moments_mean_abs(const float *x, size_t n)
{
    return sum_abs(x, n, 0) / (double)n;
}

double egc_moments_deviation2(const float *x, size_t n, double mean)
{
    return sum_deviation2(x, n, mean);
}

double egc_moments_deviation2_abs(const float *x, size_t n, double mean)
{
    return sum_deviation2_abs(x, n, mean);
}
