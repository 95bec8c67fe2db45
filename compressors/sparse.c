/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compressors/sparse.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>

static uint32_t place_of(const void *codec, const void *const *codecs)
{
    uint32_t place = 0;
    while (codecs[place] != codec)
        place++;
    return place;
}

static size_t whole_bytes(uint64_t bits)
{
    return (size_t)((bits + 7) / 8);
}

size_t egc_sparse_bytes(const egc_index_codec *index_codec, const egc_value_codec *value_codec,
                        const uint32_t *index, size_t count, size_t n)
{
    size_t bytes = 1 + egc_varint_bytes((uint32_t)count);
    if (count == 0)
        return bytes;
    if (!index_codec)
        index_codec = egc_index_codec_smallest(index, count, n);
    return bytes + whole_bytes(index_codec->size_bits(index, count, n)) +
           whole_bytes(value_codec->size_bits(count));
}

egc_status egc_sparse_write(const egc_index_codec *index_codec, const egc_value_codec *value_codec,
                            const uint32_t *index, const float *value, size_t count, size_t n,
                            egc_buf *wire, float *decoded, egc_error *err)
{
    if (!index_codec)
        index_codec = egc_index_codec_smallest(index, count, n);
    uint8_t codecs = (uint8_t)(place_of(index_codec, (const void *const *)egc_index_codecs()) |
                               place_of(value_codec, (const void *const *)egc_value_codecs()) << 4);
    egc_status status = egc_buf_append(wire, &codecs, 1, err);
    if (!status)
        status = egc_varint_append(wire, (uint32_t)count, err);
    if (status || count == 0)
        return status;
    egc_bit_writer bits = egc_bit_writer_to(wire);
    status = index_codec->write(&bits, index, count, n, err);
    if (!status)
        status = egc_bits_flush(&bits, err);
    size_t values_at = wire->len;
    if (!status)
        status = value_codec->write(&bits, value, count, err);
    if (!status)
        status = egc_bits_flush(&bits, err);
    if (status || !decoded)
        return status;
    egc_reader written = egc_reader_of(wire->data + values_at, wire->len - values_at);
    egc_bit_reader read_back = egc_bit_reader_of(&written);
    return value_codec->read(&read_back, decoded, count, err);
}

static egc_status read_header(egc_reader *reader, size_t n, const egc_index_codec **index_codec,
                              const egc_value_codec **value_codec, size_t *count, egc_error *err)
{
    const uint8_t *codecs;
    egc_status status = egc_reader_take(reader, 1, &codecs, err);
    if (status)
        return status;
    unsigned index_place = *codecs & 15, value_place = *codecs >> 4;
    if (index_place >= EGC_N_INDEX_CODECS || value_place >= EGC_N_VALUE_CODECS)
        return egc_fail(err, EGC_ERROR_FORMAT, "no codecs have the numbers %u and %u", index_place,
                        value_place);
    *index_codec = egc_index_codecs()[index_place];
    *value_codec = egc_value_codecs()[value_place];
    uint32_t k;
    status = egc_varint_read(reader, &k, err);
    if (!status && k > n)
        status = egc_fail(err, EGC_ERROR_FORMAT, "message has %u elements for a unit of %zu", k, n);
    *count = k;
    return status;
}

egc_status egc_sparse_read(egc_reader *reader, uint32_t *index, float *value, size_t *count,
                           size_t n, egc_error *err)
{
    const egc_index_codec *index_codec = NULL;
    const egc_value_codec *value_codec = NULL;
    egc_status status = read_header(reader, n, &index_codec, &value_codec, count, err);
    if (status || *count == 0)
        return status;
    egc_bit_reader bits = egc_bit_reader_of(reader);
    status = index_codec->read(&bits, index, *count, n, err);
    if (status)
        return status;
    egc_bit_reader_finish(&bits, reader);
    bits = egc_bit_reader_of(reader);
    status = value_codec->read(&bits, value, *count, err);
    if (!status)
        egc_bit_reader_finish(&bits, reader);
    return status;
}

double egc_sparse_bound_bits(size_t count, size_t n)
{
    double ln_ways = gsl_sf_lnchoose((unsigned)n, (unsigned)count);
    return ln_ways / M_LN2 + 32 * (double)count;
}
