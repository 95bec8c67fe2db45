/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offsets of 16 bits. Up to n = 65,536 an offset is the index. Longer units are cut into blocks of
 * 65,536; each block is the number of its picks, as wide as that block's length needs (17 bits,
 * the last block less), and then their offsets from its start. AdaComp (Chen et al. 2018) codes
 * offsets within bins of up to 16 Ki elements in 16 bits like this.
 *
 * A fault of public code avoided: 16-bit indices chosen because the values had 16 bits, so that
 * units beyond 65,536 elements lost their upper bits. Here the block is always known.
 *
 * Known answer, by hand: indices 1 and 65538 of n = 65540 are block 0 with 1 pick at 1 and block 1,
 * of 4 elements, with 1 pick at 2: 00000000000000001 0x0001 001 0x0002, 17 + 16 + 3 + 16 bits. */
#include "codec/codec.h"

enum { OFFSET_BITS = 16, BLOCK = 1 << OFFSET_BITS };

static unsigned count_width(size_t block_length)
{
    return egc_bits_width((uint32_t)block_length);
}

static uint64_t size_bits(const egc_codec_context *context, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)context, (void)index;
    if (count == 0)
        return 0;
    uint64_t offsets = OFFSET_BITS * (uint64_t)count;
    return n <= BLOCK ? offsets : offsets + n / BLOCK * count_width(BLOCK) + count_width(n % BLOCK);
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, uint32_t *index,
                  size_t *count, size_t n)
{
    (void)context;
    size_t i = 0;
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t length = n - first < BLOCK ? n - first : BLOCK, end = i;
        while (end < *count && index[end] - first < length)
            end++;
        if (n > BLOCK)
            egc_bits_put(bits, (uint32_t)(end - i), count_width(length));
        for (; i < end; i++)
            egc_bits_put(bits, (uint32_t)(index[i] - first), OFFSET_BITS);
    }
}

static egc_status read_block(egc_bits_reader *bits, uint32_t *index, size_t count, size_t first,
                             size_t length, egc_error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t offset = egc_bits_get(bits, OFFSET_BITS);
        index[i] = (uint32_t)(first + offset);
        if (!bits->ended && (offset >= length || (i && index[i] <= index[i - 1])))
            return egc_fail(err, EGC_ERROR_FORMAT, "offset %u is out of order or not below %zu",
                            offset, length);
    }
    return egc_bits_check(bits, err);
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    size_t found = 0;
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t length = n - first < BLOCK ? n - first : BLOCK;
        uint32_t picks = n > BLOCK ? egc_bits_get(bits, count_width(length)) : (uint32_t)*count;
        if (picks > *count - found)
            return egc_fail(err, EGC_ERROR_FORMAT, "blocks hold more than %zu elements", *count);
        egc_status status = read_block(bits, index + found, picks, first, length, err);
        if (status)
            return status;
        found += picks;
    }
    if (found < *count)
        return egc_fail(err, EGC_ERROR_FORMAT, "blocks hold %zu elements, not %zu", found, *count);
    return EGC_OK;
}

const egc_index_codec egc_index_codec_raw16 = {
    .name = "raw16",
    .summary = "16-bit offsets, in blocks of 65,536 with the picks of each counted",
    .size = "16 k, and beyond n = 65536 also 17 floor(n / 65536) + width(n mod 65536)",
    .reference = "after AdaComp (Chen et al. 2018, arXiv 1712.02679)",
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
