/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indices as 32-bit integers, the way most published code sends them. It never beats `raw`; it is
 * here so that ratios quoted against it can be reproduced. */
#define WIDTH(n) 32
#include "codec/value/fixed_width.h"

const egc_index_codec egc_index_codec_raw32 = {
    .name = "raw32",
    .summary = "every index as a 32-bit integer, as most published code does",
    .size = "32 k",
    .reference = "GRACE (Xu et al. 2021) and others",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
