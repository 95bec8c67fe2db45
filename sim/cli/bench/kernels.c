/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bandwidth of the inner loops in compressors/kernels: the bytes that a loop must read and write,
 * over the time of a call. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/bench/bench.h"
#include "kernels/kernels.h"

/* Vectors of 4 MB: too large for the caches that are a core's own. */
enum { N = 1 << 20, BINS = 128 };

typedef struct vectors {
    const egc_kernels *kernels;
    float *x, *u, *v;
    uint32_t *index, *counts;
    volatile double result; /* keeps the compiler from leaving a call out */
} vectors;

/* ---- one call of each ------------------------------------------------------------------------ */

#define CALL(name, expression)                                                                     \
    static egc_status run_##name(void *arg, egc_error *err)                                        \
    {                                                                                              \
        vectors *at = arg;                                                                         \
        const egc_kernels *k = at->kernels;                                                        \
        (void)err;                                                                                 \
        at->result = (double)(expression);                                                         \
        return EGC_OK;                                                                             \
    }

CALL(norm2, k->norm2(at->x, N))
CALL(dot, k->dot(at->x, at->u, N))
CALL(max_abs, k->max_abs(at->x, N))
CALL(axpy, (k->axpy(1e-3f, at->x, at->v, N), 0))
CALL(momentum, k->momentum(0.9f, 1e-3f, at->x, at->u, at->v, N).norm2)
CALL(nesterov, k->nesterov(0.9f, 1e-3f, at->x, at->u, at->v, N).norm2)
CALL(residual, k->residual(1e-3f, at->x, at->v, N).norm2)
CALL(histogram, (memset(at->counts, 0, 4 * BINS * sizeof *at->counts),
                 k->histogram(at->x, N, 0, 1.0 / BINS, BINS, at->counts)))
CALL(select, k->select(at->x, N, 0.99f, at->index))

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
        double bytes = calls[i].floats * (double)sizeof(float) * N;
        egc_bench_row row = {"kernels", calls[i].name, "", "GB/s", 1e-9 * bytes / seconds};
        snprintf(row.setting, sizeof row.setting, "%s", at->kernels->name);
        if (!status)
            status = sink->row(sink->arg, &row, err);
    }
    return status;
}

egc_status egc_bench_kernels(const egc_bench_sink *sink, egc_error *err)
{
    const egc_kernels *in_use = egc_kernels_get(), *scalar = in_use;
    for (const egc_kernels *const *k = egc_kernels_all(); *k; k++)
        scalar = strcmp((*k)->name, "scalar") == 0 ? *k : scalar;
    float *floats = egc_calloc(N, 3 * sizeof *floats);
    uint32_t *words = egc_calloc(N + 4 * BINS, sizeof *words);
    vectors at = {.kernels = scalar, .x = floats, .index = words};
    egc_status status = EGC_OK;
    if (floats && words) {
        at.u = floats + N;
        at.v = floats + 2 * N;
        at.counts = words + N;
        for (size_t i = 0; i < N; i++) /* from -1 to 1, magnitudes spread evenly */
            at.x[i] = (float)(i * 7919 % 2003) / 1001 - 1;
        status = bench_variant(&at, sink, err);
        at.kernels = in_use;
        if (!status && in_use != scalar)
            status = bench_variant(&at, sink, err);
    } else {
        status = egc_fail_memory(err, N * 4 * sizeof(float));
    }
    egc_free(floats);
    egc_free(words);
    return status;
}
