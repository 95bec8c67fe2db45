/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eight bits an element, for each bucket of elements one of two codes, rounded to its steps.
 *
 * tree: the dynamic tree of Dettmers 2015. A code is a sign and seven bits: as many zeros as the
 * value is decades below the scale N = max |x_i|, a one, and the place within the decade, so that
 * large values get many places and small ones a wide range. The number m that the seven bits spell
 * stands for
 *     t(0) = 0,   t(m) = 10^-e (0.1 + 0.9 (j + 1) / 2^(6-e)),   m = 2^(6-e) + j, 0 <= j < 2^(6-e).
 * Each code is the upper end of its interval, where Dettmers takes the middle: the steps are as
 * wide, but the largest element is met exactly, t(127) = 1, and so are the powers of ten.
 * Public code assigns the code below the value instead of the nearest, has no code for the largest
 * element and loses the sign of the smallest magnitude.
 *
 * affine: 255 equal steps between lo = min(0, min x) and hi = max(0, max x), as in PyTorch's
 * quantisation hooks:
 *     step = (hi - lo) / 255,   z = round(-lo / step),   q_i = round(x_i / step) + z,
 * and q decodes to (q - z) step, within [lo, hi]: 0 stays 0. Public code pads a tensor whose
 * length is a multiple of the bucket by one bucket more; here no bucket is padded.
 *
 * Known answers, by hand: 1, -0.5, 0 have scale 1, and 0.5 lies nearest to t(91) = 0.1 + 0.9 28/64
 * = 0.49375: 0x3f800000 0x7f 0xdb 0x00. 2, -3, 0 affine: step = 5/255, z = 153, and 2 is 102
 * steps: 0xc0400000 0x40000000 0xff 0x00 0x99. */
#include "compressors/plugin.h"
#include "compressors/quantisers/quantiser.h"
#include "kernels/kernels.h"

enum { TREE, AFFINE };

typedef struct int8_params {
    int code;
    int64_t block;
} int8_params;

static const char *const code_words[] = {"tree", "affine", NULL};

static const egc_param params_table[] = {
    EGC_PARAM(int8_params, code, CHOICE, "code",
              "what a byte stands for: Dettmers' dynamic tree, or equal steps", .def = TREE,
              .choices = code_words),
    EGC_PARAM(int8_params, block, INT, "bucket", "elements that share a scale; 0: all", .max = 1e9),
    EGC_PARAM_END,
};

enum { SIGN_BIT = 7, SIGNED_ZERO = 1 << SIGN_BIT, MAGNITUDES = 128, DECADES = 7 };

/* ---- tree ---------------------------------------------------------------------------------- */

static const double powers_of_ten[DECADES] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};

static double tree_value(unsigned m)
{
    if (m == 0)
        return 0;
    unsigned e = DECADES - egc_bits_width(m), items = 1u << (DECADES - 1 - e), j = m - items;
    return (items + 9 * (j + 1)) / (10 * items * powers_of_ten[e]);
}

/* Within a decade codes are equally far apart, so the nearest is a rounding: m = floor(slope r +
 * offset), where 0 places above the decade's lower end is the uppermost code of the decade below.
 * The lowest decade has 1 as its only code, and 0 below it. */
typedef struct tree_decade {
    double slope, offset;
} tree_decade;

static void tree_decades(tree_decade decade[DECADES])
{
    for (unsigned e = 0; e < DECADES - 1; e++) {
        double items = 1u << (DECADES - 1 - e);
        decade[e] = (tree_decade){items * powers_of_ten[e] / 0.9, items - 0.5 - items / 9};
    }
    decade[DECADES - 1] = (tree_decade){powers_of_ten[DECADES - 1], 0.5};
}

static uint32_t tree_nearest(const tree_decade decade[DECADES], double r)
{
    int e = (r <= 1e-1) + (r <= 1e-2) + (r <= 1e-3) + (r <= 1e-4) + (r <= 1e-5) + (r <= 1e-6);
    return (uint32_t)(decade[e].slope * r + decade[e].offset);
}

static void encode_tree(const float *x, size_t n, size_t length, egc_quantiser_packer *packer)
{
    tree_decade decade[DECADES];
    tree_decades(decade);
    for (size_t start = 0; start < n; start += length) {
        size_t end = n - start < length ? n : start + length;
        float scale = egc_kernels_get()->max_abs(x + start, end - start);
        double divisor = scale > 0 ? (double)scale : 1;
        egc_quantiser_put_float(packer, scale);
        for (size_t i = start; i < end; i++) {
            uint32_t m = tree_nearest(decade, fabs((double)x[i]) / divisor);
            egc_quantiser_put(packer, m | (egc_is_negative(x[i]) & (m > 0)) << SIGN_BIT, 8);
        }
    }
}

static egc_status decode_tree(egc_bits_reader *bits, float weight, float *out, size_t n,
                              size_t length, egc_error *err)
{
    double value[1 << 8];
    for (unsigned m = 0; m < MAGNITUDES; m++)
        value[m] = tree_value(m), value[SIGNED_ZERO + m] = -tree_value(m);
    for (size_t start = 0; start < n; start += length) {
        size_t end = n - start < length ? n : start + length;
        float scale;
        egc_status status = egc_quantiser_read_scale(bits, 0, FLT_MAX, &scale, err);
        if (!status)
            status = egc_quantiser_need(bits, 8 * (uint64_t)(end - start), err);
        if (status)
            return status;
        bool signed_zero = false;
        for (size_t i = start; i < end; i++) {
            uint32_t code = egc_quantiser_get(bits, 8);
            signed_zero |= code == SIGNED_ZERO;
            out[i] += weight * (float)(value[code] * (double)scale);
        }
        if (signed_zero)
            return egc_fail(err, EGC_ERROR_FORMAT, "code 0x80 is a zero with a sign");
    }
    return EGC_OK;
}

/* ---- affine -------------------------------------------------------------------------------- */

typedef struct affine_range {
    double lo, hi, step, zero;
} affine_range;

/* The range that encoder and decoder compute from lo <= 0 <= hi. */
static affine_range affine_range_of(float lo, float hi)
{
    double step = ((double)hi - (double)lo) / 255;
    return (affine_range){lo, hi, step, step > 0 ? floor(-(double)lo / step + 0.5) : 0};
}

static void encode_affine(const float *x, size_t n, size_t length, egc_quantiser_packer *packer)
{
    for (size_t start = 0; start < n; start += length) {
        size_t end = n - start < length ? n : start + length;
        float lo = 0, hi = 0;
        for (size_t i = start; i < end; i++) {
            lo = x[i] < lo ? x[i] : lo;
            hi = x[i] > hi ? x[i] : hi;
        }
        affine_range range = affine_range_of(lo, hi);
        double divisor = range.step > 0 ? range.step : 1;
        egc_quantiser_put_float(packer, lo);
        egc_quantiser_put_float(packer, hi);
        for (size_t i = start; i < end; i++) { /* z >= -lo/step - 1/2: never below 0 */
            double q = (double)x[i] / divisor + 0.5 + range.zero;
            egc_quantiser_put(packer, (uint32_t)(q < 255 ? q : 255), 8);
        }
    }
}

static egc_status decode_affine(egc_bits_reader *bits, float weight, float *out, size_t n,
                                size_t length, egc_error *err)
{
    for (size_t start = 0; start < n; start += length) {
        size_t end = n - start < length ? n : start + length;
        float lo, hi;
        egc_status status = egc_quantiser_read_scale(bits, -FLT_MAX, 0, &lo, err);
        if (!status)
            status = egc_quantiser_read_scale(bits, 0, FLT_MAX, &hi, err);
        if (!status)
            status = egc_quantiser_need(bits, 8 * (uint64_t)(end - start), err);
        if (status)
            return status;
        affine_range range = affine_range_of(lo, hi);
        for (size_t i = start; i < end; i++) {
            double value = (egc_quantiser_get(bits, 8) - range.zero) * range.step;
            value = value < range.lo ? range.lo : value > range.hi ? range.hi : value;
            out[i] += weight * (float)value;
        }
    }
    return EGC_OK;
}

/* ---- both ---------------------------------------------------------------------------------- */

static size_t bound(const void *params_, size_t n)
{
    const int8_params *params = params_;
    size_t scale_bytes = params->code == TREE ? 4 : 8;
    return n + scale_bytes * egc_quantiser_block_count(params->block, n);
}

static egc_status encode(const void *params_, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)state, (void)context;
    const int8_params *params = params_;
    size_t length = egc_quantiser_block_length(params->block, n);
    egc_quantiser_packer packer;
    egc_status status = egc_quantiser_open(&packer, wire, 8 * (uint64_t)bound(params, n), err);
    if (status)
        return status;
    if (params->code == TREE)
        encode_tree(x, n, length, &packer);
    else
        encode_affine(x, n, length, &packer);
    egc_quantiser_close(&packer);
    return EGC_OK;
}

static egc_status decode(const void *params_, egc_reader *reader, float weight, float *out,
                         size_t n, egc_error *err)
{
    const int8_params *params = params_;
    size_t length = egc_quantiser_block_length(params->block, n);
    egc_bits_reader bits = egc_bits_reader_of(reader);
    egc_status status = params->code == TREE ? decode_tree(&bits, weight, out, n, length, err)
                                             : decode_affine(&bits, weight, out, n, length, err);
    if (!status)
        egc_bits_reader_finish(&bits, reader);
    return status;
}

/* With M = max |x_i| of a bucket of d elements: no error exceeds 0.0071 M (half a step of the
 * tree's first decade; affine's half step is M/255), none exceeds |x_i| since 0 has a code, and
 * the rounding of subnormals at most doubles an error. So the squared error is at most
 * 4 * 0.0071^2 d M^2 <= 2.1e-4 d ||x||^2, and at most ||x||^2 - (1 - 2.1e-4) M^2. */
static double contraction(const void *params_, size_t n)
{
    const int8_params *params = params_;
    double length = (double)egc_quantiser_block_length(params->block, n);
    return fmax((1 - 2.1e-4) / length, 1 - 2.1e-4 * length);
}

const egc_compressor_type egc_compressor_int8 = {
    .name = "int8",
    .summary = "a byte an element: Dettmers' dynamic tree, or equal steps between the extremes",
    .size = "8 n + 32 ceil(n / bucket) bits; affine: 64 ceil(n / bucket)",
    .formula = "tree: sign(x_i) max|x| t(m), t(m) nearest to |x_i| / max|x|; affine: step "
               "round(x_i / step), step = (max(x, 0) - min(x, 0)) / 255",
    .reference = "Dettmers 2015, arXiv 1511.04561 (upper ends for middles); PyTorch's quantisation "
                 "hooks",
    .traits = EGC_TRAIT_CONTRACTION,
    .params = params_table,
    .params_size = sizeof(int8_params),
    .settings = "memory=none",
    .cost = {.bytes_per_element = 9, .kernels = 2},
    .contraction = contraction,
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
