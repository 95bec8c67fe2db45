/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cyclic local top-k, the selection of ScaleCom (Chen et al. 2020): at step t worker t mod P leads.
 * It broadcasts the indices of the k = max(1, floor(ratio n)) largest of its own elements, and
 * every worker sends its own values there, which an all-reduce can sum: the message does not grow
 * with the number of workers, as the union of their own selections would. It works because the
 * workers' residuals grow alike; ScaleCom's low-pass filter of the residual makes them more so.
 *
 * chunked: the largest of each of k nearly equal chunks instead, which needs no sorting at all.
 *
 * The leader leaves its exact zeros out. A public version (kljp/deft) sends nothing of units with
 * fewer than 1/ratio elements, for want of a floor of 1.
 *
 * Known answer, by hand: ratio 0.5, workers with (4, 1, -3, 0) and (0, 5, 1, -2). At step 0 the
 * indices are 0 and 2 and the means there 2 and -1; at step 1 they are 1 and 3, the means 3 and -1.
 */
#include <math.h>

#include "compressors/multiround/agreement.h"
#include "compressors/sparsifiers/largest.h"

typedef struct cltk_params {
    double ratio;
    bool chunked;
} cltk_params;

static const egc_param params_table[] = {
    EGC_RATIO_PARAM(cltk_params, 0.01, "share of elements to send"),
    EGC_PARAM(cltk_params, chunked, BOOL, "chunked",
              "the leader picks the largest of each of k chunks, not the k largest", .def = 0),
    EGC_PARAM_END,
};

/* The first of the largest of each chunk that is not all zeros. */
static size_t pick_from_chunks(const float *x, size_t n, size_t k, uint32_t *index)
{
    size_t count = 0;
    for (size_t chunk = 0; chunk < k; chunk++) {
        egc_unit_shard part = egc_unit_shard_of(n, chunk, k);
        size_t best = part.first;
        for (size_t i = part.first; i < part.first + part.count; i++)
            if (fabsf(x[i]) > fabsf(x[best]))
                best = i;
        if (x[best] != 0)
            index[count++] = (uint32_t)best;
    }
    return count;
}

static egc_status message(const void *params, void *state, const void *replica,
                          const egc_context *context, size_t round, const float *x, size_t n,
                          egc_buf *wire, egc_error *err)
{
    (void)state, (void)replica, (void)round;
    size_t k = egc_largest_count(context->density, n), count;
    uint32_t *index = egc_arena_alloc(context->scratch, k * sizeof *index);
    if (!index)
        return egc_fail_memory(err, k * sizeof *index);
    if (((const cltk_params *)params)->chunked) {
        count = pick_from_chunks(x, n, k, index);
    } else {
        egc_status status = egc_largest_select(x, n, k, context->scratch, index, &count, err);
        if (status)
            return status;
    }
    return egc_agreement_write(index, count, n, wire, err);
}

static egc_status absorb(const void *params, void *replica, const egc_context *context,
                         size_t round, egc_reader *messages, size_t n_messages, size_t n,
                         egc_error *err)
{
    (void)params, (void)context, (void)round, (void)n_messages;
    egc_agreement *agreed = replica;
    return egc_agreement_read(&messages[0], agreed->index, &agreed->count, n, err);
}

static const egc_rounds leader_rounds = {
    .count = 1,
    .kind = {EGC_COLLECTIVE_BROADCAST},
    .replica_size = egc_agreement_size,
    .message = message,
    .absorb = absorb,
};

const egc_compressor_type egc_compressor_cltk = {
    .name = "cltk",
    .summary = "the k largest elements of a worker that leads in turn (ScaleCom)",
    .formula = "S = the k = max(1, floor(ratio n)) largest |x_i| of worker t mod P; C(x)_i = x_i "
               "on S, 0 elsewhere",
    .size = "the leader's k indices, 1 byte for their codec, 1 to 5 for k; then k values",
    .reference = "Chen et al. 2020, arXiv 2104.11125",
    .traits = EGC_TRAIT_SHARED,
    .params = params_table,
    .params_size = sizeof(cltk_params),
    .settings = "memory=lowpass",
    .cost = {.bytes_per_element = 8, .kernels = 3, .sort_bytes_per_element = 2},
    .rounds = &leader_rounds,
    .density = egc_largest_ratio,
    .select = egc_agreement_select,
};
