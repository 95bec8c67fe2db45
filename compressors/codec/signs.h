/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signs as bits, 1 for numbers below zero, in fields of up to 32. */
#ifndef EGC_CODEC_SIGNS_H
#define EGC_CODEC_SIGNS_H

#include "base/bits.h"

static inline void egc_signs_put(egc_bits_writer *bits, const float *value, size_t count)
{
    for (size_t i = 0; i < count; i += 32) {
        unsigned width = count - i < 32 ? (unsigned)(count - i) : 32;
        uint32_t signs = 0;
        for (size_t j = i; j < i + width; j++)
            signs = signs << 1 | (value[j] < 0);
        egc_bits_put(bits, signs, width);
    }
}

/* Reads count signs; each value becomes `positive` or `negative`. FORMAT. */
EGC_MUST_CHECK static inline egc_status egc_signs_read(egc_bits_reader *bits, float positive,
                                                       float negative, float *value, size_t count,
                                                       egc_error *err)
{
    for (size_t i = 0; i < count; i += 32) {
        unsigned width = count - i < 32 ? (unsigned)(count - i) : 32;
        uint32_t signs = egc_bits_get(bits, width);
        for (unsigned j = 0; j < width; j++)
            value[i + j] = signs >> (width - 1 - j) & 1 ? negative : positive;
    }
    return egc_bits_check(bits, err);
}

#endif
