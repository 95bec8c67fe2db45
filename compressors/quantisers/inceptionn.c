/* SPDX-License-Identifier: GPL-3.0-or-later */
/* INCEPTIONN (Li et al. 2018, MICRO): a tag of two bits for each element states that it is dropped,
 * or sent in 8, 16 or 32 bits, by its magnitude. No element is off by more than `error`.
 *
 * The classes are ours, made so that the bound holds. With the step h = 2^floor(log2(2 error)) and
 * m = round(|x| / h):
 *     tag 0   m = 0                 nothing
 *     tag 1   1 <= m <= 128         sign, m - 1 in 7 bits
 *     tag 2   129 <= m <= 32896     sign, m - 129 in 15 bits
 *     tag 3   beyond                fp32
 * Tags 1 and 2 decode to sign m h, at most h/2 <= error away; h is a power of two and m has 16
 * bits, so m h is a float and nothing else is rounded. In the paper |x| >= 1 stays fp32 and the
 * 8 bits have a marker that tells their exponent; public code loses it for the smaller values,
 * which then decode to another binade than they came from.
 *
 * All tags come first, then all payloads, without gaps.
 *
 * Known answer, by hand: error = 2^-10 has h = 2^-9. 0.0005, -1/512, 0.5 and 100 have m = 0, 1, 256
 * and more: tags 00 01 10 11, 1 0000000, 0 000000001111111 and 0x42c80000: 0x1b 0x80 0x00 0x7f 0x42
 * 0xc8 0x00 0x00. */
#include "compressors/plugin.h"
#include "compressors/quantisers/quantiser.h"

typedef struct inceptionn_params {
    double error;
} inceptionn_params;

static const egc_param params_table[] = {
    EGC_PARAM(inceptionn_params, error, REAL, "error", "no element is off by more", .def = 0x1p-10,
              .min = 1e-30, .max = 1e30),
    EGC_PARAM_END,
};

enum { DROPPED, BYTE, HALF, WHOLE };
enum { FIRST_HALF = 129, FIRST_WHOLE = FIRST_HALF + 32768 }; /* the least m of the tag */

static const unsigned payload_bits[] = {[DROPPED] = 0, [BYTE] = 8, [HALF] = 16, [WHOLE] = 32};
static const uint32_t payload_mask[] = {[DROPPED] = 0, [BYTE] = 0xff, [HALF] = 0xffff};
static const unsigned sign_bit[] = {[DROPPED] = 0, [BYTE] = 7, [HALF] = 15, [WHOLE] = 31};
static const uint32_t least[] = {[DROPPED] = 0, [BYTE] = 1, [HALF] = FIRST_HALF, [WHOLE] = 0};

static double step_of(const void *params)
{
    int exponent;
    frexp(2 * ((const inceptionn_params *)params)->error, &exponent); /* in [0.5, 1) 2^exponent */
    return ldexp(1, exponent - 1);
}

/* Exact: division by a power of two, and the addition of 1/2 to a number below 2^29. */
static uint32_t steps_of(float value, double inverse)
{
    double m = fabs((double)value) * inverse + 0.5;
    return (uint32_t)(m < FIRST_WHOLE ? m : FIRST_WHOLE);
}

static uint32_t tag_of(uint32_t m)
{
    return (m >= 1) + (m >= FIRST_HALF) + (m >= FIRST_WHOLE);
}

/* Sign and place in the class; whole numbers as they are. The tags of neighbours have little to do
 * with each other, so that only the rare one is worth a branch. */
static uint32_t payload_of(float value, uint32_t m, uint32_t tag)
{
    uint32_t coded = egc_is_negative(value) << sign_bit[tag] | (m - least[tag]);
    return tag == WHOLE ? egc_bits_of_float(value) : coded & payload_mask[tag];
}

static size_t bound(const void *params, size_t n)
{
    (void)params;
    return ((2 + 32) * n + 7) / 8;
}

static egc_status encode(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)state, (void)context;
    double inverse = 1 / step_of(params);
    egc_quantiser_packer packer;
    egc_status status = egc_quantiser_open(&packer, wire, 8 * (uint64_t)bound(params, n), err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        egc_quantiser_put(&packer, tag_of(steps_of(x[i], inverse)), 2);
    for (size_t i = 0; i < n; i++) {
        uint32_t m = steps_of(x[i], inverse), tag = tag_of(m);
        egc_quantiser_put(&packer, payload_of(x[i], m, tag), payload_bits[tag]);
    }
    egc_quantiser_close(&packer);
    return EGC_OK;
}

/* FORMAT: a number sent whole that has a shorter code, or is none. */
static egc_status check_whole(float value, double step, egc_error *err)
{
    if (!isfinite(value) || steps_of(value, 1 / step) < FIRST_WHOLE)
        return egc_fail(err, EGC_ERROR_FORMAT, "%g is not sent in 32 bits", value);
    return EGC_OK;
}

/* Reads the tags and, at a second position, the payloads they announce. */
static egc_status decode(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err)
{
    double step = step_of(params);
    egc_bits_reader tags = egc_bits_reader_of(reader), bits = tags;
    egc_status status = egc_quantiser_need(&tags, 2 * (uint64_t)n, err);
    if (!status)
        bits.position = 2 * (uint64_t)n;
    for (size_t i = 0; i < n && !status; i++) {
        uint32_t tag = egc_quantiser_get(&tags, 2), payload;
        status = egc_bits_read(&bits, payload_bits[tag], &payload, err);
        uint32_t sign = payload >> sign_bit[tag], place = payload & ((1u << sign_bit[tag]) - 1);
        float value = (float)((least[tag] + place) * step);
        value = egc_bits_to_float(egc_bits_of_float(value) | sign << 31);
        if (tag == WHOLE && !status) {
            value = egc_bits_to_float(payload);
            status = check_whole(value, step, err);
        }
        out[i] += weight * value;
    }
    if (!status)
        egc_bits_reader_finish(&bits, reader);
    return status;
}

const egc_compressor_type egc_compressor_inceptionn = {
    .name = "inceptionn",
    .summary = "0, 8, 16 or 32 bits for each element, by magnitude, within an error bound",
    .size = "2 n + 8 a + 16 b + 32 c bits for a, b, c elements of tags 1, 2, 3",
    .formula =
        "C(x)_i = sign(x_i) h round(|x_i| / h), h = 2^floor(log2(2 error)); x_i itself where "
        "round(|x_i| / h) > 32896",
    .reference = "Li et al. 2018, MICRO; its classes' borders are ours",
    .params = params_table,
    .params_size = sizeof(inceptionn_params),
    .settings = "memory=none",
    .cost = {.bytes_per_element = 12, .kernels = 3},
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
