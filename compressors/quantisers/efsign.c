/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EF-signSGD (Karimireddy et al. 2019, arXiv 1901.09847): the signs, times the mean magnitude.
 *     C(p)_i = (||p||_1 / n) sgn(p_i),   sgn(0) = +1
 * with the error fed back by the residual. The paper compresses lr g + e; here the residual is in
 * units of the gradient and the optimiser multiplies by lr, which residual_lr = "rescale" makes the
 * same where lr changes.
 * Public code divides by lr afterwards without having multiplied at the first step, which makes
 * that step 1/lr too large.
 *
 * Contraction: ||p - C(p)||^2 = ||p||^2 - ||p||_1^2 / n <= (1 - 1/n) ||p||^2.
 *
 * Known answer, by hand: 1, -3, 0 have scale 4/3 and bits 010: 0x3faaaaab 0x40. */
#include "compressors/plugin.h"
#include "compressors/quantisers/quantiser.h"

static size_t bound(const void *params, size_t n)
{
    (void)params;
    return sizeof(float) + (n + 7) / 8;
}

/* By four partial sums, which need not wait for each other. */
static double norm1(const float *x, size_t n)
{
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        sum[0] += fabs((double)x[i]);
        sum[1] += fabs((double)x[i + 1]);
        sum[2] += fabs((double)x[i + 2]);
        sum[3] += fabs((double)x[i + 3]);
    }
    for (; i < n; i++)
        sum[0] += fabs((double)x[i]);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static egc_status encode(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)state, (void)context;
    egc_quantiser_packer packer;
    egc_status status = egc_quantiser_open(&packer, wire, 8 * (uint64_t)bound(params, n), err);
    if (status)
        return status;
    egc_quantiser_put_float(&packer, (float)(norm1(x, n) / (double)n));
    for (size_t i = 0; i < n; i++)
        egc_quantiser_put(&packer, egc_is_negative(x[i]), 1);
    egc_quantiser_close(&packer);
    return EGC_OK;
}

static egc_status decode(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err)
{
    (void)params;
    egc_bits_reader bits = egc_bits_reader_of(reader);
    float scale;
    egc_status status = egc_quantiser_read_scale(&bits, 0, FLT_MAX, &scale, err);
    if (!status)
        status = egc_quantiser_need(&bits, n, err);
    if (status)
        return status;
    const float value[] = {weight * scale, -(weight * scale)};
    for (size_t i = 0; i < n; i++)
        out[i] += value[egc_quantiser_get(&bits, 1)];
    egc_bits_reader_finish(&bits, reader);
    return EGC_OK;
}

static double contraction(const void *params, size_t n)
{
    (void)params;
    return 1 / (double)n;
}

const egc_compressor_type egc_compressor_efsign = {
    .name = "efsign",
    .summary = "signs times the mean magnitude, the error fed back",
    .size = "n + 32 bits",
    .formula = "C(p)_i = (||p||_1 / n) sgn(p_i), sgn(0) = +1",
    .reference = "Karimireddy et al. 2019, arXiv 1901.09847",
    .traits = EGC_TRAIT_CONTRACTION,
    .settings = "memory=residual;residual_lr=rescale",
    .cost = {.bytes_per_element = 8.125, .kernels = 2},
    .contraction = contraction,
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
