/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DEFT (Yoon and Oh 2023): each worker looks for large elements in its own part of the model, so
 * that together they pick k and not P k, and each does a P-th of the work. At each step:
 *     cut       layers of more than n/P elements fall into P nearly equal parts; others are one
 *     allocate  k_i = floor(k_left norm_i / norm_left), at least 1 and at most n_i, the parts of
 *               largest norm first; the remainder of the floors goes to the largest with room
 *     pack      parts of cost n_i log2 k_i (n_i where k_i = 1), costliest first, each into the
 *               emptiest of P bins
 *     select    worker w takes bin (t + w) mod P and finds the k_i largest in each of its parts
 *
 * Norms differ between workers. As in the authors' code (kljp/deft), whose reading this is, the
 * worker that leads at this step packs by its norms and broadcasts the bins, then every worker
 * chooses by its own. So the first round is the leader's: ceil(log2 P) bits for each part. The
 * second gathers indices, counted within the worker's parts put one after the other, so that no
 * two messages can name the same element. Exact zeros are left out.
 *
 * The authors' code takes k = floor(ratio n), without a floor of 1.
 *
 * Known answer, by hand: ratio 0.5, two workers, layers of 4, 1 and 1 elements, the leader's x =
 * (9, 0, 0, 3, 1, -5). The first layer is cut in two: parts of norms 9, 3, 1, 5. k = 3; in order of
 * norm they get floor(3 9/18) = 1, floor(2 5/9) = 1, and 1 each as the least. Costs are 2, 2, 1, 1:
 * bins 0, 1, 0, 1, sent as 0x50. Worker 0 sends elements 0 and 4, as indices 0 and 2 of the three
 * in its parts. */
#include <math.h>
#include <stdlib.h>

#include "base/bits.h"
#include "compressors/multiround/agreement.h"
#include "compressors/sparsifiers/largest.h"
#include "kernels/kernels.h"

typedef struct deft_params {
    double ratio;
} deft_params;

static const egc_param params_table[] = {
    EGC_RATIO_PARAM(deft_params, 0.01, "share of elements to send"),
    EGC_PARAM_END,
};

enum { ROUND_BINS, ROUND_INDICES, ROUNDS };

/* ---- parts ---------------------------------------------------------------------------------- */

typedef struct part {
    size_t first;
    size_t count;
    size_t k;
} part;

typedef struct partition {
    part *parts;
    size_t n_parts;
} partition;

/* Appends the parts of one layer, or counts them where parts is NULL. */
static void cut_layer(partition *p, size_t first, size_t count, size_t n, size_t n_workers)
{
    size_t pieces = count * n_workers <= n ? 1 : n_workers < count ? n_workers : count;
    for (size_t piece = 0; count && piece < pieces; piece++) {
        egc_unit_shard shard = egc_unit_shard_of(count, piece, pieces);
        if (p->parts)
            p->parts[p->n_parts] = (part){.first = first + shard.first, .count = shard.count};
        p->n_parts++;
    }
}

static void cut_layers(partition *p, const egc_context *context, size_t n)
{
    const egc_unit *unit = context->unit;
    p->n_parts = 0;
    size_t first = 0;
    for (size_t i = 0; unit->layers && i < unit->n_layers; i++) {
        cut_layer(p, first, unit->layers[i], n, context->n_workers);
        first += unit->layers[i];
    }
    if (!unit->layers)
        cut_layer(p, 0, n, n, context->n_workers);
}

static egc_status cut(const egc_context *context, size_t n, partition *out, egc_error *err)
{
    *out = (partition){0};
    cut_layers(out, context, n);
    out->parts = egc_arena_alloc(context->scratch, out->n_parts * sizeof *out->parts);
    if (!out->parts)
        return egc_fail_memory(err, out->n_parts * sizeof *out->parts);
    cut_layers(out, context, n);
    return EGC_OK;
}

typedef struct ranked {
    double key;
    double rest; /* the sum of this key and all after it */
    size_t part;
} ranked;

/* Descending by key, ascending by part. */
static int compare_ranked(const void *a_, const void *b_)
{
    const ranked *a = a_, *b = b_;
    if (a->key != b->key)
        return a->key < b->key ? 1 : -1;
    return a->part < b->part ? -1 : a->part > b->part;
}

static ranked *new_ranking(const egc_context *context, size_t n_parts, egc_error *err)
{
    ranked *ranking = egc_arena_alloc(context->scratch, n_parts * sizeof *ranking);
    if (!ranking)
        egc_fail_memory(err, n_parts * sizeof *ranking);
    return ranking;
}

static size_t clamp_count(double k, size_t most)
{
    return k < 1 ? 1 : k > (double)most ? most : (size_t)k;
}

/* Sets the k of every part from the norms of x. They sum to k where there are no more parts than
 * that. */
static egc_status allocate(const egc_context *context, partition *p, const float *x, size_t n,
                           egc_error *err)
{
    ranked *ranking = new_ranking(context, p->n_parts, err);
    if (!ranking)
        return EGC_ERROR_MEMORY;
    for (size_t i = 0; i < p->n_parts; i++) {
        double norm2 = egc_kernels_get()->norm2(x + p->parts[i].first, p->parts[i].count);
        ranking[i] = (ranked){.key = sqrt(norm2), .part = i};
    }
    qsort(ranking, p->n_parts, sizeof *ranking, compare_ranked);
    double rest = 0;
    for (size_t i = p->n_parts; i-- > 0;)
        ranking[i].rest = rest += ranking[i].key;
    size_t k_left = egc_largest_count(context->density, n);
    for (size_t i = 0; i < p->n_parts; i++) {
        part *taker = &p->parts[ranking[i].part];
        double share = ranking[i].rest > 0 ? ranking[i].key / ranking[i].rest : 0;
        taker->k = clamp_count((double)k_left * share, taker->count);
        k_left -= taker->k < k_left ? taker->k : k_left;
    }
    for (size_t i = 0; i < p->n_parts && k_left; i++) {
        part *taker = &p->parts[ranking[i].part];
        size_t room = taker->count - taker->k;
        size_t more = room < k_left ? room : k_left;
        taker->k += more;
        k_left -= more;
    }
    return EGC_OK;
}

/* bin[i]: which bin the i-th part goes into. */
static egc_status pack(const egc_context *context, const partition *p, uint32_t *bin,
                       egc_error *err)
{
    ranked *ranking = new_ranking(context, p->n_parts, err);
    double *load = egc_arena_alloc(context->scratch, context->n_workers * sizeof *load);
    if (!ranking || !load)
        return egc_fail_memory(err, context->n_workers * sizeof *load);
    for (size_t i = 0; i < p->n_parts; i++) {
        const part *it = &p->parts[i];
        double passes = it->k > 1 ? log2((double)it->k) : 1;
        ranking[i] = (ranked){.key = (double)it->count * passes, .part = i};
    }
    qsort(ranking, p->n_parts, sizeof *ranking, compare_ranked);
    for (size_t i = 0; i < p->n_parts; i++) {
        size_t emptiest = 0;
        for (size_t b = 1; b < context->n_workers; b++)
            if (load[b] < load[emptiest])
                emptiest = b;
        bin[ranking[i].part] = (uint32_t)emptiest;
        load[emptiest] += ranking[i].key;
    }
    return EGC_OK;
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* After the agreement the replica keeps the bin of each part; there are no more parts than
 * elements. */
static size_t replica_size(const void *params, const egc_unit *unit)
{
    return egc_agreement_size(params, unit) + unit->count * sizeof(uint32_t);
}

static const uint32_t *bins_of(const void *replica, size_t n)
{
    return ((const egc_agreement *)replica)->index + n;
}

static bool is_in_bin_of(const egc_context *context, size_t worker, uint32_t bin)
{
    return (context->step + worker) % context->n_workers == bin;
}

static unsigned bin_bits(const egc_context *context)
{
    return egc_bits_width((uint32_t)(context->n_workers - 1));
}

static egc_status write_bins(const egc_context *context, partition *p, const float *x, size_t n,
                             egc_buf *wire, egc_error *err)
{
    uint32_t *bin = egc_arena_alloc(context->scratch, p->n_parts * sizeof *bin);
    if (!bin)
        return egc_fail_memory(err, p->n_parts * sizeof *bin);
    egc_status status = allocate(context, p, x, n, err);
    if (!status)
        status = pack(context, p, bin, err);
    egc_bits_writer bits = egc_bits_writer_to(wire);
    for (size_t i = 0; i < p->n_parts && !status; i++)
        egc_bits_put(&bits, bin[i], bin_bits(context));
    return status ? status : egc_bits_flush(&bits, err);
}

static egc_status write_indices(const egc_context *context, partition *p, const uint32_t *bin,
                                const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    uint32_t *index = egc_arena_alloc(context->scratch, n * sizeof *index);
    if (!index)
        return egc_fail_memory(err, n * sizeof *index);
    egc_status status = allocate(context, p, x, n, err);
    size_t before = 0, chosen = 0; /* elements in the worker's parts so far, and those it sends */
    for (size_t i = 0; i < p->n_parts && !status; i++) {
        const part *own = &p->parts[i];
        if (!is_in_bin_of(context, context->worker, bin[i]))
            continue;
        size_t count;
        status = egc_largest_select(x + own->first, own->count, own->k, context->scratch,
                                    index + chosen, &count, err);
        for (size_t j = chosen; j < chosen + count && !status; j++)
            index[j] += (uint32_t)before;
        chosen += status ? 0 : count;
        before += own->count;
    }
    return status ? status : egc_agreement_write(index, chosen, before, wire, err);
}

static egc_status message(const void *params, void *state, const void *replica,
                          const egc_context *context, size_t round, const float *x, size_t n,
                          egc_buf *wire, egc_error *err)
{
    (void)params, (void)state;
    partition p;
    egc_status status = cut(context, n, &p, err);
    if (status)
        return status;
    return round == ROUND_BINS ? write_bins(context, &p, x, n, wire, err)
                               : write_indices(context, &p, bins_of(replica, n), x, n, wire, err);
}

static egc_status read_bins(const egc_context *context, const partition *p, egc_reader *reader,
                            uint32_t *bin, egc_error *err)
{
    egc_bits_reader bits = egc_bits_reader_of(reader);
    for (size_t i = 0; i < p->n_parts; i++) {
        egc_status status = egc_bits_read(&bits, bin_bits(context), &bin[i], err);
        if (status)
            return status;
        if (bin[i] >= context->n_workers)
            return egc_fail(err, EGC_ERROR_FORMAT, "bin %u of %zu", bin[i], context->n_workers);
    }
    egc_bits_reader_finish(&bits, reader);
    return EGC_OK;
}

/* Marks the elements that one worker chose. index has room for n. */
static egc_status read_indices(const egc_context *context, const partition *p, const uint32_t *bin,
                               size_t worker, egc_reader *reader, uint32_t *index, bool *chosen,
                               egc_error *err)
{
    size_t n_own = 0, count;
    for (size_t i = 0; i < p->n_parts; i++)
        if (is_in_bin_of(context, worker, bin[i]))
            n_own += p->parts[i].count;
    egc_status status = egc_agreement_read(reader, index, &count, n_own, err);
    if (status)
        return status;
    size_t next = 0, before = 0;
    for (size_t i = 0; i < p->n_parts && next < count; i++) {
        if (!is_in_bin_of(context, worker, bin[i]))
            continue;
        for (; next < count && index[next] < before + p->parts[i].count; next++)
            chosen[p->parts[i].first + index[next] - before] = true;
        before += p->parts[i].count;
    }
    return EGC_OK;
}

static egc_status absorb(const void *params, void *replica, const egc_context *context,
                         size_t round, egc_reader *messages, size_t n_messages, size_t n,
                         egc_error *err)
{
    (void)params;
    egc_agreement *agreed = replica;
    uint32_t *bin = agreed->index + n;
    partition p;
    egc_status status = cut(context, n, &p, err);
    if (status || round == ROUND_BINS)
        return status ? status : read_bins(context, &p, &messages[0], bin, err);
    uint32_t *index = egc_arena_alloc(context->scratch, n * sizeof *index);
    bool *chosen = egc_arena_alloc(context->scratch, n * sizeof *chosen);
    if (!index || !chosen)
        return egc_fail_memory(err, n * (sizeof *index + sizeof *chosen));
    for (size_t worker = 0; worker < n_messages && !status; worker++)
        status = read_indices(context, &p, bin, worker, &messages[worker], index, chosen, err);
    agreed->count = 0;
    for (size_t i = 0; i < n && !status; i++) {
        agreed->index[agreed->count] = (uint32_t)i;
        agreed->count += chosen[i];
    }
    return status;
}

static const egc_rounds deft_rounds = {
    .count = ROUNDS,
    .kind = {EGC_COLLECTIVE_BROADCAST, EGC_COLLECTIVE_ALLGATHER},
    .replica_size = replica_size,
    .message = message,
    .absorb = absorb,
};

const egc_compressor_type egc_compressor_deft = {
    .name = "deft",
    .summary = "the largest elements of parts of the model that workers share out",
    .formula = "S = union over workers of the k_i largest |x_i| of each of its parts i; C(x)_i = "
               "x_i on S, 0 elsewhere",
    .size = "parts ceil(log2 P) bits from the leader; a worker's share of k indices, 1 byte for "
            "their codec, 1 to 5 for their number; then k values",
    .reference = "Yoon and Oh 2023, arXiv 2307.03500; the authors' code",
    .traits = EGC_TRAIT_SHARED,
    .params = params_table,
    .params_size = sizeof(deft_params),
    .settings = "granularity=model;memory=residual",
    .cost = {.bytes_per_element = 8, .kernels = 6},
    .rounds = &deft_rounds,
    .density = egc_largest_ratio,
    .select = egc_agreement_select,
};
