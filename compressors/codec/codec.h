/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Codecs: how the positions and the values of a selection become bits.
 *
 * A codec is one const descriptor in one file, named by one line of list.def; its place there is
 * its number on the wire, so lines are added at the end. Sizes are exact, in bits, before the
 * padding that ends each of the two fields of a message (compressors/core/sparse_message.h). */
#ifndef EGC_CODEC_CODEC_H
#define EGC_CODEC_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/number/element.h"

/* Resources for writing one message. NULL for codecs that are neither lossy nor stochastic. */
typedef struct egc_codec_context {
    double bloom_rate; /* false positive rate of the Bloom filter; 0: 0.1 k / n */
    int bloom_policy;  /* egc_bloom_policy */
    gsl_rng *rng;      /* for stochastic rounding */
    egc_arena *scratch;
} egc_codec_context;

typedef enum egc_bloom_policy {
    EGC_BLOOM_ALL,       /* P0 of DeepReduce: a value for every positive */
    EGC_BLOOM_LEFTMOST,  /* P1: values for the first k positives */
    EGC_BLOOM_CONFLICTS, /* P2: for one of each conflict set, singletons first */
} egc_bloom_policy;

typedef struct egc_index_codec {
    const char *name;
    const char *summary;
    const char *size; /* the formula of size_bits */
    const char *reference;

    /* `read` gives other positions than were written: never chosen by auto. */
    bool lossy;

    /* The exact number of bits `write` produces. index: count strictly ascending numbers < n. */
    uint64_t (*size_bits)(const egc_codec_context *context, const uint32_t *index, size_t count,
                          size_t n);

    /* Writes *count >= 1 indices; index has room for n. A lossy codec changes index and *count to
     * the positions that `read` will return. Out of memory marks the writer's buffer as failed. */
    void (*write)(egc_bits_writer *bits, const egc_codec_context *context, uint32_t *index,
                  size_t *count, size_t n);

    /* Reads the *count indices that were written into index, which has room for n; only a lossy
     * codec changes *count. FORMAT unless they are strictly ascending and < n. */
    egc_status (*read)(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err);
} egc_index_codec;

typedef struct egc_value_codec {
    const char *name;
    const char *summary;
    const char *size;
    const char *reference;

    /* Rounds at random, by context->rng: the expectation of the value read is the value written. */
    bool stochastic;

    /* Number format of a single value, if values are stored one after the other, so that vectors of
     * them can be summed by an exchange; otherwise NONE. */
    egc_element element;

    uint64_t (*size_bits)(size_t count);

    /* Writes count >= 1 finite values. */
    void (*write)(egc_bits_writer *bits, const egc_codec_context *context, const float *value,
                  size_t count);

    /* Reads count finite values. FORMAT. */
    egc_status (*read)(egc_bits_reader *bits, float *value, size_t count, egc_error *err);
} egc_value_codec;

/* Every registered codec, NULL-terminated, in the order of list.def. */
const egc_index_codec *const *egc_codec_index_types(void);
const egc_value_codec *const *egc_codec_value_types(void);

/* The number of codecs. */
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

/* The exact codec that needs the fewest bits for this selection; the first of equals. */
const egc_index_codec *egc_codec_smallest_index(const uint32_t *index, size_t count, size_t n);

#endif
