/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elias delta code of the gaps (Elias 1975), of x = gap + 1 because it starts at 1. No parameter
 * and within a few bits of log2 for every gap, so it suits supports whose density varies; dithering
 * in BytePS uses it. codec/index/elias.h has the code.
 *
 * Known answer, by hand: indices 2, 3, 10 have gaps 2 0 6, coded 3 1 7: 0101 1 01111. */
#define CODE(verb) egc_elias_delta_##verb
#include "codec/index/elias_gaps.h"

const egc_index_codec egc_index_codec_elias_delta = {
    .name = "elias_delta",
    .summary = "Elias delta code of the gaps",
    .size = "sum over gaps of L + 2 floor(log2(L + 1)) + 1, L = floor(log2(gap + 1))",
    .reference = "Elias 1975",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
