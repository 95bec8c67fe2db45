/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Top-k: the k = max(1, floor(ratio n)) elements of largest magnitude (Aji and Heafield 2017;
 * Stich et al. 2018). Equal magnitudes go by index, the lower first, so that the set does not
 * depend on the machine. Exact zeros carry nothing and are not sent.
 *
 * Contraction: ||x - C(x)||^2 <= (1 - k/n) ||x||^2. */
#include "compressors/plugin.h"
#include "compressors/sparsifiers/largest.h"

typedef struct topk_params {
    double ratio;
} topk_params;

static const egc_param params_table[] = {
    EGC_RATIO_PARAM(topk_params, 0.01, "share of elements to send"),
    EGC_PARAM_END,
};

static egc_status select_largest(const void *params, void *state, const egc_context *context,
                                 const float *x, size_t n, egc_selection *out, egc_error *err)
{
    (void)params, (void)state;
    return egc_largest_select(x, n, egc_largest_count(context->density, n), context->scratch,
                              out->index, &out->count, err);
}

static double contraction(const void *params, size_t n)
{
    return (double)egc_largest_count(egc_largest_ratio(params), n) / (double)n;
}

const egc_compressor_type egc_compressor_topk = {
    .name = "topk",
    .summary = "the k elements of largest magnitude",
    .size = "sparse, k = max(1, floor(ratio n)) less the zeros",
    .formula = "S = the k = max(1, floor(ratio n)) largest |x_i|; C(x)_i = x_i on S, 0 elsewhere",
    .reference = "Aji and Heafield 2017, arXiv 1704.05021; Stich et al. 2018, arXiv 1809.07599",
    .traits = EGC_TRAIT_CONTRACTION | EGC_TRAIT_SCALE_FREE,
    .params = params_table,
    .params_size = sizeof(topk_params),
    .cost = {.bytes_per_element = 8, .kernels = 3, .sort_bytes_per_element = 2},
    .density = egc_largest_ratio,
    .contraction = contraction,
    .select = select_largest,
};
