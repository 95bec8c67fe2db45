/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Template of value codecs that write each value in one number format. A codec's file defines
 *     BITS             the width of the format
 *     FROM_FLOAT(x)    the bits of a float, rounded
 *     TO_FLOAT(bits)   the float they stand for
 * and includes this one. */
#include <math.h>

#include "base/number/half.h"
#include "codec/codec.h"

static uint64_t size_bits(size_t count)
{
    return BITS * (uint64_t)count;
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, const float *value,
                  size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        egc_bits_put(bits, FROM_FLOAT(value[i]), BITS);
}

static egc_status read(egc_bits_reader *bits, float *value, size_t count, egc_error *err)
{
    for (size_t i = 0; i < count; i++) {
        value[i] = TO_FLOAT(egc_bits_get(bits, BITS));
        if (!isfinite(value[i]))
            return egc_fail(err, EGC_ERROR_FORMAT, "value %zu is not finite", i);
    }
    return egc_bits_check(bits, err);
}
