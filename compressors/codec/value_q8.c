/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in eight bits, 127 levels of either sign, rounded at random: see codec/stochastic.h. */
#include "codec/stochastic.h"

enum { B = 8 };

static uint64_t size_bits(size_t count)
{
    return egc_stochastic_size_bits(B, count);
}

static egc_status write(egc_bit_writer *bits, const egc_coding *coding, const float *value,
                        size_t count, egc_error *err)
{
    return egc_stochastic_write(B, bits, coding, value, count, err);
}

static egc_status read(egc_bit_reader *bits, float *value, size_t count, egc_error *err)
{
    return egc_stochastic_read(B, bits, value, count, err);
}

const egc_value_codec egc_value_codec_q8 = {
    .name = "q8",
    .summary = "a sign and one of 127 levels, rounded at random, unbiased",
    .size = "32 ceil(k / 512) + 8 k",
    .reference = "after QSGD (Alistarh et al. 2017, arXiv 1610.02132)",
    .stochastic = true,
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
