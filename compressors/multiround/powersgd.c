/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PowerSGD (Vogels, Karimireddy and Jaggi 2019): a unit as a matrix M of its first dimension by the
 * rest, approximated at rank r by one step of power iteration, shared by all workers:
 *     P_w = M_w Q,    P <- mean over workers, its columns made orthonormal
 *     Q_w = M_w^T P,  Q <- mean over workers;      M^ = P Q^T
 * Both means are all-reduces, and M^ is the best approximation of the mean M within the columns of
 * P. Q starts as N(0, 1), the same on all workers, and with warm_start goes on from the last step,
 * so that steps together make a power iteration on the slowly changing residual.
 *
 * Public code divides by a column's norm, adding nothing (GRACE: a zero gradient gives NaN) or a
 * constant (PyTorch 1e-8, epfml 1e-16: small gradients lose their norm), and multiplies by a Q as
 * large as M was, which squares M's scale. Here only directions matter: columns of Q are brought to
 * norm 1 before use; a column of P of which Gram-Schmidt leaves less than 1e-6 is no new direction
 * and becomes 0, and so does its column of Q, which is then drawn again at the next step. A zero
 * gradient leaves M^ = 0 and the method alive.
 *
 * Vectors have one dimension and are sent dense, as is a matrix that rank r would not make smaller
 * by more than min_rate.
 *
 * Known answer, by hand: M = (3, 4)^T (1, 0, 2) has rank 1. Whatever Q is (q1 + 2 q3 > 0), P =
 * (.6, .8), Q = M^T P = (5, 0, 10) and M^ = M, in 2 + 3 floats. */
#include <float.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "compressors/plugin.h"
#include "kernels/kernels.h"

typedef struct powersgd_params {
    int64_t rank;
    bool warm_start;
    double min_rate;
} powersgd_params;

static const egc_param params_table[] = {
    EGC_PARAM(powersgd_params, rank, INT, "rank",
              "rank of the approximation, at most the matrix's smaller side", .def = 4, .min = 1,
              .max = 65536),
    EGC_PARAM(powersgd_params, warm_start, BOOL, "warm_start",
              "begin with the last step's Q; false: with a random one", .def = 1),
    EGC_PARAM(powersgd_params, min_rate, REAL, "min_rate",
              "matrices that do not become smaller by more than this factor are sent dense",
              .def = 2, .max = INFINITY),
    EGC_PARAM_END,
};

enum { ROUND_P, ROUND_Q, ROUNDS };

/* ---- shapes --------------------------------------------------------------------------------- */

/* P and Q are kept and sent column after column. */
typedef struct shape {
    size_t rows;
    size_t columns;
    size_t rank;
} shape;

static shape shape_of(const powersgd_params *params, const egc_unit *unit)
{
    size_t rows = unit->rows && unit->count % unit->rows == 0 ? unit->rows : 1;
    shape s = {.rows = rows, .columns = unit->count / rows};
    size_t most = s.rows < s.columns ? s.rows : s.columns;
    s.rank = (size_t)params->rank < most ? (size_t)params->rank : most;
    return s;
}

static bool pays(const void *params_, const egc_unit *unit)
{
    const powersgd_params *params = params_;
    shape s = shape_of(params, unit);
    double sent = (double)s.rank * ((double)s.rows + (double)s.columns);
    return unit->rows && (double)unit->count > params->min_rate * sent;
}

static size_t replica_size(const void *params, const egc_unit *unit)
{
    shape s = shape_of(params, unit);
    return s.rank * (s.rows + s.columns) * sizeof(float);
}

/* ---- products ------------------------------------------------------------------------------- */

/* Elements of P and Q stop here, so that huge gradients carry no sum over workers, and none of
 * P Q^T over columns, beyond FLT_MAX. */
static double largest_element(shape s, size_t n_workers)
{
    return (double)FLT_MAX / (2 * (double)n_workers * (double)s.rank);
}

static float saturate(double value, double most)
{
    return (float)(value > most ? most : value < -most ? -most : value);
}

/* out = M q, for each of the columns of Q. */
static void multiply(const float *m, shape s, const float *q, double most, float *out)
{
    const egc_kernels *kernels = egc_kernels_get();
    for (size_t i = 0; i < s.rows; i++)
        for (size_t k = 0; k < s.rank; k++)
            out[k * s.rows + i] =
                saturate(kernels->dot(m + i * s.columns, q + k * s.columns, s.columns), most);
}

enum { BLOCK = 512 };

/* sum[j] += a x[j] */
static void accumulate(double a, const float *restrict x, size_t n, double *restrict sum)
{
    enum { AT_ONCE = 8 };
    size_t j = 0;
    for (; j + AT_ONCE <= n; j += AT_ONCE)
        for (size_t lane = 0; lane < AT_ONCE; lane++)
            sum[j + lane] += a * (double)x[j + lane];
    for (; j < n; j++)
        sum[j] += a * (double)x[j];
}

/* out = M^T p, for each of the columns of P, a block of M's columns at a time. */
static void multiply_transposed(const float *m, shape s, const float *p, double most, float *out)
{
    double sum[BLOCK];
    for (size_t start = 0; start < s.columns; start += BLOCK) {
        size_t len = s.columns - start < BLOCK ? s.columns - start : BLOCK;
        for (size_t k = 0; k < s.rank; k++) {
            memset(sum, 0, sizeof sum);
            for (size_t i = 0; i < s.rows; i++)
                accumulate((double)p[k * s.rows + i], m + i * s.columns + start, len, sum);
            for (size_t j = 0; j < len; j++)
                out[k * s.columns + start + j] = saturate(sum[j], most);
        }
    }
}

/* ---- directions ----------------------------------------------------------------------------- */

static void scale_by(double factor, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((double)x[i] * factor);
}

/* Divides x by its norm, unless that is no more than `least`: then x becomes 0. */
static bool normalise(float *x, size_t n, double least)
{
    double norm = sqrt(egc_kernels_get()->norm2(x, n));
    if (norm > least)
        scale_by(1 / norm, x, n);
    else
        memset(x, 0, n * sizeof *x);
    return norm > least;
}

/* Gram-Schmidt, twice per column: the second pass removes the components that rounding left in the
 * first. */
static void orthogonalise(float *columns, size_t length, size_t count)
{
    const egc_kernels *kernels = egc_kernels_get();
    const double nothing_new = 1e-6; /* rounding error of a column of norm 1 */
    for (size_t k = 0; k < count; k++) {
        float *column = columns + k * length;
        bool alive = normalise(column, length, 0);
        for (int pass = 0; pass < 2 && alive; pass++) {
            for (size_t j = 0; j < k; j++) {
                const float *other = columns + j * length;
                kernels->axpy((float)-kernels->dot(other, column, length), other, column, length);
            }
            alive = normalise(column, length, nothing_new);
        }
    }
}

/* Q to begin a step with, its columns of norm 1: the last step's or, where that has none, drawn. */
static void starting_q(const powersgd_params *params, const egc_context *context, shape s,
                       const float *last, float *q)
{
    for (size_t k = 0; k < s.rank; k++) {
        float *column = q + k * s.columns;
        memcpy(column, last + k * s.columns, s.columns * sizeof *column);
        if (params->warm_start && normalise(column, s.columns, 0))
            continue;
        for (size_t j = 0; j < s.columns; j++)
            column[j] = (float)gsl_ran_gaussian_ziggurat(context->shared_rng, 1);
        normalise(column, s.columns, 0);
    }
}

/* ---- rounds --------------------------------------------------------------------------------- */

static egc_status message(const void *params, void *state, const void *replica,
                          const egc_context *context, size_t round, const float *x, size_t n,
                          egc_buf *wire, egc_error *err)
{
    (void)state, (void)n;
    shape s = shape_of(params, context->unit);
    const float *p = replica, *q = p + s.rank * s.rows;
    size_t n_in = s.rank * s.columns, n_out = s.rank * (round == ROUND_P ? s.rows : s.columns);
    float *room = egc_arena_alloc(context->scratch, (n_in + n_out) * sizeof *room);
    if (!room)
        return egc_fail_memory(err, (n_in + n_out) * sizeof *room);
    float *out = room + n_in;
    double most = largest_element(s, context->n_workers);
    if (round == ROUND_P) {
        starting_q(params, context, s, q, room);
        multiply(x, s, room, most, out);
    } else {
        multiply_transposed(x, s, p, most, out);
    }
    return egc_buf_append(wire, out, n_out * sizeof *out, err);
}

static egc_status absorb(const void *params, void *replica, const egc_context *context,
                         size_t round, egc_reader *messages, size_t n_messages, size_t n,
                         egc_error *err)
{
    (void)n_messages, (void)n;
    shape s = shape_of(params, context->unit);
    size_t count = s.rank * (round == ROUND_P ? s.rows : s.columns);
    float *mean = (float *)replica + (round == ROUND_P ? 0 : s.rank * s.rows);
    const uint8_t *bytes;
    egc_status status = egc_reader_take(&messages[0], count * sizeof *mean, &bytes, err);
    if (status)
        return status;
    memcpy(mean, bytes, count * sizeof *mean);
    /* Sums of saturated elements are no larger, give or take their rounding. */
    double most = 1.5 * (double)context->n_workers * largest_element(s, context->n_workers);
    const egc_kernels *kernels = egc_kernels_get();
    if (!isfinite(kernels->norm2(mean, count)) || (double)kernels->max_abs(mean, count) > most)
        return egc_fail(err, EGC_ERROR_FORMAT, "an element of %s is not finite, or too large",
                        round == ROUND_P ? "P" : "Q");
    scale_by(1 / (double)context->n_workers, mean, count);
    if (round == ROUND_P)
        orthogonalise(mean, s.rows, s.rank);
    return EGC_OK;
}

static egc_status reconstruct(const void *params, const void *replica, const egc_context *context,
                              float *out, size_t n, egc_error *err)
{
    (void)err;
    const egc_kernels *kernels = egc_kernels_get();
    shape s = shape_of(params, context->unit);
    const float *p = replica, *q = p + s.rank * s.rows;
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < s.rows; i++)
        for (size_t k = 0; k < s.rank; k++)
            kernels->axpy(p[k * s.rows + i], q + k * s.columns, out + i * s.columns, s.columns);
    return EGC_OK;
}

static const egc_rounds power_rounds = {
    .count = ROUNDS,
    .kind = {EGC_COLLECTIVE_ALLREDUCE, EGC_COLLECTIVE_ALLREDUCE},
    .replica_size = replica_size,
    .message = message,
    .absorb = absorb,
    .reconstruct = reconstruct,
};

const egc_compressor_type egc_compressor_powersgd = {
    .name = "powersgd",
    .summary = "a matrix of low rank, by one step of power iteration",
    .formula = "P = orthonormal(mean of M Q), Q = mean of M^T P; the mean is P Q^T",
    .size = "4 rank rows bytes, then 4 rank columns bytes",
    .reference = "Vogels, Karimireddy and Jaggi 2019, arXiv 1905.13727",
    .traits = EGC_TRAIT_MATRIX,
    .params = params_table,
    .params_size = sizeof(powersgd_params),
    .settings = "memory=residual",
    .cost = {.bytes_per_element = 4, .kernels = 2},
    .pays = pays,
    .rounds = &power_rounds,
};
