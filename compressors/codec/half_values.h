/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in 16 bits. A codec's file defines
 *     FROM_FLOAT    the bits of a float, rounded
 *     TO_FLOAT      the float of 16 bits
 * and includes this one. */
#include <math.h>

#include "base/number/half.h"
#include "codec/codec.h"

static uint64_t size_bits(size_t count)
{
    return 16 * (uint64_t)count;
}

static egc_status write(egc_bits_writer *bits, const egc_codec_context *coding, const float *value,
                        size_t count, egc_error *err)
{
    (void)coding;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = egc_bits_write(bits, FROM_FLOAT(value[i]), 16, err);
    return status;
}

static egc_status read(egc_bits_reader *bits, float *value, size_t count, egc_error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        egc_status status = egc_bits_read(bits, 16, &word, err);
        if (status)
            return status;
        value[i] = TO_FLOAT((uint16_t)word);
        if (!isfinite(value[i]))
            return egc_fail(err, EGC_ERROR_FORMAT, "value %zu is not finite", i);
    }
    return EGC_OK;
}
