/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timing of short functions: medians, because a call that was interrupted takes far longer. */
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <time.h>

#include "base/clock.h"
#include "cli/bench/bench.h"

enum { REPEATS_MIN = 5, REPEATS_MAX = 1000 };

static const double enough_s = 0.02;

double egc_bench_timer_median(double *values, size_t n)
{
    gsl_sort(values, 1, n);
    return gsl_stats_median_from_sorted_data(values, 1, n);
}

egc_status egc_bench_timer_run(egc_status (*run)(void *arg, egc_error *err),
                               void (*reset)(void *arg), void *arg, double *out_s, egc_error *err)
{
    double taken_s[REPEATS_MAX], total_s = 0;
    size_t n = 0;
    for (int warm = 0; n < REPEATS_MAX && (n < REPEATS_MIN || total_s < enough_s); warm = 1) {
        if (reset)
            reset(arg);
        double start_s = egc_clock_now();
        egc_status status = run(arg, err);
        taken_s[n] = egc_clock_now() - start_s;
        if (status)
            return status;
        total_s += taken_s[n];
        n += warm != 0;
    }
    *out_s = egc_bench_timer_median(taken_s, n);
    return EGC_OK;
}

double egc_bench_timer_processor_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
