/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/mem.h"
#include "cli/bench/library.h"
#include "kernels/kernels.h"

/* Vectors of 4 MB: too large for the caches that are a core's own. */
enum { N = 1 << 20, BINS = 128 };

typedef struct vectors {
    const egc_kernels *kernels;
    float *x, *u, *v;
    uint32_t *index, *counts;
    volatile double sink; /* what kernels return: it must not look unused */
} vectors;

/* ---- one call of each ------------------------------------------------------------------------ */

static egc_status run_norm2(void *arg, egc_error *err)
{
    (void)err;
    vectors *at = arg;
    at->sink = at->kernels->norm2(at->x, N);
    return EGC_OK;
}

static egc_status run_dot(void *arg, egc_error *err)
{
    (void)err;
    vectors *at = arg;
    at->sink = at->kernels->dot(at->x, at->u, N);
    return EGC_OK;
}

static egc_status run_max_abs(void *arg, egc_error *err)
{
    (void)err;
    vectors *at = arg;
    at->sink = (double)at->kernels->max_abs(at->x, N);
    return EGC_OK;
}

static egc_status run_axpy(void *arg, egc_error *err)
{
    (void)err;
    vectors *at = arg;
    at->kernels->axpy(1e-3f, at->x, at->v, N);
    return EGC_OK;
}

static egc_status run_momentum(void *arg, egc_error *err)
{
    (void)err;
    vectors *at = arg;
    at->sink = at->kernels->momentum(0.9f, 1e-3f, at->x, at->u, at->v, N).norm2;
    return EGC_OK;
}

static egc_status run_nesterov(void *arg, egc_error *err)
{
    (void)err;
    vectors *at = arg;
    at->sink = at->kernels->nesterov(0.9f, 1e-3f, at->x, at->u, at->v, N).norm2;
    return EGC_OK;
}

static egc_status run_residual(void *arg, egc_error *err)
{
    (void)err;
    vectors *at = arg;
    at->sink = at->kernels->residual(1e-3f, at->x, at->v, N).norm2;
    return EGC_OK;
}

static egc_status run_histogram(void *arg, egc_error *err)
{
    (void)err;
    vectors *at = arg;
    memset(at->counts, 0, 4 * BINS * sizeof *at->counts);
    at->sink = (double)at->kernels->histogram(at->x, N, 0, 1.0 / BINS, BINS, at->counts);
    return EGC_OK;
}

static egc_status run_select(void *arg, egc_error *err)
{
    (void)err;
    vectors *at = arg;
    at->sink = (double)at->kernels->select(at->x, N, 0.99f, at->index);
    return EGC_OK;
}

static const struct {
    const char *name;
    egc_status (*run)(void *arg, egc_error *err);
    int floats; /* read and written for each element */
} calls[] = {
    {"norm2", run_norm2, 1},       {"dot", run_dot, 2},
    {"max_abs", run_max_abs, 1},   {"axpy", run_axpy, 3},
    {"momentum", run_momentum, 5}, {"nesterov", run_nesterov, 5},
    {"residual", run_residual, 3}, {"histogram", run_histogram, 1},
    {"select", run_select, 1},
};

/* ---- all of them ----------------------------------------------------------------------------- */

static egc_status bench_variant(vectors *at, const egc_bench_sink *sink, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = 0; i < sizeof calls / sizeof *calls && !status; i++) {
        double seconds;
        status = egc_bench_timer_run(calls[i].run, NULL, at, &seconds, err);
        const egc_bench_row row = {
            .section = "kernels",
            .name = calls[i].name,
            .setting = at->kernels->name,
            .unit = "GB/s",
            .value = 1e-9 * calls[i].floats * (double)sizeof(float) * N / seconds,
        };
        if (!status)
            status = sink->row(sink->arg, &row, err);
    }
    return status;
}

/* Numbers from -1 to 1, their magnitudes spread evenly. */
static void fill(float *x)
{
    for (size_t i = 0; i < N; i++)
        x[i] = (float)(i * 7919 % 2003) / 1001 - 1;
}

egc_status egc_bench_kernels(const egc_bench_sink *sink, egc_error *err)
{
    const egc_kernels *in_use = egc_kernels_get(), *scalar = in_use;
    for (const egc_kernels *const *k = egc_kernels_all(); *k; k++)
        scalar = strcmp((*k)->name, "scalar") == 0 ? *k : scalar;
    vectors at = {
        .kernels = scalar,
        .x = egc_calloc(N, sizeof(float)),
        .u = egc_calloc(N, sizeof(float)),
        .v = egc_calloc(N, sizeof(float)),
        .index = egc_calloc(N, sizeof(uint32_t)),
        .counts = egc_calloc(4 * BINS, sizeof(uint32_t)),
    };
    egc_status status = at.x && at.u && at.v && at.index && at.counts
                            ? EGC_OK
                            : egc_fail_memory(err, N * 4 * sizeof(float));
    if (!status) {
        fill(at.x);
        status = bench_variant(&at, sink, err);
    }
    at.kernels = in_use;
    if (!status && in_use != scalar)
        status = bench_variant(&at, sink, err);
    egc_free(at.x);
    egc_free(at.u);
    egc_free(at.v);
    egc_free(at.index);
    egc_free(at.counts);
    return status;
}
