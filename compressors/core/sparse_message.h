/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The message of a sparsifier for one unit of n elements:
 *
 *     byte 0     index codec (low 4 bits) and value codec (high 4 bits), their places in list.def
 *     varint     k, the number of elements chosen
 *     k > 0:     the indices, as the index codec writes them, padded to a byte,
 *                the values, as the value codec writes them, padded to a byte
 *
 * n is known to both sides and is not sent. An empty selection takes two bytes. There are as many
 * values as indices are read: k, unless a lossy index codec changes the selection.
 *
 * Where both sides know the selection, the message is the values alone. */
#ifndef EGC_COMPRESSORS_CORE_SPARSE_MESSAGE_H
#define EGC_COMPRESSORS_CORE_SPARSE_MESSAGE_H

#include "codec/codec.h"
#include "compressors/plugin.h"

/* The exact size of the message that egc_sparse_message_write makes, in bytes; with a lossy index
 * codec that of `count` values, of which it may send more. */
size_t egc_sparse_message_bytes(const egc_codec_context *coding, const egc_index_codec *index_codec,
                                const egc_value_codec *value_codec, const uint32_t *index,
                                size_t count, size_t n);

/* Appends one message. index_codec NULL: the smallest for this selection. The values are x at the
 * selected indices or, if x is NULL, selection->value. On return selection holds the elements sent,
 * which a lossy index codec may have changed, with their values before coding, and decoded (room
 * for n, may be NULL) their values as the receiver will read them. MEMORY. */
egc_status egc_sparse_message_write(const egc_index_codec *index_codec,
                                    const egc_value_codec *value_codec,
                                    const egc_codec_context *coding, const float *x,
                                    egc_selection *selection, size_t n, egc_buf *wire,
                                    float *decoded, egc_error *err) EGC_MUST_CHECK;

/* Reads one message: selection->index and value have room for n. FORMAT. */
egc_status egc_sparse_message_read(egc_reader *reader, egc_selection *selection, size_t n,
                                   egc_error *err) EGC_MUST_CHECK;

/* The values alone: count elements where the codec has one (egc_value_codec.element), so that
 * such messages can be summed; otherwise bits, padded to a byte. MEMORY. */
egc_status egc_sparse_message_write_values(const egc_value_codec *codec,
                                           const egc_codec_context *coding, const float *value,
                                           size_t count, egc_buf *wire, float *decoded,
                                           egc_error *err) EGC_MUST_CHECK;

/* Reads them. FORMAT. */
egc_status egc_sparse_message_read_values(const egc_value_codec *codec, egc_reader *reader,
                                          float *value, size_t count,
                                          egc_error *err) EGC_MUST_CHECK;

/* The bytes that egc_sparse_message_write_values appends. */
size_t egc_sparse_message_values_bytes(const egc_value_codec *codec, size_t count);

/* The least any exact code of k of n positions with fp32 values could use on average, in bits:
 * log2 C(n, k) + 32 k. */
double egc_sparse_message_bound_bits(size_t count, size_t n);

#endif
