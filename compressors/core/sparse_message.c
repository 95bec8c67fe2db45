/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and reads the sparse message of one unit through the registered codecs. */
#include "compressors/core/sparse_message.h"

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

/* ---- values --------------------------------------------------------------------------------- */

size_t egc_sparse_message_values_bytes(const egc_value_codec *codec, size_t count)
{
    return count ? whole_bytes(codec->size_bits(count)) : 0;
}

/* Appends the values as bits of the codec, and decodes them again. */
static egc_status write_bits(const egc_value_codec *codec, const egc_codec_context *coding,
                             const float *value, size_t count, egc_buf *wire, float *decoded,
                             egc_error *err)
{
    size_t start = wire->len;
    egc_bits_writer bits = egc_bits_writer_to(wire);
    codec->write(&bits, coding, value, count);
    egc_status status = egc_bits_flush(&bits, err);
    if (status || !decoded)
        return status;
    egc_reader written = egc_reader_of(wire->data + start, wire->len - start);
    egc_bits_reader read_back = egc_bits_reader_of(&written);
    return codec->read(&read_back, decoded, count, err);
}

static egc_status read_bits(const egc_value_codec *codec, egc_reader *reader, float *value,
                            size_t count, egc_error *err)
{
    egc_bits_reader bits = egc_bits_reader_of(reader);
    egc_status status = codec->read(&bits, value, count, err);
    if (!status)
        egc_bits_reader_finish(&bits, reader);
    return status;
}

egc_status egc_sparse_message_write_values(const egc_value_codec *codec,
                                           const egc_codec_context *coding, const float *value,
                                           size_t count, egc_buf *wire, float *decoded,
                                           egc_error *err)
{
    if (count == 0)
        return EGC_OK;
    if (!codec->element)
        return write_bits(codec, coding, value, count, wire, decoded, err);
    size_t bytes = count * egc_element_bytes(codec->element);
    egc_status status = egc_buf_reserve(wire, bytes, err);
    if (status)
        return status;
    egc_element_from_float(codec->element, value, wire->data + wire->len, count);
    if (decoded)
        egc_element_to_float(codec->element, wire->data + wire->len, decoded, count);
    wire->len += bytes;
    return EGC_OK;
}

egc_status egc_sparse_message_read_values(const egc_value_codec *codec, egc_reader *reader,
                                          float *value, size_t count, egc_error *err)
{
    if (count == 0)
        return EGC_OK;
    if (!codec->element)
        return read_bits(codec, reader, value, count, err);
    const uint8_t *bytes;
    egc_status status =
        egc_reader_take(reader, count * egc_element_bytes(codec->element), &bytes, err);
    if (status)
        return status;
    egc_element_to_float(codec->element, bytes, value, count);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(value[i]))
            return egc_fail(err, EGC_ERROR_FORMAT, "value %zu is not finite", i);
    return EGC_OK;
}

/* ---- indices and values ---------------------------------------------------------------------- */

size_t egc_sparse_message_bytes(const egc_codec_context *coding, const egc_index_codec *index_codec,
                                const egc_value_codec *value_codec, const uint32_t *index,
                                size_t count, size_t n)
{
    size_t bytes = 1 + egc_bits_varint_bytes((uint32_t)count);
    if (count == 0)
        return bytes;
    if (!index_codec)
        index_codec = egc_codec_smallest_index(index, count, n);
    return bytes + whole_bytes(index_codec->size_bits(coding, index, count, n)) +
           egc_sparse_message_values_bytes(value_codec, count);
}

static egc_status write_header(const egc_index_codec *index_codec,
                               const egc_value_codec *value_codec, size_t count, egc_buf *wire,
                               egc_error *err)
{
    uint8_t codecs =
        (uint8_t)(place_of(index_codec, (const void *const *)egc_codec_index_types()) |
                  place_of(value_codec, (const void *const *)egc_codec_value_types()) << 4);
    egc_buf_put(wire, &codecs, 1);
    egc_bits_put_varint(wire, (uint32_t)count);
    return egc_buf_check(wire, err);
}

egc_status egc_sparse_message_write(const egc_index_codec *index_codec,
                                    const egc_value_codec *value_codec,
                                    const egc_codec_context *coding, const float *x,
                                    egc_selection *selection, size_t n, egc_buf *wire,
                                    float *decoded, egc_error *err)
{
    if (!index_codec)
        index_codec = egc_codec_smallest_index(selection->index, selection->count, n);
    egc_status status = write_header(index_codec, value_codec, selection->count, wire, err);
    if (status || selection->count == 0)
        return status;
    egc_bits_writer bits = egc_bits_writer_to(wire);
    index_codec->write(&bits, coding, selection->index, &selection->count, n);
    status = egc_bits_flush(&bits, err);
    if (status || selection->count == 0)
        return status;
    for (size_t i = 0; x && i < selection->count; i++)
        selection->value[i] = x[selection->index[i]];
    return write_bits(value_codec, coding, selection->value, selection->count, wire, decoded, err);
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
    *index_codec = egc_codec_index_types()[index_place];
    *value_codec = egc_codec_value_types()[value_place];
    uint32_t k;
    status = egc_bits_read_varint(reader, &k, err);
    if (!status && k > n)
        status = egc_fail(err, EGC_ERROR_FORMAT, "message has %u elements for a unit of %zu", k, n);
    *count = k;
    return status;
}

egc_status egc_sparse_message_read(egc_reader *reader, egc_selection *selection, size_t n,
                                   egc_error *err)
{
    const egc_index_codec *index_codec = NULL;
    const egc_value_codec *value_codec = NULL;
    egc_status status = read_header(reader, n, &index_codec, &value_codec, &selection->count, err);
    if (status || selection->count == 0)
        return status;
    egc_bits_reader bits = egc_bits_reader_of(reader);
    status = index_codec->read(&bits, selection->index, &selection->count, n, err);
    if (status)
        return status;
    egc_bits_reader_finish(&bits, reader);
    return read_bits(value_codec, reader, selection->value, selection->count, err);
}

double egc_sparse_message_bound_bits(size_t count, size_t n)
{
    double ln_ways = gsl_sf_lnchoose((unsigned)n, (unsigned)count);
    return ln_ways / M_LN2 + 32 * (double)count;
}
