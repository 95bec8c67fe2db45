/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics by GSL over the finite values of each layer and gradient, averaged over the sampled
 * gradients. */
#include "workloads/trace/info.h"

#include <gsl/gsl_statistics_float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "workloads/trace/file.h"

/* Sums over the sampled gradients for the means. */
typedef struct tally {
    double mean_abs, rms, kurtosis;
    uint64_t n_finite_samples, n_kurtosis_samples, n_zero;
} tally;

/* Moves the finite values to the front and counts the others. */
static size_t keep_finite(float *values, size_t n, egc_trace_layer_stats *stats)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(values[i]))
            stats->n_nan++;
        else if (isinf(values[i]))
            stats->n_inf++;
        else
            values[kept++] = values[i];
    }
    return kept;
}

static void count_zeros(const float *values, size_t n, tally *sums)
{
    for (size_t i = 0; i < n; i++)
        sums->n_zero += values[i] == 0;
}

/* Overwrites values. */
static void add_layer(float *values, size_t n, egc_trace_layer_stats *stats, tally *sums)
{
    n = keep_finite(values, n, stats);
    if (n == 0)
        return;
    float least, most;
    gsl_stats_float_minmax(&least, &most, values, 1, n);
    stats->max_abs = fmax(stats->max_abs, fmax(-least, most));
    count_zeros(values, n, sums);
    sums->mean_abs += gsl_stats_float_absdev_m(values, 1, n, 0.0);
    sums->rms += sqrt(gsl_stats_float_tss_m(values, 1, n, 0.0) / (double)n);
    sums->n_finite_samples++;
    if (most > least) { /* a constant has no kurtosis */
        sums->kurtosis += gsl_stats_float_kurtosis(values, 1, n);
        sums->n_kurtosis_samples++;
    }
}

static egc_status add_sample(egc_trace_file *trace, uint64_t step, size_t worker, float *gradient,
                             egc_trace_layer_stats *stats, tally *sums, egc_error *err)
{
    egc_status status = egc_trace_file_read(trace, step, worker, gradient, NULL, err);
    for (size_t i = 0; !status && i < trace->n_layers; i++) {
        add_layer(gradient, trace->layers[i].count, &stats[i], &sums[i]);
        gradient += trace->layers[i].count;
    }
    return status;
}

static double mean_of(double sum, uint64_t n)
{
    return n ? sum / (double)n : NAN;
}

static void finish(egc_trace_layer_stats *stats, const tally *sums, size_t count, size_t n_samples)
{
    stats->mean_abs = mean_of(sums->mean_abs, sums->n_finite_samples);
    stats->rms = mean_of(sums->rms, sums->n_finite_samples);
    stats->kurtosis = mean_of(sums->kurtosis, sums->n_kurtosis_samples);
    stats->zero_share = (double)sums->n_zero / ((double)count * (double)n_samples);
    if (!sums->n_finite_samples)
        stats->max_abs = NAN;
}

static egc_status sample(egc_trace_file *trace, egc_trace_layer_stats *stats, size_t n_samples,
                         egc_error *err)
{
    float *gradient = egc_calloc(trace->n_params, sizeof *gradient);
    tally *sums = egc_calloc(trace->n_layers, sizeof *sums);
    egc_status status =
        gradient && sums ? EGC_OK : egc_fail_memory(err, trace->n_params * sizeof *gradient);
    for (size_t i = 0; !status && i < n_samples; i++) {
        uint64_t step;
        size_t worker;
        egc_trace_file_sample(trace, i, &step, &worker);
        status = add_sample(trace, step, worker, gradient, stats, sums, err);
    }
    for (size_t i = 0; !status && i < trace->n_layers; i++)
        finish(&stats[i], &sums[i], trace->layers[i].count, n_samples);
    egc_free(sums);
    egc_free(gradient);
    return status;
}

egc_status egc_trace_info_init(egc_trace_info *out, const char *path, egc_error *err)
{
    egc_trace_file trace;
    egc_status status = egc_trace_file_open(path, &trace, err);
    if (status)
        return status;
    *out = (egc_trace_info){
        .note = trace.note,
        .steps = trace.steps,
        .workers = trace.workers,
        .n_params = trace.n_params,
        .n_layers = trace.n_layers,
        .n_sampled = egc_trace_file_samples(&trace),
        .stats = egc_calloc(trace.n_layers, sizeof *out->stats),
    };
    memcpy(out->model, trace.model, sizeof out->model);
    status = out->stats ? sample(&trace, out->stats, out->n_sampled, err)
                        : egc_fail_memory(err, trace.n_layers * sizeof *out->stats);
    out->layers = trace.layers;
    trace.layers = NULL;
    egc_trace_file_close(&trace);
    if (status)
        egc_trace_info_fini(out);
    return status;
}

void egc_trace_info_fini(egc_trace_info *info)
{
    egc_free(info->stats);
    egc_free(info->layers);
    *info = (egc_trace_info){0};
}
