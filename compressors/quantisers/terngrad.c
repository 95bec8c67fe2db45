/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TernGrad (Wen et al. 2017, arXiv 1705.07878): each element becomes -s, 0 or s.
 *     c_i = x_i clipped to +-`clip` sd,   s = max |c_i|,   b_i = Bernoulli(|c_i| / s)
 *     C(x)_i = s sign(x_i) b_i
 * sd is the standard deviation about the mean. A vector whose elements are all equal has none, and
 * is not clipped. Unbiased for the clipped vector, with E||C(x) - x||^2 = sum |c_i| (s - |c_i|);
 * of x itself only with clip = 0. s = 0 sends zeros.
 *
 * The paper counts two bits an element. There are three values, so five of them fit a byte (3^5 =
 * 243), which takes 1.6 bits of the 1.585 that log2 3 asks for. Public code sends a byte each.
 * The paper's variant in which workers share the largest s is not this one.
 *
 * trit: s as fp32, then a byte for five elements, the first the lowest digit in base 3, digits 0,
 * 1 and 2 for 0, s and -s. bits: s, then 00, 01 and 10.
 *
 * Known answer, by hand: 2, 0, -2, 2 without clipping have s = 2 and probabilities 0 and 1: trit
 * sends 0x40000000 and 1 + 0*3 + 2*9 + 1*27 = 0x2e, bits 0x40000000 and 01 00 10 01 = 0x49. */
#include "compressors/plugin.h"
#include "compressors/quantisers/quantiser.h"
#include "kernels/kernels.h"

enum { TRIT, BITS };

typedef struct terngrad_params {
    double clip;
    int code;
} terngrad_params;

static const char *const code_words[] = {"trit", "bits", NULL};

static const egc_param params_table[] = {
    EGC_PARAM(terngrad_params, clip, REAL, "clip",
              "standard deviations beyond which elements are clipped; 0: none", .def = 2.5,
              .max = 1e6),
    EGC_PARAM(terngrad_params, code, CHOICE, "code", "five elements to a byte, or two bits each",
              .def = TRIT, .choices = code_words),
    EGC_PARAM_END,
};

enum { ZERO, PLUS, MINUS, N_CODES };
enum { TRITS = 5, BYTES = 256 }; /* five codes make a byte */

/* About the mean, which is taken first: the difference of two large sums would be noise. */
static double standard_deviation(const float *x, size_t n)
{
    double even = 0, odd = 0, even2 = 0, odd2 = 0;
    for (size_t i = 0; i + 2 <= n; i += 2) {
        even += (double)x[i];
        odd += (double)x[i + 1];
    }
    double last = n % 2 ? (double)x[n - 1] : 0, mean = (even + odd + last) / (double)n;
    for (size_t i = 0; i + 2 <= n; i += 2) {
        double a = (double)x[i] - mean, b = (double)x[i + 1] - mean;
        even2 += a * a;
        odd2 += b * b;
    }
    double last2 = n % 2 ? (last - mean) * (last - mean) : 0;
    return sqrt((even2 + odd2 + last2) / (double)n);
}

static float scale_of(const terngrad_params *params, const float *x, size_t n)
{
    float max = egc_kernels_get()->max_abs(x, n);
    if (params->clip == 0)
        return max;
    double limit = params->clip * standard_deviation(x, n);
    float scale = limit < (double)max ? (float)limit : max;
    return scale > 0 ? scale : max;
}

/* The probability of an element beyond the limit is above 1: it is sent as it is clipped. */
static uint32_t code_of(float x, double divisor, gsl_rng *rng)
{
    uint32_t sent = gsl_rng_uniform(rng) < fabs((double)x) / divisor;
    return (PLUS + egc_is_negative(x)) & -sent;
}

static size_t bound(const void *params, size_t n)
{
    size_t per_byte = ((const terngrad_params *)params)->code == TRIT ? TRITS : 4;
    return sizeof(float) + (n + per_byte - 1) / per_byte;
}

static egc_status encode(const void *params_, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)state;
    const terngrad_params *params = params_;
    egc_quantiser_packer packer;
    egc_status status = egc_quantiser_open(&packer, wire, 8 * (uint64_t)bound(params, n), err);
    if (status)
        return status;
    float scale = scale_of(params, x, n);
    double divisor = scale > 0 ? (double)scale : 1;
    egc_quantiser_put_float(&packer, scale);
    if (params->code == BITS)
        for (size_t i = 0; i < n; i++)
            egc_quantiser_put(&packer, code_of(x[i], divisor, context->rng), 2);
    else
        for (size_t start = 0; start < n; start += TRITS) {
            uint32_t byte = 0, place = 1;
            for (size_t i = start; i < n && i < start + TRITS; i++, place *= 3)
                byte += place * code_of(x[i], divisor, context->rng);
            egc_quantiser_put(&packer, byte, 8);
        }
    egc_quantiser_close(&packer);
    return EGC_OK;
}

/* FORMAT: five codes of three are 3^5 bytes, and fewer at the end fewer. */
static egc_status add_trits(egc_bits_reader *bits, const float value[N_CODES], float *out, size_t n,
                            egc_error *err)
{
    float digit[BYTES][TRITS] = {{0}};
    uint32_t bytes = 1;
    for (size_t t = 0; t < TRITS; t++)
        bytes *= 3;
    for (uint32_t byte = 0; byte < bytes; byte++)
        for (uint32_t t = 0, rest = byte; t < TRITS; t++, rest /= 3)
            digit[byte][t] = value[rest % 3];
    uint32_t largest = 0, byte = 0;
    size_t start = 0;
    for (; start + TRITS <= n; start += TRITS) {
        byte = egc_quantiser_get(bits, 8);
        largest = byte > largest ? byte : largest;
        for (size_t t = 0; t < TRITS; t++)
            out[start + t] += digit[byte][t];
    }
    if (start < n)
        byte = egc_quantiser_get(bits, 8);
    for (size_t i = start; i < n; i++, byte /= 3)
        out[i] += value[byte % 3];
    if (largest >= bytes || (start < n && byte > 0))
        return egc_fail(err, EGC_ERROR_FORMAT, "a byte is not made of ternary digits");
    return EGC_OK;
}

static egc_status add_pairs(egc_bits_reader *bits, const float value[N_CODES], float *out, size_t n,
                            egc_error *err)
{
    const float any[] = {value[ZERO], value[PLUS], value[MINUS], 0};
    uint32_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t code = egc_quantiser_get(bits, 2);
        largest = code > largest ? code : largest;
        out[i] += any[code];
    }
    return largest < N_CODES ? EGC_OK : egc_fail(err, EGC_ERROR_FORMAT, "11 is no ternary code");
}

static egc_status decode(const void *params_, egc_reader *reader, float weight, float *out,
                         size_t n, egc_error *err)
{
    const terngrad_params *params = params_;
    egc_bits_reader bits = egc_bits_reader_of(reader);
    egc_status status = egc_quantiser_need(&bits, 8 * (uint64_t)bound(params, n), err);
    float scale;
    if (!status)
        status = egc_quantiser_read_scale(&bits, 0, FLT_MAX, &scale, err);
    if (status)
        return status;
    const float value[] = {[ZERO] = 0, [PLUS] = weight * scale, [MINUS] = -(weight * scale)};
    status = params->code == TRIT ? add_trits(&bits, value, out, n, err)
                                  : add_pairs(&bits, value, out, n, err);
    if (!status)
        egc_bits_reader_finish(&bits, reader);
    return status;
}

const egc_compressor_type egc_compressor_terngrad = {
    .name = "terngrad",
    .summary = "stochastic rounding to -s, 0 or s, s the largest magnitude after clipping",
    .size = "32 + 8 ceil(n / 5) bits; code = bits: 32 + 2 n",
    .formula = "C(x)_i = s sign(x_i) Bernoulli(|c_i| / s), c = x clipped to +-clip sd(x), "
               "s = max |c_i|",
    .reference = "Wen et al. 2017, arXiv 1705.07878",
    .params = params_table,
    .params_size = sizeof(terngrad_params),
    .settings = "memory=none",
    .cost = {.bytes_per_element = 13, .kernels = 3},
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
