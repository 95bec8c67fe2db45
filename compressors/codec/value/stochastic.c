/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block by block: the norm as fp32, then the codes, as many per field as fit 32 bits. */
#include "codec/value/stochastic.h"

#include "codec/value/mean.h"

enum { BLOCK = 512 };

static uint32_t top_level(unsigned b)
{
    return (1u << (b - 1)) - 1;
}

static size_t block_length(size_t first, size_t count)
{
    return count - first < BLOCK ? count - first : BLOCK;
}

uint64_t egc_stochastic_size_bits(unsigned b, size_t count)
{
    return EGC_MEAN_BITS * ((uint64_t)count / BLOCK + (count % BLOCK != 0)) + b * (uint64_t)count;
}

static float max_magnitude(const float *value, size_t count)
{
    float most = 0;
    for (size_t i = 0; i < count; i++)
        most = fabsf(value[i]) > most ? fabsf(value[i]) : most;
    return most;
}

/* levels_per_unit = s / N, 0 where N is. Rounding may lift l a hair above s: no level is there. */
static uint32_t code_of(float value, double levels_per_unit, unsigned b, gsl_rng *rng)
{
    double level = fabs((double)value) * levels_per_unit;
    uint32_t q = (uint32_t)level;
    q += gsl_rng_uniform(rng) < level - q;
    q = q < top_level(b) ? q : top_level(b);
    return q ? (uint32_t)(value < 0) << (b - 1) | q : 0;
}

void egc_stochastic_put(unsigned b, egc_bits_writer *bits, const egc_codec_context *context,
                        const float *value, size_t count)
{
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t length = block_length(first, count);
        float norm = max_magnitude(value + first, length);
        double levels_per_unit = norm > 0 ? top_level(b) / (double)norm : 0;
        egc_bits_put(bits, egc_bits_of_float(norm), EGC_MEAN_BITS);
        for (size_t i = 0; i < length;) {
            size_t end = i + 32 / b < length ? i + 32 / b : length;
            unsigned width = b * (unsigned)(end - i);
            uint32_t word = 0;
            for (; i < end; i++)
                word = word << b | code_of(value[first + i], levels_per_unit, b, context->rng);
            egc_bits_put(bits, word, width);
        }
    }
}

static egc_status read_codes(unsigned b, egc_bits_reader *bits, double unit, float *value,
                             size_t length, egc_error *err)
{
    uint32_t negative_zero = 1u << (b - 1);
    for (size_t i = 0; i < length; i++) {
        uint32_t code = egc_bits_get(bits, b);
        if (code == negative_zero)
            return egc_fail(err, EGC_ERROR_FORMAT, "value %zu is a negative zero", i);
        float magnitude = (float)(unit * (code & top_level(b)));
        value[i] = code & negative_zero ? -magnitude : magnitude;
    }
    return egc_bits_check(bits, err);
}

egc_status egc_stochastic_read(unsigned b, egc_bits_reader *bits, float *value, size_t count,
                               egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t first = 0; first < count && !status; first += BLOCK) {
        float norm;
        status = egc_mean_read(bits, true, &norm, err);
        if (!status)
            status = read_codes(b, bits, (double)norm / top_level(b), value + first,
                                block_length(first, count), err);
    }
    return status;
}
