/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One mean for all and nothing else, for selections of one sign: the quantised form of RedSync
 * (Fang et al. 2019, arXiv 1808.04357), which sends only the largest or only the smallest values,
 * taking turns. Values of both signs lose theirs. The mean is fp32 and lies between the least and
 * the largest value, so that equal values come back bit for bit.
 *
 * Known answer, by hand: values -1, -2, -6 have the mean -3: 0xc0400000. */
#include <math.h>
#include <string.h>

#include "codec/codec.h"

enum { MEAN_BITS = 32 };

static uint64_t size_bits(size_t count)
{
    return count ? MEAN_BITS : 0;
}

static float mean_value(const float *value, size_t count)
{
    float least = INFINITY, most = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)value[i];
        least = value[i] < least ? value[i] : least;
        most = value[i] > most ? value[i] : most;
    }
    float mean = (float)(sum / (double)count);
    return mean < least ? least : mean > most ? most : mean;
}

static egc_status write(egc_bits_writer *bits, const egc_codec_context *coding, const float *value,
                        size_t count, egc_error *err)
{
    (void)coding;
    float mean = mean_value(value, count);
    uint32_t word;
    memcpy(&word, &mean, sizeof word);
    return egc_bits_write(bits, word, MEAN_BITS, err);
}

static egc_status read(egc_bits_reader *bits, float *value, size_t count, egc_error *err)
{
    uint32_t word;
    egc_status status = egc_bits_read(bits, MEAN_BITS, &word, err);
    if (status)
        return status;
    float mean;
    memcpy(&mean, &word, sizeof mean);
    if (!isfinite(mean))
        return egc_fail(err, EGC_ERROR_FORMAT, "mean %g is not finite", mean);
    for (size_t i = 0; i < count; i++)
        value[i] = mean;
    return EGC_OK;
}

const egc_value_codec egc_value_codec_mean = {
    .name = "mean",
    .summary = "one mean for all, for selections of one sign",
    .size = "32",
    .reference = "RedSync (Fang et al. 2019, arXiv 1808.04357)",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
