/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as they are. */
#include <math.h>
#include <string.h>

#include "codec/codec.h"

static uint64_t size_bits(size_t count)
{
    return 32 * (uint64_t)count;
}

static egc_status write(egc_bits_writer *bits, const egc_codec_context *coding, const float *value,
                        size_t count, egc_error *err)
{
    (void)coding;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < count && !status; i++) {
        uint32_t word;
        memcpy(&word, &value[i], sizeof word);
        status = egc_bits_write(bits, word, 32, err);
    }
    return status;
}

static egc_status read(egc_bits_reader *bits, float *value, size_t count, egc_error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        egc_status status = egc_bits_read(bits, 32, &word, err);
        if (status)
            return status;
        memcpy(&value[i], &word, sizeof word);
        if (!isfinite(value[i]))
            return egc_fail(err, EGC_ERROR_FORMAT, "value %zu is not finite", i);
    }
    return EGC_OK;
}

const egc_value_codec egc_value_codec_fp32 = {
    .name = "fp32",
    .summary = "IEEE 754 single precision, exact",
    .size = "32 k",
    .reference = "IEEE 754",
    .element = EGC_ELEMENT_FP32,
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
