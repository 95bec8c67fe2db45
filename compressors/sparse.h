/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The message of a sparsifier for one unit of n elements:
 *
 *     byte 0     index codec (low 4 bits) and value codec (high 4 bits), their places in list.def
 *     varint     k, the number of elements sent
 *     k > 0:     the indices, as the index codec writes them, padded to a byte,
 *                the values, as the value codec writes them, padded to a byte
 *
 * n is known to both sides and is not sent. An empty selection takes two bytes. */
#ifndef EGC_SPARSE_H
#define EGC_SPARSE_H

#include "codec/codec.h"

/* The exact size of the message that egc_sparse_write makes, in bytes. */
size_t egc_sparse_bytes(const egc_index_codec *index_codec, const egc_value_codec *value_codec,
                        const uint32_t *index, size_t count, size_t n);

/* Appends one message. index_codec NULL: the smallest for this selection. decoded (room for count,
 * may be NULL) receives the values as the message gives them back. MEMORY. */
egc_status egc_sparse_write(const egc_index_codec *index_codec, const egc_value_codec *value_codec,
                            const uint32_t *index, const float *value, size_t count, size_t n,
                            egc_buf *wire, float *decoded, egc_error *err) EGC_MUST_CHECK;

/* Reads one message: *count indices and values, for which there must be room for n. FORMAT. */
egc_status egc_sparse_read(egc_reader *reader, uint32_t *index, float *value, size_t *count,
                           size_t n, egc_error *err) EGC_MUST_CHECK;

/* The least any exact code of k of n positions with fp32 values could use on average, in bits:
 * log2 C(n, k) + 32 k. */
double egc_sparse_bound_bits(size_t count, size_t n);

#endif
