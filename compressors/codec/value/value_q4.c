/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in four bits, 7 levels of either sign, rounded at random: see codec/value/stochastic.h. */
#define B 4
#include "codec/value/stochastic_values.h"

const egc_value_codec egc_value_codec_q4 = {
    .name = "q4",
    .summary = "a sign and one of 7 levels, rounded at random, unbiased",
    .size = "32 ceil(k / 512) + 4 k",
    .reference = "after QSGD (Alistarh et al. 2017, arXiv 1610.02132)",
    .stochastic = true,
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
