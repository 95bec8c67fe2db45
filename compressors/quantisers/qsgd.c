/* SPDX-License-Identifier: GPL-3.0-or-later */
/* QSGD (Alistarh et al. 2017, arXiv 1610.02132): stochastic rounding to `levels` levels of the
 * norm of each bucket.
 *     N = ||x_b||_2 (or max |x_b|),   l_i = s |x_i| / N,   q_i = floor(l_i) + Bernoulli(l_i mod 1)
 *     C(x)_i = N sign(x_i) q_i / s
 * Unbiased; for a bucket of d elements E||C(x) - x||^2 <= min(d/s^2, sqrt(d)/s) ||x||^2 with the L2
 * norm, and <= d N^2 / (4 s^2) with either. N is rounded to a float before it is used, so that the
 * mean is exact for the N that is sent, except for the rounding of decoded values; a norm that no
 * float can hold becomes FLT_MAX, which does as well, since no element is larger. A bucket of zeros
 * has N = 0 and sends zeros: public code divides by it and sends NaN cast to integers.
 *
 * packed: of each bucket N as fp32, then for each element its sign and q in ceil(log2(s + 1))
 * bits. elias, after the dithering of BytePS: Elias-delta of one more than the number of q_i > 0,
 * the N of all buckets, and for each q_i > 0 Elias-delta of the distance from the one before, its
 * sign, Elias-delta of q_i.
 *
 * Known answer, by hand: 3, -4 have N = 5; with s = 5, 3 and 4 are levels, and the message is
 * 0x40a00000, 0 011, 1 100: 0x3c. Elias: delta(3) = 0101, N, delta(1) = 1, 0, delta(3) = 0101,
 * 1, 1, delta(4) = 01100. */
#include "compressors/plugin.h"
#include "compressors/quantisers/quantiser.h"
#include "kernels/kernels.h"

enum { L2, MAX };
enum { PACKED, ELIAS };

typedef struct qsgd_params {
    int64_t levels;
    int64_t block;
    int norm;
    int code;
} qsgd_params;

static const char *const norm_words[] = {"l2", "max", NULL};
static const char *const code_words[] = {"packed", "elias", NULL};

static const egc_param params_table[] = {
    EGC_PARAM(qsgd_params, levels, INT, "levels", "levels above 0, s", .def = 127, .min = 1,
              .max = 65535),
    EGC_PARAM(qsgd_params, block, INT, "bucket", "elements that share a norm; 0: all", .def = 128,
              .max = 1e9),
    EGC_PARAM(qsgd_params, norm, CHOICE, "norm", "what the highest level stands for", .def = L2,
              .choices = norm_words),
    EGC_PARAM(qsgd_params, code, CHOICE, "code",
              "levels at a fixed width, or those above 0 in Elias' delta code", .def = PACKED,
              .choices = code_words),
    EGC_PARAM_END,
};

/* ---- levels -------------------------------------------------------------------------------- */

/* Never below an element: sums, roots and roundings to nearest keep the order of numbers, and an
 * element is a float. */
static float norm_of(const qsgd_params *params, const float *x, size_t n)
{
    const egc_kernels *kernels = egc_kernels_get();
    if (params->norm == MAX)
        return kernels->max_abs(x, n);
    double norm = sqrt(kernels->norm2(x, n));
    return norm < (double)FLT_MAX ? (float)norm : FLT_MAX;
}

static uint32_t level_of(double levels, double divisor, float x, gsl_rng *rng)
{
    double level = levels * fabs((double)x) / divisor;
    uint32_t below = (uint32_t)level;
    return below + (gsl_rng_uniform(rng) < level - below);
}

static double divisor_of(float norm)
{
    return norm > 0 ? (double)norm : 1;
}

static unsigned level_width(const qsgd_params *params)
{
    return egc_bits_width((uint32_t)params->levels);
}

/* The value of a level of this norm, with a sign. */
static float value_of(float norm, uint32_t level, double levels, uint32_t negative)
{
    float magnitude = (float)((double)norm * level / levels);
    return egc_bits_to_float(egc_bits_of_float(magnitude) | negative << 31);
}

/* ---- packed -------------------------------------------------------------------------------- */

static void encode_packed(const qsgd_params *params, gsl_rng *rng, const float *x, size_t n,
                          egc_quantiser_packer *packer)
{
    double levels = (double)params->levels;
    unsigned width = level_width(params);
    size_t length = egc_quantiser_block_length(params->block, n);
    for (size_t start = 0; start < n; start += length) {
        size_t end = n - start < length ? n : start + length;
        float norm = norm_of(params, x + start, end - start);
        double divisor = divisor_of(norm);
        egc_quantiser_put_float(packer, norm);
        for (size_t i = start; i < end; i++) {
            uint32_t level = level_of(levels, divisor, x[i], rng);
            egc_quantiser_put(packer, egc_is_negative(x[i]) << width | level, 1 + width);
        }
    }
}

static egc_status decode_packed(const qsgd_params *params, egc_bits_reader *bits, float weight,
                                float *out, size_t n, egc_error *err)
{
    double levels = (double)params->levels;
    unsigned width = level_width(params);
    size_t length = egc_quantiser_block_length(params->block, n);
    uint32_t mask = (1u << width) - 1, highest = 0;
    for (size_t start = 0; start < n; start += length) {
        size_t end = n - start < length ? n : start + length;
        float norm;
        egc_status status = egc_quantiser_read_scale(bits, 0, FLT_MAX, &norm, err);
        if (!status)
            status = egc_quantiser_need(bits, (uint64_t)(end - start) * (1 + width), err);
        if (status)
            return status;
        for (size_t i = start; i < end; i++) {
            uint32_t code = egc_quantiser_get(bits, 1 + width), level = code & mask;
            highest = level > highest ? level : highest;
            out[i] += weight * value_of(norm, level, levels, code >> width);
        }
    }
    if (highest > params->levels)
        return egc_fail(err, EGC_ERROR_FORMAT, "level %u is above %lld", highest,
                        (long long)params->levels);
    return EGC_OK;
}

/* ---- Elias --------------------------------------------------------------------------------- */

/* Elias' delta code of value >= 1 (Elias 1975): with L the bits of value and M the bits of L,
 * M - 1 zeros, L in M bits, and value without its leading one. */
static unsigned delta_bits(uint32_t value)
{
    unsigned length = egc_bits_width(value);
    return 2 * egc_bits_width(length) - 1 + length - 1;
}

static void put_delta(egc_quantiser_packer *packer, uint32_t value)
{
    unsigned length = egc_bits_width(value);
    uint64_t low = value & ~(1u << (length - 1));
    egc_quantiser_put(packer, (uint64_t)length << (length - 1) | low, delta_bits(value));
}

/* FORMAT at the end, or when the value is larger than limit. */
static egc_status read_delta(egc_bits_reader *bits, uint64_t limit, uint32_t *out, egc_error *err)
{
    uint64_t word = egc_bits_peek(bits);
    unsigned zeros = word ? (unsigned)__builtin_clzll(word) : 64;
    uint32_t length, low;
    if (zeros > 5)
        return egc_fail(err, EGC_ERROR_FORMAT, "no Elias code begins with %u zeros", zeros);
    egc_status status = egc_bits_read(bits, 2 * zeros + 1, &length, err);
    if (status)
        return status;
    if (length > 32)
        return egc_fail(err, EGC_ERROR_FORMAT, "Elias code of %u bits", length);
    status = egc_bits_read(bits, length - 1, &low, err);
    if (status)
        return status;
    *out = 1u << (length - 1) | low;
    if (*out > limit)
        return egc_fail(err, EGC_ERROR_FORMAT, "%u is above %llu", *out, (unsigned long long)limit);
    return EGC_OK;
}

/* The levels of all elements, in `level`; how many are not 0. */
static size_t quantise(const qsgd_params *params, gsl_rng *rng, const float *x, size_t n,
                       float *norm, uint32_t *level)
{
    size_t length = egc_quantiser_block_length(params->block, n), nonzero = 0;
    for (size_t start = 0; start < n; start += length, norm++) {
        size_t end = n - start < length ? n : start + length;
        *norm = norm_of(params, x + start, end - start);
        double divisor = divisor_of(*norm);
        for (size_t i = start; i < end; i++) {
            level[i] = level_of((double)params->levels, divisor, x[i], rng);
            nonzero += level[i] > 0;
        }
    }
    return nonzero;
}

static egc_status encode_elias(const qsgd_params *params, const egc_context *context,
                               const float *x, size_t n, egc_quantiser_packer *packer,
                               egc_error *err)
{
    size_t blocks = egc_quantiser_block_count(params->block, n), next = 0;
    uint32_t *level = egc_arena_alloc(context->scratch, n * sizeof *level);
    float *norm = egc_arena_alloc(context->scratch, blocks * sizeof *norm);
    if (!level || !norm)
        return egc_fail_memory(err, n * sizeof *level + blocks * sizeof *norm);
    put_delta(packer, (uint32_t)quantise(params, context->rng, x, n, norm, level) + 1);
    for (size_t b = 0; b < blocks; b++)
        egc_quantiser_put_float(packer, norm[b]);
    for (size_t i = 0; i < n; i++) {
        if (level[i] == 0)
            continue;
        put_delta(packer, (uint32_t)(i - next) + 1);
        egc_quantiser_put(packer, egc_is_negative(x[i]), 1);
        put_delta(packer, level[i]);
        next = i + 1;
    }
    return EGC_OK;
}

/* The norms come first, and are looked up where they lie. */
static egc_status decode_elias(const qsgd_params *params, egc_bits_reader *bits, float weight,
                               float *out, size_t n, egc_error *err)
{
    size_t length = egc_quantiser_block_length(params->block, n);
    size_t blocks = egc_quantiser_block_count(params->block, n), next = 0, known = 0;
    uint32_t nonzero;
    egc_status status = read_delta(bits, (uint64_t)n + 1, &nonzero, err);
    egc_bits_reader norms = *bits;
    float norm = 0, skipped;
    for (size_t b = 0; b < blocks && !status; b++)
        status = egc_quantiser_read_scale(bits, 0, FLT_MAX, &skipped, err);
    for (uint32_t k = 1; k < nonzero && !status; k++) {
        uint32_t gap, negative, level;
        status = read_delta(bits, n - next, &gap, err);
        if (!status)
            status = egc_bits_read(bits, 1, &negative, err);
        if (!status)
            status = read_delta(bits, (uint64_t)params->levels, &level, err);
        if (status)
            return status;
        size_t i = next + gap - 1;
        for (; known <= i / length && !status; known++)
            status = egc_quantiser_read_scale(&norms, 0, FLT_MAX, &norm, err);
        out[i] += weight * value_of(norm, level, (double)params->levels, negative);
        next = i + 1;
    }
    return status;
}

/* ---- both ---------------------------------------------------------------------------------- */

/* Elias: no element takes more than a distance of 1, a sign and the highest level. */
static size_t bound(const void *params_, size_t n)
{
    const qsgd_params *params = params_;
    uint64_t bits = 32 * (uint64_t)egc_quantiser_block_count(params->block, n);
    if (params->code == PACKED)
        bits += (uint64_t)n * (1 + level_width(params));
    else
        bits += delta_bits((uint32_t)n + 1) + n * (2ull + delta_bits((uint32_t)params->levels));
    return (size_t)((bits + 7) / 8);
}

static egc_status encode(const void *params_, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)state;
    const qsgd_params *params = params_;
    egc_quantiser_packer packer;
    egc_status status = egc_quantiser_open(&packer, wire, 8 * (uint64_t)bound(params, n), err);
    if (!status && params->code == PACKED)
        encode_packed(params, context->rng, x, n, &packer);
    else if (!status)
        status = encode_elias(params, context, x, n, &packer, err);
    if (!status)
        egc_quantiser_close(&packer);
    return status;
}

static egc_status decode(const void *params_, egc_reader *reader, float weight, float *out,
                         size_t n, egc_error *err)
{
    const qsgd_params *params = params_;
    egc_bits_reader bits = egc_bits_reader_of(reader);
    egc_status status = params->code == PACKED ? decode_packed(params, &bits, weight, out, n, err)
                                               : decode_elias(params, &bits, weight, out, n, err);
    if (!status)
        egc_bits_reader_finish(&bits, reader);
    return status;
}

const egc_compressor_type egc_compressor_qsgd = {
    .name = "qsgd",
    .summary = "stochastic rounding to levels of each bucket's norm",
    .size = "(1 + ceil(log2(levels + 1))) n + 32 ceil(n / bucket) bits; elias: delta(1 + k) + 32 "
            "ceil(n / bucket) + the sum over the k levels above 0 of delta(gap) + 1 + delta(level)",
    .formula = "C(x)_i = N sign(x_i) q_i / s, N = ||x_b||, q_i = floor(l) + Bernoulli(l mod 1), "
               "l = s |x_i| / N",
    .reference = "Alistarh et al. 2017, arXiv 1610.02132; elias: after BytePS' dithering",
    .traits = EGC_TRAIT_UNBIASED,
    .params = params_table,
    .params_size = sizeof(qsgd_params),
    .settings = "memory=none",
    .cost = {.bytes_per_element = 9, .kernels = 2},
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
