/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One mean for all and nothing else, for selections of one sign: the quantised form of RedSync
 * (Fang et al. 2019, arXiv 1808.04357), which sends only the largest or only the smallest values,
 * taking turns. Values of both signs lose theirs. The mean is fp32 and lies between the least and
 * the largest value, so that equal values come back bit for bit.
 *
 * Known answer, by hand: values -1, -2, -6 have the mean -3: 0xc0400000. */
#include "codec/value/mean.h"

static uint64_t size_bits(size_t count)
{
    return count ? EGC_MEAN_BITS : 0;
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, const float *value,
                  size_t count)
{
    (void)context;
    egc_mean_put(bits, value, count, false);
}

static egc_status read(egc_bits_reader *bits, float *value, size_t count, egc_error *err)
{
    float mean;
    egc_status status = egc_mean_read(bits, false, &mean, err);
    for (size_t i = 0; i < count && !status; i++)
        value[i] = mean;
    return status;
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
