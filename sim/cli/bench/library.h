/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Benchmarks of libegc on this machine. All times are medians on the host's clock. */
#ifndef EGC_CLI_BENCH_LIBRARY_H
#define EGC_CLI_BENCH_LIBRARY_H

#include "cli/bench/bench.h"
#include "compressors/core/method.h"

/* ---- time ------------------------------------------------------------------------------------ */

/* The median of what `run` takes in seconds, over calls that fill 20 ms and are 5 at
 * least. `reset`, which may be NULL, comes before each and is not timed. The first error ends
 * it. */
egc_status egc_bench_timer_run(egc_status (*run)(void *arg, egc_error *err),
                               void (*reset)(void *arg), void *arg, double *out_s,
                               egc_error *err) EGC_MUST_CHECK;

/* Of n numbers, which get sorted. */
double egc_bench_timer_median(double *values, size_t n);

/* ---- sections -------------------------------------------------------------------------------- */

/* Loops over whole vectors: GB/s of the vectors they read and write, the scalar variant and the one
 * in use. */
egc_status egc_bench_kernels(const egc_bench_sink *sink, egc_error *err) EGC_MUST_CHECK;

/* Index and value codecs: ns for each position or value, written and read, at several densities. */
egc_status egc_bench_codecs(const egc_bench_sink *sink, egc_error *err) EGC_MUST_CHECK;

/* ---- methods --------------------------------------------------------------------------------- */

typedef struct egc_bench_request {
    const egc_method *methods;
    size_t n_methods;
    const size_t *elements; /* sizes to measure each at */
    size_t n_elements;
    uint64_t seed; /* of the gradients and of what methods draw */
} egc_bench_request;

/* A row of a table of costs: see experiment/spec/cost_file.h. */
typedef struct egc_bench_cost {
    const char *method, *params;
    size_t elements;
    double encode_s, decode_s;
} egc_bench_cost;

/* Hands on what each method takes at each size, for synthetic gradients of four workers. */
egc_status egc_bench_compressors(const egc_bench_request *request,
                                 egc_status (*take)(void *arg, const egc_bench_cost *cost,
                                                    egc_error *err),
                                 void *arg, egc_error *err) EGC_MUST_CHECK;

#endif
