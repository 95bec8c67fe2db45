/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as bfloat16: the range of single precision with 8 significand bits. The rounding error, at
 * most 2^-9 of a value, stays in the residual.
 *
 * Known answer, by hand: 1 is 0x3f80, -2 is 0xc000; 1 + 2^-8 is a tie and goes to 0x3f80. */
#include <math.h>

#include "base/half.h"
#include "codec/codec.h"

static uint64_t size_bits(size_t count)
{
    return 16 * (uint64_t)count;
}

static egc_status write(egc_bit_writer *bits, const egc_coding *coding, const float *value,
                        size_t count, egc_error *err)
{
    (void)coding;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = egc_bits_write(bits, egc_bf16_from_float(value[i]), 16, err);
    return status;
}

static egc_status read(egc_bit_reader *bits, float *value, size_t count, egc_error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        egc_status status = egc_bits_read(bits, 16, &word, err);
        if (status)
            return status;
        value[i] = egc_bf16_to_float((uint16_t)word);
        if (!isfinite(value[i]))
            return egc_fail(err, EGC_ERROR_FORMAT, "value %zu is not finite", i);
    }
    return EGC_OK;
}

const egc_value_codec egc_value_codec_bf16 = {
    .name = "bf16",
    .summary = "bfloat16, nearest even, saturating",
    .size = "16 k",
    .reference = "the upper half of IEEE 754 single precision",
    .element = EGC_ELEMENT_BF16,
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
