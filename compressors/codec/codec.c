/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registries of index and value codecs, made from list.def, and the choice of the smallest. */
#include "codec/codec.h"

#define EGC_INDEX_CODEC(name) extern const egc_index_codec egc_index_codec_##name;
#define EGC_VALUE_CODEC(name) extern const egc_value_codec egc_value_codec_##name;
#include "codec/list.def"
#undef EGC_INDEX_CODEC
#undef EGC_VALUE_CODEC

static const egc_index_codec *const index_codecs[] = {
#define EGC_INDEX_CODEC(name) &egc_index_codec_##name,
#define EGC_VALUE_CODEC(name)
#include "codec/list.def"
#undef EGC_INDEX_CODEC
#undef EGC_VALUE_CODEC
    NULL,
};

static const egc_value_codec *const value_codecs[] = {
#define EGC_INDEX_CODEC(name)
#define EGC_VALUE_CODEC(name) &egc_value_codec_##name,
#include "codec/list.def"
#undef EGC_INDEX_CODEC
#undef EGC_VALUE_CODEC
    NULL,
};

const egc_index_codec *const *egc_codec_index_types(void)
{
    return index_codecs;
}

const egc_value_codec *const *egc_codec_value_types(void)
{
    return value_codecs;
}

const egc_index_codec *egc_codec_smallest_index(const uint32_t *index, size_t count, size_t n)
{
    const egc_index_codec *best = NULL;
    uint64_t best_bits = UINT64_MAX;
    for (size_t i = 0; index_codecs[i]; i++) {
        if (index_codecs[i]->lossy)
            continue;
        uint64_t bits = index_codecs[i]->size_bits(NULL, index, count, n);
        if (bits < best_bits) {
            best = index_codecs[i];
            best_bits = bits;
        }
    }
    return best;
}
