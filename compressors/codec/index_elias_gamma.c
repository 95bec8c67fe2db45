/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elias gamma code of the gaps (Elias 1975), of x = gap + 1 because it starts at 1. It suits short
 * gaps, dense selections; codec/elias.h has the code.
 *
 * Known answer, by hand: indices 2, 3, 10 have gaps 2 0 6, coded 3 1 7: 011 1 00111. */
#include "codec/elias.h"
#include "codec/gaps.h"

static uint64_t size_bits(const egc_coding *coding, const uint32_t *index, size_t count, size_t n)
{
    (void)coding, (void)n;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += egc_elias_gamma_bits((uint64_t)egc_gap_before(index, i) + 1);
    return total;
}

static egc_status write(egc_bit_writer *bits, const egc_coding *coding, uint32_t *index,
                        size_t *count, size_t n, egc_error *err)
{
    (void)coding, (void)n;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < *count && !status; i++)
        status = egc_elias_gamma_write(bits, (uint64_t)egc_gap_before(index, i) + 1, err);
    return status;
}

static egc_status read(egc_bit_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    egc_status status = EGC_OK;
    uint64_t next = 0, x;
    for (size_t i = 0; i < *count && !status; i++) {
        status = egc_elias_gamma_read(bits, &x, err);
        if (!status)
            status = egc_gap_skip(&next, x - 1, n, &index[i], err);
    }
    return status;
}

const egc_index_codec egc_index_codec_elias_gamma = {
    .name = "elias_gamma",
    .summary = "Elias gamma code of the gaps",
    .size = "sum over gaps of 2 floor(log2(gap + 1)) + 1",
    .reference = "Elias 1975",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
