/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adaptive quantisation of both sides (Dryden et al. 2016, MLHPC): of the n+ positive and of the
 * n- negative elements the same share goes, the largest of either side, and each side becomes its
 * mean. The thresholds thus follow the distribution where Strom's is fixed.
 *     k+ = max(1, floor(ratio n+)) of the positive, k- likewise of the negative; none of none
 * The means are the value codec's, sign_mean: one bit a value.
 *
 * Equal magnitudes go by index, the lower first.
 *
 * Known answer, by hand: 4, -1, 2, -3, 1, 0 with ratio 0.5 has three positive and two negative:
 * one of each is sent, 4 and -3.
 *
 * Contraction, before the values become means: either side keeps max(1, floor(r m)) >= r m / 2 of
 * its m elements, and at least one of n, so ||x - x_S||^2 <= (1 - max(r/2, 1/n)) ||x||^2. */
#include <math.h>

#include "compressors/plugin.h"
#include "compressors/sparsifiers/largest.h"

typedef struct dryden_params {
    double ratio;
} dryden_params;

static const egc_param params_table[] = {
    EGC_RATIO_PARAM(dryden_params, 0.01,
                    "share of the positive and of the negative elements to send"),
    EGC_PARAM_END,
};

typedef struct side {
    uint32_t *index;
    size_t count;
} side;

/* The indices of the positive elements into sides[0], of the negative ones into sides[1]. */
static void split_by_sign(const float *x, size_t n, side sides[2])
{
    size_t positive = 0, negative = 0;
    for (size_t i = 0; i < n; i++) { /* without branches: no one could predict them */
        sides[0].index[positive] = (uint32_t)i;
        positive += x[i] > 0;
        sides[1].index[negative] = (uint32_t)i;
        negative += x[i] < 0;
    }
    sides[0].count = positive;
    sides[1].count = negative;
}

static void merge(const side sides[2], egc_selection *out)
{
    const side *a = &sides[0], *b = &sides[1];
    size_t i = 0, j = 0;
    out->count = a->count + b->count;
    for (size_t k = 0; k < out->count; k++) {
        bool first = j == b->count || (i < a->count && a->index[i] < b->index[j]);
        out->index[k] = first ? a->index[i++] : b->index[j++];
    }
}

static egc_status select_both_sides(const void *params, void *state, const egc_context *context,
                                    const float *x, size_t n, egc_selection *out, egc_error *err)
{
    (void)params, (void)state;
    uint32_t *room = egc_arena_alloc(context->scratch, 2 * n * sizeof *room);
    if (!room)
        return egc_fail_memory(err, 2 * n * sizeof *room);
    side sides[2] = {{.index = room}, {.index = room + n}};
    split_by_sign(x, n, sides);
    for (int s = 0; s < 2; s++) {
        size_t k = egc_largest_count(context->density, sides[s].count);
        egc_status status =
            egc_largest_among(x, k, context->scratch, sides[s].index, &sides[s].count, err);
        if (status)
            return status;
    }
    merge(sides, out);
    return EGC_OK;
}

static double contraction(const void *params, size_t n)
{
    return fmax(egc_largest_ratio(params) / 2, 1 / (double)n);
}

const egc_compressor_type egc_compressor_dryden = {
    .name = "dryden",
    .summary = "the largest of the positive and of the negative elements, each as its side's mean",
    .size = "sparse, k = max(1, floor(ratio n+)) + max(1, floor(ratio n-))",
    .formula = "S = the max(1, floor(ratio n+)) largest x_i > 0 and the max(1, floor(ratio n-)) "
               "largest -x_i > 0; C(x)_i = the mean of x_S over i's side, 0 off S",
    .reference = "Dryden, Moon, Jacobs and Van Essen 2016, MLHPC",
    .traits = EGC_TRAIT_CONTRACTION | EGC_TRAIT_SCALE_FREE,
    .params = params_table,
    .params_size = sizeof(dryden_params),
    .settings = "value=sign_mean",
    .cost = {.bytes_per_element = 16, .kernels = 7, .sort_bytes_per_element = 2},
    .density = egc_largest_ratio,
    .contraction = contraction,
    .select = select_both_sides,
};
