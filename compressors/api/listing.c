/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The listings of the public interface, read from the same descriptors that registries hold, so
 * that a new compressor or codec appears without an edit here. */
#include <string.h>

#include "codec/codec.h"
#include "compressors/core/method.h"
#include "compressors/egc.h"

/* The i-th of a NULL-terminated list, or NULL past its end. */
static const void *nth(const void *const *list, size_t i)
{
    while (*list && i > 0)
        list++, i--;
    return *list;
}

static size_t length(const void *const *list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

static bool get_compressor(size_t i, egc_description *out)
{
    const egc_compressor_type *type = nth((const void *const *)egc_compressor_types(), i);
    if (type)
        *out = (egc_description){type->name, type->summary, type->formula, type->size,
                                 type->reference};
    return type;
}

/* A preset has the formula and the size of its compressor. */
static bool get_preset(size_t i, egc_description *out)
{
    const egc_method_preset *preset = nth((const void *const *)egc_method_presets(), i);
    for (size_t c = 0; preset && get_compressor(c, out); c++)
        if (strcmp(out->name, preset->compressor) == 0)
            break;
    if (preset) {
        out->name = preset->name;
        out->summary = preset->summary;
        out->reference = preset->reference;
    }
    return preset;
}

static bool get_method(size_t i, egc_description *out)
{
    size_t n = length((const void *const *)egc_compressor_types());
    return i < n ? get_compressor(i, out) : get_preset(i - n, out);
}

static bool get_error_feedback(size_t i, egc_description *out)
{
    const egc_error_feedback_type *type = nth((const void *const *)egc_error_feedback_types(), i);
    if (type)
        *out = (egc_description){type->name, type->summary, type->formula, "", type->reference};
    return type;
}

static bool get_index_codec(size_t i, egc_description *out)
{
    const egc_index_codec *codec = nth((const void *const *)egc_codec_index_types(), i);
    if (codec)
        *out = (egc_description){codec->name, codec->summary, "", codec->size, codec->reference};
    return codec;
}

static bool get_value_codec(size_t i, egc_description *out)
{
    const egc_value_codec *codec = nth((const void *const *)egc_codec_value_types(), i);
    if (codec)
        *out = (egc_description){codec->name, codec->summary, "", codec->size, codec->reference};
    return codec;
}

bool egc_listing_get(egc_listing listing, size_t i, egc_description *out)
{
    static bool (*const get[])(size_t, egc_description *) = {
        [EGC_LISTING_METHODS] = get_method,
        [EGC_LISTING_ERROR_FEEDBACK] = get_error_feedback,
        [EGC_LISTING_INDEX_CODECS] = get_index_codec,
        [EGC_LISTING_VALUE_CODECS] = get_value_codec,
    };
    return (size_t)listing < sizeof get / sizeof *get && get[listing](i, out);
}
