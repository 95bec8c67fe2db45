/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Template of index codecs that write gaps in one of Elias' codes, of x = gap + 1 because the codes
 * start at 1. A codec's file defines
 *     CODE(verb)    the code's functions, e.g. egc_elias_gamma_##verb
 * and includes this one. */
#include "codec/index/elias.h"
#include "codec/index/gaps.h"

static uint64_t size_bits(const egc_codec_context *context, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)context, (void)n;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += CODE(bits)((uint64_t)egc_gaps_before(index, i) + 1);
    return total;
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, uint32_t *index,
                  size_t *count, size_t n)
{
    (void)context, (void)n;
    for (size_t i = 0; i < *count; i++)
        CODE(put)(bits, (uint64_t)egc_gaps_before(index, i) + 1);
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    egc_status status = EGC_OK;
    uint64_t next = 0, x;
    for (size_t i = 0; i < *count && !status; i++) {
        status = CODE(read)(bits, &x, err);
        if (!status)
            status = egc_gaps_skip(&next, x - 1, n, &index[i], err);
    }
    return status;
}
