/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sketched-SGD (Ivkin et al. 2019): the large elements of the workers' sum, found by a Count-Sketch
 * (Charikar, Chen and Farach-Colton 2002), which an all-reduce can sum because it is linear:
 *     T[j][b_j(i)] += s_j(i) x_i           for each of `rows` rows j of `columns` cells
 *     x~_i = median over j of s_j(i) T[j][b_j(i)]
 * The k = max(1, floor(ratio n)) largest |x~_i| of the summed table are the selection; a second
 * round, the core's, carries their exact values, so that estimates decide only the selection. Of
 * the two forms of the paper's recovery this is the one with exact values; where the authors' code
 * (dhroth/sketchedsgd) fetches a multiple of k and applies the k largest, all that was fetched is
 * applied here. Like that code it sketches the whole model, behind a momentum-corrected residual.
 *
 * The table finds elements that stand out from the noise in their cells, about sqrt(n / columns) of
 * the others' size. Where none do, as in the residual of a single layer that has been sending its
 * largest elements all along, the selection is little better than a random one.
 *
 * b_j and s_j are the upper and the lowest bits of a cubic polynomial over the field of 2^61 - 1
 * elements, so that they are 4-wise independent; the paper asks that of signs, and less of cells.
 * The coefficients are drawn again at each step, from the generator all workers share: an element
 * hidden by a collision is not hidden for ever. (The usual code draws them once, from the seed 42,
 * for every tensor.) Elements are hashed in order, where a cubic costs three additions each.
 *
 * A table of n cells or more says nothing that x does not: such units are sent dense.
 *
 * Known answer, by hand: with one row and one column, T is the signed sum of all elements, and of
 * one non-zero element it estimates the magnitude for all: of (0, 0, 5, 0) with k = 1 the first
 * element is selected. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "compressors/multiround/agreement.h"
#include "compressors/sparsifiers/largest.h"
#include "kernels/kernels.h"

typedef struct sketch_params {
    double ratio;
    int64_t rows;
    int64_t columns; /* COLUMNS_AUTO: four for each element wanted */
} sketch_params;

enum { MAX_ROWS = 31, COLUMNS_AUTO = -1, COLUMNS_PER_ELEMENT = 4 };

static const char *const columns_words[] = {"auto", NULL};

static const egc_param params_table[] = {
    EGC_RATIO_PARAM(sketch_params, 0.01, "share of elements to send"),
    EGC_PARAM(sketch_params, rows, INT, "rows", "rows of the table; the median is taken over them",
              .def = 5, .min = 1, .max = MAX_ROWS),
    EGC_PARAM(sketch_params, columns, INT, "columns",
              "cells in each row; auto: four for each element to send", .def = COLUMNS_AUTO,
              .min = 1, .max = 1e9, .choices = columns_words),
    EGC_PARAM_END,
};

static size_t columns_wanted(const sketch_params *params, double density, size_t n)
{
    return params->columns == COLUMNS_AUTO ? COLUMNS_PER_ELEMENT * egc_largest_count(density, n)
                                           : (size_t)params->columns;
}

/* During warm-up the table would be larger than the unit: no more than a cell an element. */
static size_t columns_for(const sketch_params *params, double density, size_t n)
{
    size_t wanted = columns_wanted(params, density, n), most = n / (size_t)params->rows;
    return wanted <= most ? wanted : most ? most : 1;
}

static bool pays(const void *params_, const egc_unit *unit)
{
    const sketch_params *params = params_;
    size_t columns = columns_wanted(params, params->ratio, unit->count);
    return columns * (size_t)params->rows < unit->count;
}

/* ---- hashes --------------------------------------------------------------------------------- */

static const uint64_t PRIME = (1ull << 61) - 1;

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum >= PRIME ? sum - PRIME : sum;
}

/* The hash of one row at one element, and its forward differences there. */
typedef struct row_hash {
    uint64_t value;
    uint64_t difference[3];
} row_hash;

/* The hash of the cubic c3 i^3 + c2 i^2 + c1 i + c0 with uniformly drawn coefficients at element 0:
 * the differences are c3 + c2 + c1, 6 c3 + 2 c2 and 6 c3. */
static row_hash draw_hash(gsl_rng *rng)
{
    uint64_t c[4];
    for (int i = 0; i < 4; i++)
        c[i] = gsl_rng_uniform_int(rng, PRIME);
    uint64_t c3_twice = add(c[3], c[3]), c3_six = add(c3_twice, add(c3_twice, c3_twice));
    return (row_hash){
        .value = c[0],
        .difference = {add(c[1], add(c[2], c[3])), add(c3_six, add(c[2], c[2])), c3_six},
    };
}

/* The cells of the next n elements, from the top 32 bits, and their signs, from the lowest, as the
 * top bit of a float. */
static void hash_block(row_hash *hash, size_t n, uint64_t columns, uint32_t *cell, uint32_t *sign)
{
    row_hash h = *hash;
    for (size_t i = 0; i < n; i++) {
        cell[i] = (uint32_t)((h.value >> 29) * columns >> 32);
        sign[i] = (uint32_t)h.value << 31;
        h.value = add(h.value, h.difference[0]);
        h.difference[0] = add(h.difference[0], h.difference[1]);
        h.difference[1] = add(h.difference[1], h.difference[2]);
    }
    *hash = h;
}

static float with_sign(float value, uint32_t sign)
{
    return egc_bits_to_float(egc_bits_of_float(value) ^ sign);
}

enum { BLOCK = 256 };

/* ---- the table ------------------------------------------------------------------------------ */

static void add_row(row_hash hash, const float *x, size_t n, size_t columns, double *row)
{
    uint32_t cell[BLOCK], sign[BLOCK];
    memset(row, 0, columns * sizeof *row);
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t len = n - start < BLOCK ? n - start : BLOCK;
        hash_block(&hash, len, columns, cell, sign);
        for (size_t i = 0; i < len; i++)
            row[cell[i]] += (double)with_sign(x[start + i], sign[i]);
    }
}

static egc_status message(const void *params_, void *state, const void *replica,
                          const egc_context *context, size_t round, const float *x, size_t n,
                          egc_buf *wire, egc_error *err)
{
    (void)state, (void)replica, (void)round;
    const sketch_params *params = params_;
    size_t columns = columns_for(params, context->density, n), rows = (size_t)params->rows;
    double *row = egc_arena_alloc(context->scratch, columns * sizeof *row);
    if (!row)
        return egc_fail_memory(err, columns * sizeof *row);
    egc_status status = egc_buf_reserve(wire, rows * columns * sizeof(float), err);
    const double most = (double)FLT_MAX / (2 * (double)context->n_workers); /* sums stay finite */
    for (size_t j = 0; j < rows && !status; j++) {
        add_row(draw_hash(context->shared_rng), x, n, columns, row);
        for (size_t b = 0; b < columns; b++) {
            float cell = (float)fmin(fmax(row[b], -most), most);
            memcpy(wire->data + wire->len, &cell, sizeof cell);
            wire->len += sizeof cell;
        }
    }
    return status;
}

/* ---- estimates ------------------------------------------------------------------------------ */

/* Floats as integers of the same order, and back. Unlike floats, integers are sorted by compilers
 * without branches. */
static int32_t key_of(float value)
{
    uint32_t bits;
    int32_t key;
    memcpy(&bits, &value, sizeof bits);
    bits ^= bits >> 31 ? 0x7fffffff : 0;
    memcpy(&key, &bits, sizeof key);
    return key;
}

static float value_of(int32_t key)
{
    float value;
    key ^= key < 0 ? 0x7fffffff : 0;
    memcpy(&value, &key, sizeof value);
    return value;
}

/* low[i] <= high[i] from now on. */
static void sort_pairs(int32_t *restrict low, int32_t *restrict high)
{
    for (size_t i = 0; i < BLOCK; i++) {
        int32_t a = low[i], b = high[i];
        low[i] = a < b ? a : b;
        high[i] = a < b ? b : a;
    }
}

/* Sorts the rows of each column, by transpositions of neighbours. */
static void sort_columns(int32_t keys[][BLOCK], size_t rows)
{
    for (size_t pass = 0; pass < rows; pass++)
        for (size_t j = pass % 2; j + 1 < rows; j += 2)
            sort_pairs(keys[j], keys[j + 1]);
}

static void estimate(row_hash *hashes, const float *table, size_t rows, size_t columns, size_t n,
                     float *out)
{
    int32_t keys[MAX_ROWS][BLOCK] = {{0}};
    uint32_t cell[BLOCK], sign[BLOCK];
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t len = n - start < BLOCK ? n - start : BLOCK;
        for (size_t j = 0; j < rows; j++) {
            hash_block(&hashes[j], len, columns, cell, sign);
            for (size_t i = 0; i < len; i++)
                keys[j][i] = key_of(with_sign(table[j * columns + cell[i]], sign[i]));
        }
        sort_columns(keys, rows);
        const int32_t *low = keys[(rows - 1) / 2], *high = keys[rows / 2];
        for (size_t i = 0; i < len; i++)
            out[start + i] = 0.5f * value_of(low[i]) + 0.5f * value_of(high[i]);
    }
}

static egc_status absorb(const void *params_, void *replica, const egc_context *context,
                         size_t round, egc_reader *messages, size_t n_messages, size_t n,
                         egc_error *err)
{
    (void)round, (void)n_messages;
    const sketch_params *params = params_;
    size_t columns = columns_for(params, context->density, n), rows = (size_t)params->rows;
    size_t cells = rows * columns;
    const uint8_t *bytes;
    egc_status status = egc_reader_take(&messages[0], cells * sizeof(float), &bytes, err);
    if (status)
        return status;
    float *table = egc_arena_alloc(context->scratch, cells * sizeof *table);
    float *estimates = egc_arena_alloc(context->scratch, n * sizeof *estimates);
    if (!table || !estimates)
        return egc_fail_memory(err, (cells + n) * sizeof *table);
    memcpy(table, bytes, cells * sizeof *table);
    if (!isfinite(egc_kernels_get()->norm2(table, cells)))
        return egc_fail(err, EGC_ERROR_FORMAT, "a cell of the table is not finite");
    row_hash hashes[MAX_ROWS];
    for (size_t j = 0; j < rows; j++)
        hashes[j] = draw_hash(context->shared_rng);
    estimate(hashes, table, rows, columns, n, estimates);
    egc_agreement *agreed = replica;
    return egc_largest_select(estimates, n, egc_largest_count(context->density, n),
                              context->scratch, agreed->index, &agreed->count, err);
}

static const egc_rounds table_rounds = {
    .count = 1,
    .kind = {EGC_COLLECTIVE_ALLREDUCE},
    .replica_size = egc_agreement_size,
    .message = message,
    .absorb = absorb,
};

const egc_compressor_type egc_compressor_sketch = {
    .name = "sketch",
    .summary = "the k elements largest in a Count-Sketch of the workers' sum (Sketched-SGD)",
    .formula = "T[j][b_j(i)] += s_j(i) x_i, summed over workers; S = the k = max(1, floor(ratio "
               "n)) largest |median_j s_j(i) T[j][b_j(i)]|; C(x)_i = x_i on S, 0 elsewhere",
    .size = "4 rows columns bytes, then k values",
    .reference = "Ivkin et al. 2019, arXiv 1903.04488",
    .traits = EGC_TRAIT_SHARED,
    .params = params_table,
    .params_size = sizeof(sketch_params),
    .settings = "granularity=model;memory=momentum;masking=true",
    .cost = {.bytes_per_element = 44, .kernels = 1, .decode_bytes_per_element = 40},
    .pays = pays,
    .rounds = &table_rounds,
    .density = egc_largest_ratio,
    .select = egc_agreement_select,
};
