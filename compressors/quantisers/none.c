/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No compression: n raw floats without a header, so that an exchange can sum messages. The dense
 * baseline. */
#define ELEMENT EGC_ELEMENT_FP32
#include "compressors/quantisers/element_coder.h"

const egc_compressor_type egc_compressor_none = {
    .name = "none",
    .summary = "no compression: every element as fp32",
    .size = "4 n bytes",
    .formula = "C(x) = x",
    .reference = "the dense baseline",
    .traits = EGC_TRAIT_EXACT | EGC_TRAIT_LINEAR | EGC_TRAIT_UNBIASED,
    .settings = "memory=none",
    .element = ELEMENT,
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
