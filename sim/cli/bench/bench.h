/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Benchmarks of this machine: the sections of `egc-sim bench`, and how they measure time. */
#ifndef EGC_CLI_BENCH_BENCH_H
#define EGC_CLI_BENCH_BENCH_H

#include "base/error.h"
#include "compressors/core/method.h"

/* ---- time ------------------------------------------------------------------------------------ */

/* The median duration of run(arg) in seconds of wall time. It is called for at least 20 ms and at
 * least 5 times, after one call that is not counted. `reset`, which may be NULL, runs before each
 * call and is not timed. Returns the first error of run. */
egc_status egc_bench_timer_run(egc_status (*run)(void *arg, egc_error *err),
                               void (*reset)(void *arg), void *arg, double *out_s,
                               egc_error *err) EGC_MUST_CHECK;

/* The median of n numbers, which are sorted in place. */
double egc_bench_timer_median(double *values, size_t n);

/* Processor time of this process so far, in seconds. Its one thread never waits, so that on an idle
 * machine this is wall time. */
double egc_bench_timer_processor_s(void);

/* ---- sections that give one figure a row ----------------------------------------------------- */

typedef struct egc_bench_row {
    const char *section, *name;
    char setting[64];
    const char *unit;
    double value;
} egc_bench_row;

typedef struct egc_bench_sink {
    void *arg;
    egc_status (*row)(void *arg, const egc_bench_row *row, egc_error *err);
} egc_bench_sink;

/* Measures loops over whole vectors: GB/s read and written, by the scalar variant and the one in
 * use. MEMORY, and errors of the sink; the same for the other sections. */
egc_status egc_bench_kernels(const egc_bench_sink *sink, egc_error *err) EGC_MUST_CHECK;

/* Measures index and value codecs: ns per position or value, written and read, at several
 * densities. */
egc_status egc_bench_codecs(const egc_bench_sink *sink, egc_error *err) EGC_MUST_CHECK;

/* Measures messages, flows into one host, and actors, at several sizes: medians of up to three
 * runs, in processor time; then calls egc_bench_steps. */
egc_status egc_bench_simulator(const egc_bench_sink *sink, egc_error *err) EGC_MUST_CHECK;

/* Measures steps of training on many workers, one of which computes gradients. */
egc_status egc_bench_steps(const egc_bench_sink *sink, egc_error *err) EGC_MUST_CHECK;

/* ---- compressors ----------------------------------------------------------------------------- */

typedef struct egc_bench_request {
    const egc_method *methods;
    size_t n_methods;
    const size_t *elements; /* vector lengths at which each method is measured */
    size_t n_elements;
    uint64_t seed; /* seed of the gradients and of the methods' random draws */
} egc_bench_request;

/* A row of a table of costs: see experiment/spec/cost_file.h. */
typedef struct egc_bench_cost {
    const char *method, *params;
    size_t elements;
    double encode_s, decode_s;
} egc_bench_cost;

/* Calls `row` with the cost of each method at each length, for synthetic gradients of four workers.
 */
egc_status egc_bench_compressors(const egc_bench_request *request,
                                 egc_status (*row)(void *arg, const egc_bench_cost *cost,
                                                   egc_error *err),
                                 void *arg, egc_error *err) EGC_MUST_CHECK;

#endif
