/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sign times mean, one-sided: every value becomes the mean magnitude of all, with its sign (the
 * scaled sign of Karimireddy et al. 2019, arXiv 1901.09847, of a selection). The mean is
 * fp32, and lies between the least and the largest magnitude: k values of +-tau come back bit for
 * bit for every k, as methods that send one magnitude (Strom 2015) need.
 *
 * Known answer, by hand: values 1, 3, -2, -6 have the mean 3: 0x40400000 and bits 0011. */
#include "codec/signs.h"
#include "codec/value/mean.h"

static uint64_t size_bits(size_t count)
{
    return count ? EGC_MEAN_BITS + (uint64_t)count : 0;
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, const float *value,
                  size_t count)
{
    (void)context;
    egc_mean_put(bits, value, count, true);
    egc_signs_put(bits, value, count);
}

static egc_status read(egc_bits_reader *bits, float *value, size_t count, egc_error *err)
{
    float mean;
    egc_status status = egc_mean_read(bits, true, &mean, err);
    return status ? status : egc_signs_read(bits, mean, -mean, value, count, err);
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
