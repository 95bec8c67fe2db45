/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in eight bits, 127 levels of either sign, rounded at random: see codec/value/stochastic.h.
 */
#define B 8
#include "codec/value/stochastic_values.h"

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
