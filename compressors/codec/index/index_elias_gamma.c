/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elias gamma code of the gaps (Elias 1975), of x = gap + 1 because it starts at 1. It suits short
 * gaps, dense selections; codec/index/elias.h has the code.
 *
 * Known answer, by hand: indices 2, 3, 10 have gaps 2 0 6, coded 3 1 7: 011 1 00111. */
#define CODE(verb) egc_elias_gamma_##verb
#include "codec/index/elias_gaps.h"

const egc_index_codec egc_index_codec_elias_gamma = {
    .name = "elias_gamma",
    .summary = "Elias gamma code of the gaps",
    .size = "sum over gaps of 2 floor(log2(gap + 1)) + 1",
    .reference = "Elias 1975",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
