/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every codec by its name. */
#ifndef EGC_TEST_CODECS_H
#define EGC_TEST_CODECS_H

#include "codec/codec.h"

#define EGC_INDEX_CODEC(name) extern const egc_index_codec egc_index_codec_##name;
#define EGC_VALUE_CODEC(name) extern const egc_value_codec egc_value_codec_##name;
#include "codec/list.def"
#undef EGC_INDEX_CODEC
#undef EGC_VALUE_CODEC

#endif
