/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MXNet's two-bit compression (docs/faq/gradient_compression.md), the dense form of Strom 2015:
 *     C(p)_i = tau where p_i >= tau, -tau where p_i <= -tau, 0 elsewhere
 * with the rest kept by the residual. At most one tau an element leaves it at a step, so a tau
 * that is small beside the gradients lets the residual grow without bound.
 *
 * Codes 11, 10 and 00, the first element in the highest bits; 01 is none. Public code packs whole
 * words, and one adds four codes to messages that fill theirs already; here only the last byte is
 * padded.
 *
 * Known answer, by hand: with tau = 0.5, 0.5, -0.7, 0.1, 3 and -0.4 are 11 10 00 11 00: 0xe3 0x00.
 */
#include "compressors/plugin.h"
#include "compressors/quantisers/quantiser.h"

typedef struct twobit_params {
    double tau;
} twobit_params;

static const egc_param params_table[] = {
    EGC_PARAM(twobit_params, tau, REAL, "tau", "the magnitude that is sent, where it is reached",
              .def = 0.5, .min = 1e-30, .max = 1e30),
    EGC_PARAM_END,
};

enum { ZERO = 0, MINUS = 2, PLUS = 3, NONE = 1 };

static float tau_of(const void *params)
{
    return (float)((const twobit_params *)params)->tau;
}

static size_t bound(const void *params, size_t n)
{
    (void)params;
    return (2 * n + 7) / 8;
}

static egc_status encode(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)state, (void)context;
    float tau = tau_of(params);
    egc_quantiser_packer packer;
    egc_status status = egc_quantiser_open(&packer, wire, 8 * (uint64_t)bound(params, n), err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++) /* only one of the two is true */
        egc_quantiser_put(&packer, (uint32_t)(PLUS * (x[i] >= tau) + MINUS * (x[i] <= -tau)), 2);
    egc_quantiser_close(&packer);
    return EGC_OK;
}

static egc_status decode(const void *params, egc_reader *reader, float weight, float *out, size_t n,
                         egc_error *err)
{
    float step = weight * tau_of(params);
    const float value[] = {[ZERO] = 0, [NONE] = 0, [MINUS] = -step, [PLUS] = step};
    egc_bits_reader bits = egc_bits_reader_of(reader);
    egc_status status = egc_quantiser_need(&bits, 2 * (uint64_t)n, err);
    bool none = false;
    for (size_t i = 0; i < n && !status; i++) {
        uint32_t code = egc_quantiser_get(&bits, 2);
        none |= code == NONE;
        out[i] += value[code];
    }
    if (none)
        return egc_fail(err, EGC_ERROR_FORMAT, "01 is no code");
    if (!status)
        egc_bits_reader_finish(&bits, reader);
    return status;
}

const egc_compressor_type egc_compressor_twobit = {
    .name = "twobit",
    .summary = "tau, 0 or -tau for each element, the rest kept (MXNet)",
    .size = "2 n bits",
    .formula = "C(p)_i = tau if p_i >= tau, -tau if p_i <= -tau, else 0",
    .reference = "MXNet's gradient compression; after Strom 2015, Interspeech",
    .params = params_table,
    .params_size = sizeof(twobit_params),
    .settings = "memory=residual",
    .cost = {.bytes_per_element = 4.25, .kernels = 1},
    .bound = bound,
    .encode = encode,
    .decode = decode,
};
