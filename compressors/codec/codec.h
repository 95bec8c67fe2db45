/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Codecs: how the positions and the values of a selection become bits.
 *
 * A codec is one const descriptor in one file, named by one line of list.def; its place there is
 * its number on the wire, so lines are added at the end. Sizes are exact, in bits, before the
 * padding that ends each of the two fields of a message (compressors/sparse.h). */
#ifndef EGC_CODEC_H
#define EGC_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

typedef struct egc_index_codec {
    const char *name;
    const char *summary;
    const char *size; /* the formula of size_bits */
    const char *reference;

    /* The exact number of bits `write` produces. index: count strictly ascending numbers < n. */
    uint64_t (*size_bits)(const uint32_t *index, size_t count, size_t n);

    /* Only for count >= 1. MEMORY. */
    egc_status (*write)(egc_bit_writer *bits, const uint32_t *index, size_t count, size_t n,
                        egc_error *err);

    /* Reads count indices into index. FORMAT unless they are strictly ascending and < n. */
    egc_status (*read)(egc_bit_reader *bits, uint32_t *index, size_t count, size_t n,
                       egc_error *err);
} egc_index_codec;

typedef struct egc_value_codec {
    const char *name;
    const char *summary;
    const char *size;
    const char *reference;

    uint64_t (*size_bits)(size_t count);

    /* Only for count >= 1; values are finite. MEMORY. */
    egc_status (*write)(egc_bit_writer *bits, const float *value, size_t count, egc_error *err);

    /* Reads count finite values. FORMAT. */
    egc_status (*read)(egc_bit_reader *bits, float *value, size_t count, egc_error *err);
} egc_value_codec;

/* Every registered codec, NULL-terminated, in the order of list.def. */
const egc_index_codec *const *egc_index_codecs(void);
const egc_value_codec *const *egc_value_codecs(void);

/* How many there are. */
enum {
#define EGC_INDEX_CODEC(name) EGC_INDEX_CODEC_##name,
#define EGC_VALUE_CODEC(name)
#include "codec/list.def"
#undef EGC_INDEX_CODEC
#undef EGC_VALUE_CODEC
    EGC_N_INDEX_CODECS
};
enum {
#define EGC_INDEX_CODEC(name)
#define EGC_VALUE_CODEC(name) EGC_VALUE_CODEC_##name,
#include "codec/list.def"
#undef EGC_INDEX_CODEC
#undef EGC_VALUE_CODEC
    EGC_N_VALUE_CODECS
};

/* The index codec that needs the fewest bits for this selection; the first of equals. */
const egc_index_codec *egc_index_codec_smallest(const uint32_t *index, size_t count, size_t n);

#endif
