/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 1-bit SGD (Seide et al. 2014, Interspeech): the sign of each element; decoded to the mean of the
 * elements of that sign.
 *     C(p)_i = mean of {p_j >= 0} where p_i >= 0, mean of {p_j < 0} elsewhere
 * with the error fed back by the residual. The means are those of the unit, or with `columns`
 * those of each column of a matrix, as in the paper: the layer's first dimension is the rows, all
 * others the columns. A side without elements has mean 0.
 *
 * The message is, with `columns`, the number of groups of elements as a varint; then for each
 * group the two means as fp32, of p >= 0 and of p < 0; then a bit for each element. Public code
 * reads signs 32 at a time and past the end of messages that are not padded to match.
 *
 * Contraction: of a group with m elements, m+ of them >= 0,
 *     ||p - C(p)||^2 = ||p||^2 - ||p+||_1^2 / m+ - ||p-||_1^2 / m- <= (1 - 1/m) ||p||^2,
 * and m <= n.
 *
 * Known answer, by hand: 1, 3, -2, -6, 0 have means 4/3 and -4 and bits 00110: 0x3faaaaab
 * 0xc0800000 0x30. As a matrix of two rows, 1, 3, -2, -6 has columns 1, -2 and 3, -6: 0x02
 * 0x3f800000 0xc0000000 0x40400000 0xc0c00000 0x30. */
#include "compressors/plugin.h"
#include "compressors/quantisers/quantiser.h"

typedef struct onebit_params {
    bool columns;
} onebit_params;

static const egc_param params_table[] = {
    EGC_PARAM(onebit_params, columns, BOOL, "columns",
              "means of each column of a matrix, not of the whole unit", .def = 0),
    EGC_PARAM_END,
};

enum { SIDES = 2 }; /* 0: p >= 0, 1: p < 0 */

/* The elements of group g are those at g, g + groups, g + 2 groups, ... */
static size_t groups_of(const onebit_params *params, const egc_unit *unit, size_t n)
{
    if (!params->columns || unit->rows < 2 || n % unit->rows)
        return 1;
    return n / unit->rows;
}

typedef struct side {
    double sum;
    size_t count;
} side;

static float mean_of(const side *s)
{
    return s->count ? (float)(s->sum / (double)s->count) : 0;
}

/* The sums of one group, in registers. Signs are unpredictable, so elements of the other side are
 * masked to 0 instead of skipped by a branch. */
static void sum_sides(const float *x, size_t n, side sides[SIDES])
{
    double positive = 0, negative = 0;
    size_t negatives = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t is_negative = egc_is_negative(x[i]), bits = egc_bits_of_float(x[i]);
        positive += (double)egc_bits_to_float(bits & (is_negative - 1));
        negative += (double)egc_bits_to_float(bits & -is_negative);
        negatives += is_negative;
    }
    sides[0] = (side){positive, n - negatives};
    sides[1] = (side){negative, negatives};
}

static void sum_sides_of_columns(const float *x, size_t n, size_t groups, side *sides)
{
    for (size_t row = 0; row < n; row += groups)
        for (size_t g = 0; g < groups; g++) {
            side *s = &sides[SIDES * g + egc_is_negative(x[row + g])];
            s->sum += (double)x[row + g];
            s->count++;
        }
}

static size_t bound(const void *params, size_t n)
{
    size_t signs = (n + 7) / 8, means = SIDES * sizeof(float);
    if (!((const onebit_params *)params)->columns)
        return means + signs;
    size_t most = n / 2 > 1 ? n / 2 : 1; /* columns of two rows */
    return egc_bits_varint_bytes((uint32_t)most) + most * means + signs;
}

static egc_status encode(const void *params_, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)state;
    const onebit_params *params = params_;
    size_t groups = groups_of(params, context->unit, n);
    side *sides = egc_arena_alloc(context->scratch, SIDES * groups * sizeof *sides);
    if (!sides)
        return egc_fail_memory(err, SIDES * groups * sizeof *sides);
    if (groups == 1)
        sum_sides(x, n, sides);
    else
        sum_sides_of_columns(x, n, groups, sides);

    if (params->columns)
        egc_bits_put_varint(wire, (uint32_t)groups);
    egc_quantiser_packer packer;
    egc_status status = egc_quantiser_open(&packer, wire, 64 * (uint64_t)groups + n, err);
    if (status)
        return status;
    for (size_t i = 0; i < SIDES * groups; i++)
        egc_quantiser_put_float(&packer, mean_of(&sides[i]));
    for (size_t i = 0; i < n; i++)
        egc_quantiser_put(&packer, egc_is_negative(x[i]), 1);
    egc_quantiser_close(&packer);
    return EGC_OK;
}

static egc_status read_groups(const onebit_params *params, egc_reader *reader, size_t n,
                              uint32_t *groups, egc_error *err)
{
    *groups = 1;
    if (!params->columns)
        return EGC_OK;
    egc_status status = egc_bits_read_varint(reader, groups, err);
    if (!status && (*groups == 0 || n % *groups || (*groups > 1 && *groups == n)))
        status = egc_fail(err, EGC_ERROR_FORMAT, "%zu elements do not make %u columns", n, *groups);
    return status;
}

static egc_status read_means(egc_bits_reader *bits, float means[SIDES], egc_error *err)
{
    egc_status status = egc_quantiser_read_scale(bits, 0, FLT_MAX, &means[0], err);
    return status ? status : egc_quantiser_read_scale(bits, -FLT_MAX, 0, &means[1], err);
}

/* The elements of row after row, as they lie; the means, for want of a place to keep them, are
 * looked up for each. */
static void add_columns(egc_bits_reader *bits, egc_bits_reader means, size_t groups, float weight,
                        float *out, size_t n)
{
    for (size_t row = 0; row < n; row += groups)
        for (size_t g = 0; g < groups; g++) {
            egc_bits_reader mean = means;
            mean.position += 32 * (SIDES * g + egc_quantiser_get(bits, 1));
            out[row + g] += weight * egc_bits_to_float(egc_quantiser_get(&mean, 32));
        }
}

static egc_status decode(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err)
{
    uint32_t groups;
    float mean[SIDES];
    egc_status status = read_groups(params, reader, n, &groups, err);
    egc_bits_reader bits = egc_bits_reader_of(reader), means = bits;
    for (uint32_t g = 0; g < groups && !status; g++)
        status = read_means(&bits, mean, err);
    if (!status)
        status = egc_quantiser_need(&bits, n, err);
    if (status)
        return status;
    if (groups > 1)
        add_columns(&bits, means, groups, weight, out, n);
    else
        for (size_t i = 0; i < n; i++)
            out[i] += weight * mean[egc_quantiser_get(&bits, 1)];
    egc_bits_reader_finish(&bits, reader);
    return EGC_OK;
}

/* The bound for a whole unit; columns do better. */
static double contraction(const void *params, size_t n)
{
    (void)params;
    return 1 / (double)n;
}

const egc_compressor_type egc_compressor_onebit = {
    .name = "onebit",
    .summary = "signs, decoded to the mean of either sign, the error fed back (1-bit SGD)",
    .size = "n + 64 bits; columns: n + 64 columns, and the columns as a varint",
    .formula =
        "C(p)_i = mean of {p_j >= 0} if p_i >= 0, else mean of {p_j < 0}; j over the unit, or "
        "over i's column",
    .reference = "Seide et al. 2014, Interspeech",
    .traits = EGC_TRAIT_CONTRACTION,
    .params = params_table,
    .params_size = sizeof(onebit_params),
    .settings = "memory=residual",
    .cost = {.bytes_per_element = 8.125, .kernels = 2},
    .contraction = contraction,
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
