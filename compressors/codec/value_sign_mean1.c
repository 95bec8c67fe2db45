/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sign times mean, one-sided: every value becomes the mean magnitude of all, with its sign (the
 * scaled sign of Karimireddy et al. 2019, arXiv 1901.09847, of what was selected). The mean is
 * fp32, and lies between the least and the largest magnitude: k values of +-tau come back bit for
 * bit for every k, as methods that send one magnitude (Strom 2015) need.
 *
 * Known answer, by hand: values 1, 3, -2, -6 have the mean 3: 0x40400000 and bits 0011. */
#include <math.h>
#include <string.h>

#include "codec/codec.h"
#include "codec/signs.h"

enum { MEAN_BITS = 32 };

static uint64_t size_bits(size_t count)
{
    return count ? MEAN_BITS + (uint64_t)count : 0;
}

static float mean_magnitude(const float *value, size_t count)
{
    float least = INFINITY, most = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        float magnitude = fabsf(value[i]);
        sum += (double)magnitude;
        least = magnitude < least ? magnitude : least;
        most = magnitude > most ? magnitude : most;
    }
    float mean = (float)(sum / (double)count);
    return mean < least ? least : mean > most ? most : mean;
}

static egc_status write(egc_bits_writer *bits, const egc_codec_context *coding, const float *value,
                        size_t count, egc_error *err)
{
    (void)coding;
    float mean = mean_magnitude(value, count);
    uint32_t word;
    memcpy(&word, &mean, sizeof word);
    egc_status status = egc_bits_write(bits, word, MEAN_BITS, err);
    return status ? status : egc_signs_write(bits, value, count, err);
}

static egc_status read(egc_bits_reader *bits, float *value, size_t count, egc_error *err)
{
    uint32_t word;
    egc_status status = egc_bits_read(bits, MEAN_BITS, &word, err);
    if (status)
        return status;
    float mean;
    memcpy(&mean, &word, sizeof mean);
    if (!isfinite(mean) || signbit(mean))
        return egc_fail(err, EGC_ERROR_FORMAT, "mean magnitude %g is not a finite number >= 0",
                        mean);
    return egc_signs_read(bits, mean, -mean, value, count, err);
}

const egc_value_codec egc_value_codec_sign_mean1 = {
    .name = "sign_mean1",
    .summary = "a sign each, and one mean magnitude",
    .size = "32 + k",
    .reference = "Karimireddy et al. 2019, arXiv 1901.09847; Strom 2015",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
