/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Raw indices: each as a number of ceil(log2 n) bits. The width follows n, never the value type,
 * and is exact for every n up to 2^32. */
#define WIDTH(n) egc_bits_width((uint32_t)((n)-1))
#include "codec/value/fixed_width.h"

const egc_index_codec egc_index_codec_raw = {
    .name = "raw",
    .summary = "every index as a number just wide enough for n",
    .size = "k * ceil(log2 n)",
    .reference = "the baseline of DeepReduce (Kostopoulou et al. 2021)",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
