/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in two bits, rounded at random to 0 or to the largest magnitude of their bucket, with the
 * sign: see codec/value/stochastic.h. TernGrad's code, by bucket and without its clipping. */
#define B 2
#include "codec/value/stochastic_values.h"

const egc_value_codec egc_value_codec_q2 = {
    .name = "q2",
    .summary = "zero or plus or minus the largest of the bucket, at random, unbiased",
    .size = "32 ceil(k / 512) + 2 k",
    .reference = "after QSGD (Alistarh et al. 2017, arXiv 1610.02132)",
    .stochastic = true,
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
