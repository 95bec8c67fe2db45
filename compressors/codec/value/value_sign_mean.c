/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sign times mean, two-sided: positive values become the mean of the positive ones, the others
 * minus the mean magnitude of the others. One bit per value, after the two means as bfloat16,
 * whose rounding stays in the residual like every other error of this codec. Dryden et al. 2016
 * send two means for the two sides of an adaptive threshold; here the selection is any
 * sparsifier's.
 *
 * Known answer, by hand: values 1, 3, -2, -6 have means 2 and 4: 0x4000 0x4080 and bits 0011. */
#include <math.h>

#include "base/number/half.h"
#include "codec/codec.h"
#include "codec/signs.h"

enum { MEAN_BITS = 16 };

static uint64_t size_bits(size_t count)
{
    return count ? 2 * MEAN_BITS + (uint64_t)count : 0;
}

static uint16_t mean_of_side(const float *value, size_t count, int negative)
{
    double sum = 0;
    size_t members = 0;
    for (size_t i = 0; i < count; i++)
        if ((value[i] < 0) == negative) {
            sum += fabs((double)value[i]);
            members++;
        }
    return egc_half_bf16_from_float(members ? (float)(sum / (double)members) : 0);
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, const float *value,
                  size_t count)
{
    (void)context;
    for (int negative = 0; negative < 2; negative++)
        egc_bits_put(bits, mean_of_side(value, count, negative), MEAN_BITS);
    egc_signs_put(bits, value, count);
}

static egc_status read(egc_bits_reader *bits, float *value, size_t count, egc_error *err)
{
    float side[2];
    for (int negative = 0; negative < 2; negative++) {
        side[negative] = egc_half_bf16_to_float((uint16_t)egc_bits_get(bits, MEAN_BITS));
        if (!isfinite(side[negative]) || side[negative] < 0)
            return egc_fail(err, EGC_ERROR_FORMAT, "mean magnitude %g is not a finite number >= 0",
                            side[negative]);
    }
    return egc_signs_read(bits, side[0], -side[1], value, count, err);
}

const egc_value_codec egc_value_codec_sign_mean = {
    .name = "sign_mean",
    .summary = "a sign each, and the mean magnitude of either sign",
    .size = "32 + k",
    .reference = "after Dryden et al. 2016",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
