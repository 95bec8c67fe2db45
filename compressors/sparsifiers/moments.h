/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mean and variance of a vector, in double: the sparsifiers that fit a distribution to it need
 * them. Sums run over 16 interleaved partial sums, as in the kernels. The variance is taken about
 * the mean in a second pass, so that it is exactly 0 when all elements are equal. */
#ifndef EGC_COMPRESSORS_SPARSIFIERS_MOMENTS_H
#define EGC_COMPRESSORS_SPARSIFIERS_MOMENTS_H

#include <stddef.h>

/* Means of x[0..n), n >= 1. */
double egc_moments_mean(const float *x, size_t n);
double egc_moments_mean_abs(const float *x, size_t n);

/* The sum of (x_i - mean)^2, and of (|x_i| - mean)^2. */
double egc_moments_deviation2(const float *x, size_t n, double mean);
double egc_moments_deviation2_abs(const float *x, size_t n, double mean);

#endif
