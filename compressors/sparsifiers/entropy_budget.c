/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rule = "budget": the layers of a unit divide a budget of elements in proportion to exp(H), H the
 * entropy of a layer's normalised magnitudes (its effective number of elements), and each sends its
 * largest. Our reading of EGC: see maxentropy.c. */
#include "compressors/sparsifiers/entropy.h"
#include "compressors/sparsifiers/largest.h"

typedef struct layer_part {
    double effective; /* exp(H) */
    double most;      /* elements that are not 0 */
    double k;
} layer_part;

static layer_part measure_layer(const float *x, size_t n, double inverse)
{
    egc_entropy_sums sums = {0};
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            egc_entropy_add(&sums, fabsf(x[i]), inverse);
    if (sums.count == 0)
        return (layer_part){0};
    return (layer_part){.effective = exp(log(sums.b) - sums.b_ln_b / sums.b),
                        .most = (double)sums.count};
}

/* Divides the budget in proportion to the effective numbers. A layer whose part exceeds its
 * non-zero elements takes all of them, and the rest is divided again among the other layers. */
static void divide_budget(layer_part *part, size_t n_layers, double budget)
{
    for (bool again = true; again;) {
        double all = 0;
        for (size_t l = 0; l < n_layers; l++)
            all += part[l].k == 0 ? part[l].effective : 0;
        again = false;
        double left = budget;
        for (size_t l = 0; l < n_layers; l++)
            if (part[l].k == 0 && part[l].effective > 0 &&
                left * part[l].effective >= part[l].most * all) {
                part[l].k = part[l].most;
                budget -= part[l].most;
                again = true;
            }
        for (size_t l = 0; !again && l < n_layers; l++)
            if (part[l].k == 0 && part[l].effective > 0)
                part[l].k = fmax(1, floor(budget * part[l].effective / all * (1 + 1e-12)));
    }
}

egc_status egc_entropy_budget_select(const egc_context *context, const float *x, size_t n,
                                     egc_selection *out, egc_error *err)
{
    const egc_unit *unit = context->unit;
    size_t budget = egc_largest_count(context->density, n), first = 0;
    out->count = 0;
    if (!unit->layers)
        return egc_largest_select(x, n, budget, context->scratch, out->index, &out->count, err);
    layer_part *part = egc_arena_alloc(context->scratch, unit->n_layers * sizeof *part);
    if (!part)
        return egc_fail_memory(err, unit->n_layers * sizeof *part);
    for (size_t l = 0; l < unit->n_layers; first += unit->layers[l++])
        part[l] = measure_layer(x + first, unit->layers[l], 1 / (double)context->max_abs);
    divide_budget(part, unit->n_layers, (double)budget);
    first = 0;
    for (size_t l = 0; l < unit->n_layers; first += unit->layers[l++]) {
        size_t count = 0;
        if (part[l].k == 0)
            continue;
        egc_status status =
            egc_largest_select(x + first, unit->layers[l], (size_t)part[l].k, context->scratch,
                               out->index + out->count, &count, err);
        if (status)
            return status;
        for (size_t end = out->count + count; out->count < end; out->count++)
            out->index[out->count] += (uint32_t)first;
    }
    return EGC_OK;
}
