/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stochastic.h"

#include <math.h>
#include <string.h>

enum { BUCKET = EGC_STOCHASTIC_BUCKET, NORM_BITS = 32 };

static uint32_t top_level(unsigned b)
{
    return (1u << (b - 1)) - 1;
}

static size_t bucket_length(size_t first, size_t count)
{
    return count - first < BUCKET ? count - first : BUCKET;
}

uint64_t egc_stochastic_size_bits(unsigned b, size_t count)
{
    return NORM_BITS * ((uint64_t)count / BUCKET + (count % BUCKET != 0)) + b * (uint64_t)count;
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

egc_status egc_stochastic_write(unsigned b, egc_bits_writer *bits, const egc_codec_context *coding,
                                const float *value, size_t count, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t first = 0; first < count && !status; first += BUCKET) {
        size_t length = bucket_length(first, count);
        float norm = max_magnitude(value + first, length);
        double levels_per_unit = norm > 0 ? top_level(b) / (double)norm : 0;
        uint32_t word;
        memcpy(&word, &norm, sizeof word);
        status = egc_bits_write(bits, word, NORM_BITS, err);
        for (size_t i = 0; i < length && !status;) { /* as many codes as fill a word */
            size_t end = i + 32 / b < length ? i + 32 / b : length;
            unsigned width = b * (unsigned)(end - i);
            for (word = 0; i < end; i++)
                word = word << b | code_of(value[first + i], levels_per_unit, b, coding->rng);
            status = egc_bits_write(bits, word, width, err);
        }
    }
    return status;
}

static egc_status read_codes(unsigned b, egc_bits_reader *bits, double unit, float *value,
                             size_t length, egc_error *err)
{
    uint32_t negative_zero = 1u << (b - 1);
    for (size_t i = 0; i < length; i++) {
        uint32_t code;
        egc_status status = egc_bits_read(bits, b, &code, err);
        if (status)
            return status;
        if (code == negative_zero)
            return egc_fail(err, EGC_ERROR_FORMAT, "value %zu is a negative zero", i);
        float magnitude = (float)(unit * (code & top_level(b)));
        value[i] = code & negative_zero ? -magnitude : magnitude;
    }
    return EGC_OK;
}

egc_status egc_stochastic_read(unsigned b, egc_bits_reader *bits, float *value, size_t count,
                               egc_error *err)
{
    for (size_t first = 0; first < count; first += BUCKET) {
        uint32_t word;
        egc_status status = egc_bits_read(bits, NORM_BITS, &word, err);
        if (status)
            return status;
        float norm;
        memcpy(&norm, &word, sizeof norm);
        if (!isfinite(norm) || signbit(norm))
            return egc_fail(err, EGC_ERROR_FORMAT, "norm %g is not a finite number >= 0", norm);
        status = read_codes(b, bits, (double)norm / top_level(b), value + first,
                            bucket_length(first, count), err);
        if (status)
            return status;
    }
    return EGC_OK;
}
