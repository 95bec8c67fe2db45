/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One mean as fp32, the head of messages that replace values by it. */
#ifndef EGC_CODEC_VALUE_MEAN_H
#define EGC_CODEC_VALUE_MEAN_H

#include <math.h>

#include "codec/codec.h"

enum { EGC_MEAN_BITS = 32 };

/* Writes the mean of count >= 1 values, or of their magnitudes, rounded to fp32. It lies between
 * the smallest and the largest of them, so that equal values are decoded bit for bit. */
static inline void egc_mean_put(egc_bits_writer *bits, const float *value, size_t count,
                                bool magnitudes)
{
    float least = INFINITY, most = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        float x = magnitudes ? fabsf(value[i]) : value[i];
        sum += (double)x;
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    float mean = (float)(sum / (double)count);
    mean = mean < least ? least : mean > most ? most : mean;
    egc_bits_put(bits, egc_bits_of_float(mean), EGC_MEAN_BITS);
}

/* Reads a float. FORMAT unless it is finite and, where `magnitude`, has no sign. */
EGC_MUST_CHECK static inline egc_status egc_mean_read(egc_bits_reader *bits, bool magnitude,
                                                      float *out, egc_error *err)
{
    *out = egc_bits_to_float(egc_bits_get(bits, EGC_MEAN_BITS));
    egc_status status = egc_bits_check(bits, err);
    if (!status && (!isfinite(*out) || (magnitude && signbit(*out))))
        return egc_fail(
            err, EGC_ERROR_FORMAT,
            magnitude ? "magnitude %g is not a finite number >= 0" : "mean %g is not finite", *out);
    return status;
}

#endif
