/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Natural compression (Horvath et al. 2019, arXiv 1905.10988): each element is rounded to one of
 * the two powers of two around it, at random, and only its sign and exponent are sent.
 *     |x| = 2^a (1 + f), 0 <= f < 1:   2^a with probability 1 - f, 2^(a+1) with probability f
 * In binary32 that is one addition: 23 random bits added to those of x carry into the exponent
 * with probability f exactly. Unbiased, and E C(x)^2 <= 9/8 x^2 for normal numbers.
 *
 * The code is the sign and the exponent field, 9 bits; field 0 is 0. Numbers below 2^-126 become 0
 * or 2^-126 by the same addition, unbiased but without the bound on the second moment. From 2^127
 * up there is no power of two above to round to: such numbers become 2^127, which is the one place
 * where the mean is too small. Public code clamps exponents to -109..18 to fit a byte, so that
 * small values vanish, large ones shrink, and NaN and Inf pass for numbers.
 *
 * Known answer, by hand: 1, -2, 0 are powers of two or 0 and do not depend on the draw: fields 127,
 * 128, 0, and the bits 0 01111111 1 10000000 0 00000000 are 0x3f 0xe0 0x00 0x00. */
#include "compressors/plugin.h"
#include "compressors/quantisers/quantiser.h"

enum { FRACTION_BITS = 23, FIELD_BITS = 8, FIELD_MASK = 255, LARGEST_FIELD = 254 };

static uint32_t code_of(float value, uint32_t draw)
{
    uint32_t bits = egc_bits_of_float(value);
    uint32_t field = ((bits & 0x7fffffff) + draw) >> FRACTION_BITS;
    return bits >> 31 << FIELD_BITS | (field < LARGEST_FIELD ? field : LARGEST_FIELD);
}

static size_t bound(const void *params, size_t n)
{
    (void)params;
    return ((1 + FIELD_BITS) * n + 7) / 8;
}

static egc_status encode(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)state;
    egc_quantiser_packer packer;
    egc_status status = egc_quantiser_open(&packer, wire, 8 * (uint64_t)bound(params, n), err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        uint32_t draw = (uint32_t)(gsl_rng_uniform(context->rng) * 0x1p23);
        egc_quantiser_put(&packer, code_of(x[i], draw), 1 + FIELD_BITS);
    }
    egc_quantiser_close(&packer);
    return EGC_OK;
}

static egc_status decode(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err)
{
    (void)params;
    egc_bits_reader bits = egc_bits_reader_of(reader);
    egc_status status = egc_quantiser_need(&bits, (uint64_t)n * (1 + FIELD_BITS), err);
    uint32_t largest = 0;
    for (size_t i = 0; i < n && !status; i++) {
        uint32_t code = egc_quantiser_get(&bits, 1 + FIELD_BITS), field = code & FIELD_MASK;
        largest = field > largest ? field : largest;
        out[i] += weight * egc_bits_to_float(code >> FIELD_BITS << 31 | field << FRACTION_BITS);
    }
    if (largest > LARGEST_FIELD)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "the exponent of an element is not that of a number");
    if (!status)
        egc_bits_reader_finish(&bits, reader);
    return status;
}

const egc_compressor_type egc_compressor_natural = {
    .name = "natural",
    .summary = "stochastic rounding to powers of two: sign and exponent",
    .size = "9 n bits",
    .formula = "C(x)_i = sign(x_i) 2^a or 2^(a+1) with probabilities 1 - f and f, |x_i| = 2^a (1 + "
               "f); below 2^-126: 0 or 2^-126",
    .reference = "Horvath et al. 2019, arXiv 1905.10988",
    .traits = EGC_TRAIT_UNBIASED,
    .settings = "memory=none",
    .cost = {.bytes_per_element = 5.125, .kernels = 1},
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
