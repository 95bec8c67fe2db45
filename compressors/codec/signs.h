/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signs as bits, 1 for what is below zero. */
#ifndef EGC_CODEC_SIGNS_H
#define EGC_CODEC_SIGNS_H

#include "base/bits.h"

/* MEMORY. */
EGC_MUST_CHECK static inline egc_status egc_signs_write(egc_bits_writer *bits, const float *value,
                                                        size_t count, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = 0; i < count && !status; i += 32) {
        unsigned width = count - i < 32 ? (unsigned)(count - i) : 32;
        uint32_t signs = 0;
        for (size_t j = i; j < i + width; j++)
            signs = signs << 1 | (value[j] < 0);
        status = egc_bits_write(bits, signs, width, err);
    }
    return status;
}

/* Reads count signs, as `positive` or `negative`. FORMAT. */
EGC_MUST_CHECK static inline egc_status egc_signs_read(egc_bits_reader *bits, float positive,
                                                       float negative, float *value, size_t count,
                                                       egc_error *err)
{
    for (size_t i = 0; i < count; i += 32) {
        unsigned width = count - i < 32 ? (unsigned)(count - i) : 32;
        uint32_t signs;
        egc_status status = egc_bits_read(bits, width, &signs, err);
        if (status)
            return status;
        for (unsigned j = 0; j < width; j++)
            value[i + j] = signs >> (width - 1 - j) & 1 ? negative : positive;
    }
    return EGC_OK;
}

#endif
