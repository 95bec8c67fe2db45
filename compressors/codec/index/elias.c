/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elias' codes, written and read in as few fields of up to 32 bits as they fit. */
#include "codec/index/elias.h"

enum { MAX_LOG2 = 32 };

static uint32_t low_bits(uint64_t x, unsigned width)
{
    return (uint32_t)(x & ((1ull << width) - 1));
}

void egc_elias_gamma_put(egc_bits_writer *bits, uint64_t x)
{
    unsigned log2 = egc_elias_log2(x);
    if (2 * log2 + 1 <= 32) { /* nearly always: the zeros come with the number */
        egc_bits_put(bits, (uint32_t)x, 2 * log2 + 1);
        return;
    }
    egc_bits_put(bits, 0, log2);
    egc_bits_put(bits, 1, 1);
    egc_bits_put(bits, low_bits(x, log2), log2);
}

void egc_elias_delta_put(egc_bits_writer *bits, uint64_t x)
{
    unsigned log2 = egc_elias_log2(x);
    egc_elias_gamma_put(bits, log2 + 1);
    egc_bits_put(bits, low_bits(x, log2), log2);
}

/* The number whose leading one is read already, followed by `log2` bits. */
static egc_status read_number(egc_bits_reader *bits, unsigned log2, uint64_t *x, egc_error *err)
{
    *x = 1ull << log2 | egc_bits_get(bits, log2);
    return egc_bits_check(bits, err);
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
