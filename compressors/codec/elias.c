/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/elias.h"

enum { MAX_LOG2 = 32 };

static uint32_t low_bits(uint64_t x, unsigned width)
{
    return (uint32_t)(x & ((1ull << width) - 1));
}

egc_status egc_elias_gamma_write(egc_bits_writer *bits, uint64_t x, egc_error *err)
{
    unsigned log2 = egc_elias_log2(x);
    if (2 * log2 + 1 <= 32) /* nearly always: the zeros come with the number */
        return egc_bits_write(bits, (uint32_t)x, 2 * log2 + 1, err);
    egc_status status = egc_bits_write(bits, 0, log2, err);
    if (!status)
        status = egc_bits_write(bits, 1, 1, err);
    return status ? status : egc_bits_write(bits, low_bits(x, log2), log2, err);
}

egc_status egc_elias_delta_write(egc_bits_writer *bits, uint64_t x, egc_error *err)
{
    unsigned log2 = egc_elias_log2(x);
    egc_status status = egc_elias_gamma_write(bits, log2 + 1, err);
    return status ? status : egc_bits_write(bits, low_bits(x, log2), log2, err);
}

/* The one before which `log2` zeros are read, and the `log2` bits after it. */
static egc_status read_number(egc_bits_reader *bits, unsigned log2, uint64_t *x, egc_error *err)
{
    uint32_t low;
    egc_status status = egc_bits_read(bits, log2, &low, err);
    *x = 1ull << log2 | low;
    return status;
}

egc_status egc_elias_gamma_read(egc_bits_reader *bits, uint64_t *x, egc_error *err)
{
    uint64_t word = egc_bits_peek(bits);
    unsigned zeros = word ? (unsigned)__builtin_clzll(word) : 64;
    if (bits->length - bits->position <= zeros)
        return egc_bits_end_early(err);
    if (zeros > MAX_LOG2)
        return egc_fail(err, EGC_ERROR_FORMAT, "Elias code starts with more than %d zeros",
                        MAX_LOG2);
    bits->position += zeros + 1;
    return read_number(bits, zeros, x, err);
}

egc_status egc_elias_delta_read(egc_bits_reader *bits, uint64_t *x, egc_error *err)
{
    uint64_t width;
    egc_status status = egc_elias_gamma_read(bits, &width, err);
    if (!status && width > MAX_LOG2 + 1)
        status = egc_fail(err, EGC_ERROR_FORMAT, "Elias code of more than %d bits", MAX_LOG2 + 1);
    return status ? status : read_number(bits, (unsigned)width - 1, x, err);
}
