/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in B bits each, rounded at random. A codec's file defines B and includes this one. */
#include "codec/value/stochastic.h"

static uint64_t size_bits(size_t count)
{
    return egc_stochastic_size_bits(B, count);
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, const float *value,
                  size_t count)
{
    egc_stochastic_put(B, bits, context, value, count);
}

static egc_status read(egc_bits_reader *bits, float *value, size_t count, egc_error *err)
{
    return egc_stochastic_read(B, bits, value, count, err);
}
