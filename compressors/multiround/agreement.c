/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and reads the indices that workers agree on, by the smallest exact index codec. */
#include "compressors/multiround/agreement.h"

#include <string.h>

#include "codec/codec.h"

size_t egc_agreement_size(const void *params, const egc_unit *unit)
{
    (void)params;
    return sizeof(egc_agreement) + unit->count * sizeof(uint32_t);
}

egc_status egc_agreement_select(const void *params, void *state, const egc_context *context,
                                const float *x, size_t n, egc_selection *out, egc_error *err)
{
    (void)params, (void)context, (void)x, (void)n, (void)err;
    const egc_agreement *agreed = state;
    memcpy(out->index, agreed->index, agreed->count * sizeof *out->index);
    out->count = agreed->count;
    return EGC_OK;
}

static uint8_t place_of(const egc_index_codec *codec)
{
    uint8_t place = 0;
    while (egc_codec_index_types()[place] != codec)
        place++;
    return place;
}

egc_status egc_agreement_write(uint32_t *index, size_t count, size_t n, egc_buf *wire,
                               egc_error *err)
{
    egc_bits_put_varint(wire, (uint32_t)count);
    if (count == 0)
        return egc_buf_check(wire, err);
    const egc_index_codec *codec = egc_codec_smallest_index(index, count, n);
    uint8_t place = place_of(codec);
    egc_buf_put(wire, &place, 1);
    egc_bits_writer bits = egc_bits_writer_to(wire);
    codec->write(&bits, NULL, index, &count, n);
    return egc_bits_flush(&bits, err);
}

egc_status egc_agreement_read(egc_reader *reader, uint32_t *index, size_t *count, size_t n,
                              egc_error *err)
{
    uint32_t k;
    egc_status status = egc_bits_read_varint(reader, &k, err);
    if (status)
        return status;
    if (k > n)
        return egc_fail(err, EGC_ERROR_FORMAT, "message has %u indices of %zu elements", k, n);
    *count = k;
    if (k == 0)
        return EGC_OK;
    const uint8_t *place;
    status = egc_reader_take(reader, 1, &place, err);
    if (status)
        return status;
    if (*place >= EGC_N_INDEX_CODECS || egc_codec_index_types()[*place]->lossy)
        return egc_fail(err, EGC_ERROR_FORMAT, "no exact index codec has the number %u", *place);
    egc_bits_reader bits = egc_bits_reader_of(reader);
    status = egc_codec_index_types()[*place]->read(&bits, index, count, n, err);
    if (!status)
        egc_bits_reader_finish(&bits, reader);
    return status;
}
