/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a sample of gradients, then fits each layer: trend of the scale, correlations by the share
 * of equal signs, and every law of synthetic/estimate.h. */
#include "workloads/trace/fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workloads/synthetic/estimate.h"
#include "workloads/trace/file.h"

enum {
    MAX_VALUES = 65536,  /* values kept of a layer */
    MAX_PAIRS = 8,       /* pairs of gradients whose signs are compared */
    MANY = 256,          /* enough values for a mean magnitude */
    SEED_FIT = 0x666974, /* "fit": stream of random numbers */
};

/* The sample of one layer. */
typedef struct sample {
    float *values;                  /* per_gradient values of each gradient */
    size_t per_gradient;            /* sampled places of the layer */
    double mean[EGC_TRACE_SAMPLES]; /* mean magnitude of nonzero values; NAN without any */
    size_t n_nonzero[EGC_TRACE_SAMPLES];
    size_t n_finite;
    uint64_t same_sign[2], n_signs[2]; /* [0] between workers, [1] between steps */
} sample;

typedef struct fitting {
    egc_trace_file trace;
    egc_trace_fit *out;
    sample *samples;    /* n_layers */
    float *gradients;   /* two */
    double *magnitudes; /* MAX_VALUES */
    size_t n_gradients;
    uint64_t steps[EGC_TRACE_SAMPLES]; /* step of each gradient */
} fitting;

/* ---- taking samples -------------------------------------------------------------------------- */

/* The i-th of n places out of `count`, one in each of n equal stretches. */
static size_t place_of(size_t i, size_t n, size_t count, uint64_t *random)
{
    if (n == count)
        return i;
    double within = (double)(egc_rng_next(random) >> 11) * 0x1p-53;
    size_t place = (size_t)(((double)i + within) * (double)count / (double)n);
    return place < count ? place : count - 1;
}

/* One pass over all of the layer for its mean and zeros, one over the places kept. */
static void take_layer(sample *s, egc_layer_fit *fit, const float *values, size_t count, size_t g,
                       uint64_t random)
{
    double sum = 0;
    size_t n_nonzero = 0, n_finite = 0;
    for (size_t i = 0; i < count; i++) {
        bool finite = isfinite(values[i]);
        n_finite += finite;
        if (finite && values[i] != 0) {
            sum += fabs((double)values[i]);
            n_nonzero++;
        }
    }
    fit->n_nonfinite += count - n_finite;
    s->n_finite += n_finite;
    s->n_nonzero[g] = n_nonzero;
    s->mean[g] = n_nonzero ? sum / (double)n_nonzero : NAN;
    for (size_t i = 0; i < s->per_gradient; i++)
        s->values[g * s->per_gradient + i] = values[place_of(i, s->per_gradient, count, &random)];
}

static egc_status take_gradient(fitting *f, size_t g, uint64_t step, size_t worker, egc_error *err)
{
    const float *values = f->gradients;
    egc_status status = egc_trace_file_read(&f->trace, step, worker, f->gradients, NULL, err);
    f->steps[g] = step;
    for (size_t i = 0; i < f->trace.n_layers && !status; i++) {
        size_t count = f->trace.layers[i].count;
        take_layer(&f->samples[i], &f->out->fits[i], values, count, g,
                   egc_rng_derive_seed(SEED_FIT, i, g));
        values += count;
    }
    return status;
}

static egc_status take_gradients(fitting *f, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t g = 0; g < f->n_gradients && !status; g++) {
        uint64_t step;
        size_t worker;
        egc_trace_file_sample(&f->trace, g, &step, &worker);
        status = take_gradient(f, g, step, worker, err);
    }
    return status;
}

/* ---- signs ----------------------------------------------------------------------------------- */

static void compare_signs(fitting *f, int which, uint64_t pair)
{
    const float *a = f->gradients, *b = f->gradients + f->trace.n_params;
    for (size_t layer = 0; layer < f->trace.n_layers; layer++) {
        sample *s = &f->samples[layer];
        size_t count = f->trace.layers[layer].count;
        size_t n = count < MAX_VALUES ? count : MAX_VALUES;
        uint64_t random = egc_rng_derive_seed(SEED_FIT + 1, layer, pair);
        for (size_t i = 0; i < n; i++) {
            size_t at = place_of(i, n, count, &random);
            float product = copysignf(1, a[at]) * copysignf(1, b[at]);
            if (a[at] != 0 && b[at] != 0 && isfinite(a[at]) && isfinite(b[at])) {
                s->n_signs[which]++;
                s->same_sign[which] += product > 0;
            }
        }
        a += count;
        b += count;
    }
}

static egc_status compare_with(fitting *f, int which, uint64_t pair, uint64_t step, size_t worker,
                               egc_error *err)
{
    egc_status status =
        egc_trace_file_read(&f->trace, step, worker, f->gradients + f->trace.n_params, NULL, err);
    if (!status)
        compare_signs(f, which, pair);
    return status;
}

/* Compares pairs of workers at a step, and of steps of a worker, spread over the trace. */
static egc_status compare_pairs(fitting *f, egc_error *err)
{
    const egc_trace_file *trace = &f->trace;
    uint64_t n = trace->steps < MAX_PAIRS ? trace->steps : MAX_PAIRS;
    egc_status status = EGC_OK;
    for (uint64_t pair = 0; pair < n && !status; pair++) {
        uint64_t step = pair * trace->steps / n;
        size_t worker = (size_t)(pair % trace->workers);
        if (trace->workers == 1 && step + 1 == trace->steps)
            continue;
        status = egc_trace_file_read(&f->trace, step, worker, f->gradients, NULL, err);
        if (!status && trace->workers > 1)
            status = compare_with(f, 0, pair, step, (worker + 1) % trace->workers, err);
        if (!status && step + 1 < trace->steps)
            status = compare_with(f, 1, pair, step + 1, worker, err);
    }
    return status;
}

/* Probability that two normal variables of correlation r that both lie beyond -z or z lie on the
 * same side: the share of equal signs among nonzero synthetic values. */
static double same_side(double r, double z)
{
    enum { N = 256 };
    double same = 0, other = 0, spread = sqrt((1 - r) * (1 + r)) * M_SQRT2, step = 8.0 / N;
    for (int i = 0; i < N; i++) {
        double x = z + (i + 0.5) * step, density = exp(-x * x / 2);
        same += density * erfc((z - r * x) / spread);
        other += density * erfc((z + r * x) / spread);
    }
    return same / (same + other);
}

/* The correlation for `same` equal signs among n pairs. A share p has the standard error 1 / (2
 * sqrt(n)) near one half. Without zeros, p is 1/2 + asin(r) / pi. */
static double correlation_of(uint64_t same, uint64_t n, double zeros)
{
    double share = n ? (double)same / (double)n : 0.5;
    if (n == 0 || share - 0.5 <= 1 / sqrt((double)n))
        return 0;
    double low = 0, high = 1, z = gsl_cdf_ugaussian_Pinv(0.5 + fmin(zeros, 0.999) / 2);
    while (high - low > 1e-6) {
        double middle = (low + high) / 2;
        if (same_side(middle, z) < share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* ---- fitting --------------------------------------------------------------------------------- */

/* Fits a line through the logarithms of the means. Returns the mean at the first step. */
static double find_trend(const fitting *f, const sample *s, double *decay)
{
    double x[EGC_TRACE_SAMPLES], y[EGC_TRACE_SAMPLES], c0 = 0, c1 = 0, cov00, cov01, cov11, sum;
    size_t n = 0;
    bool varied = false;
    for (size_t g = 0; g < f->n_gradients; g++)
        if (s->n_nonzero[g]) {
            x[n] = f->trace.steps > 1 ? (double)f->steps[g] / (double)(f->trace.steps - 1) : 0;
            y[n] = log(s->mean[g]);
            varied = varied || x[n] != x[0];
            c0 += y[n++];
        }
    c0 /= (double)(n ? n : 1);
    if (varied)
        gsl_fit_linear(x, 1, y, 1, n, &c0, &c1, &cov00, &cov01, &cov11, &sum);
    *decay = fmax(1e-6, fmin(exp(c1), 1e6));
    return exp(c0);
}

/* Fills f->magnitudes, in units of the mean of their gradient, sorted. Returns their number. */
static size_t normalise(const fitting *f, const sample *s, double first, double decay)
{
    size_t n = 0;
    for (size_t g = 0; g < f->n_gradients; g++) {
        double position =
            f->trace.steps > 1 ? (double)f->steps[g] / (double)(f->trace.steps - 1) : 0;
        double unit = s->n_nonzero[g] >= MANY ? s->mean[g] : first * pow(decay, position);
        for (size_t i = 0; i < s->per_gradient; i++) {
            double y = fabs((double)s->values[g * s->per_gradient + i]) / unit;
            if (isfinite(y) && y > 0)
                f->magnitudes[n++] = y;
        }
    }
    gsl_sort(f->magnitudes, 1, n);
    return n;
}

static egc_status fit_laws(const fitting *f, egc_layer_fit *fit, double unit, egc_error *err)
{
    egc_estimate estimate;
    egc_status status = egc_estimate_init(&estimate, f->magnitudes, fit->n_values, err);
    for (int d = 0; d < EGC_N_DISTRIBUTIONS && !status; d++) {
        egc_law law;
        status = egc_estimate_law(&estimate, (egc_distribution)d, &law, err);
        if (status)
            break;
        fit->fits[d] = (egc_law_fit){law, egc_estimate_distance(&estimate, &law),
                                     egc_estimate_tail(&estimate, &law)};
        fit->fits[d].law.scale *= unit;
        fit->fits[d].law.zeros = fit->zeros;
    }
    egc_estimate_fini(&estimate);
    return status;
}

static egc_status fit_layer(fitting *f, size_t layer, egc_error *err)
{
    const sample *s = &f->samples[layer];
    egc_layer_fit *fit = &f->out->fits[layer];
    size_t n_nonzero = 0;
    for (size_t g = 0; g < f->n_gradients; g++)
        n_nonzero += s->n_nonzero[g];
    fit->zeros = s->n_finite ? 1 - (double)n_nonzero / (double)s->n_finite : 0;
    fit->worker_correlation = correlation_of(s->same_sign[0], s->n_signs[0], fit->zeros);
    fit->time_correlation = correlation_of(s->same_sign[1], s->n_signs[1], fit->zeros);
    double first = find_trend(f, s, &fit->decay);
    fit->n_values = normalise(f, s, first, fit->decay);
    return fit->n_values ? fit_laws(f, fit, first, err) : EGC_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

static egc_status allocate(fitting *f, egc_error *err)
{
    const egc_trace_file *trace = &f->trace;
    f->samples = egc_calloc(trace->n_layers, sizeof *f->samples);
    f->gradients = egc_calloc(trace->n_params, 2 * sizeof *f->gradients);
    f->magnitudes = egc_calloc(MAX_VALUES, sizeof *f->magnitudes);
    f->out->fits = egc_calloc(trace->n_layers, sizeof *f->out->fits);
    if (!f->samples || !f->gradients || !f->magnitudes || !f->out->fits)
        return egc_fail_memory(err, trace->n_params * 2 * sizeof *f->gradients);
    for (size_t i = 0; i < trace->n_layers; i++) {
        size_t room = MAX_VALUES / f->n_gradients, count = trace->layers[i].count;
        sample *s = &f->samples[i];
        s->per_gradient = count < room ? count : room;
        s->values = egc_calloc(s->per_gradient * f->n_gradients, sizeof *s->values);
        if (!s->values)
            return egc_fail_memory(err, s->per_gradient * f->n_gradients * sizeof *s->values);
    }
    return EGC_OK;
}

static void release(fitting *f)
{
    for (size_t i = 0; f->samples && i < f->trace.n_layers; i++)
        egc_free(f->samples[i].values);
    egc_free(f->samples);
    egc_free(f->gradients);
    egc_free(f->magnitudes);
    egc_trace_file_close(&f->trace);
}

egc_status egc_trace_fit_init(egc_trace_fit *out, const char *path, egc_error *err)
{
    fitting f = {.out = out};
    *out = (egc_trace_fit){0};
    egc_status status = egc_trace_file_open(path, &f.trace, err);
    if (status)
        return status;
    f.n_gradients = egc_trace_file_samples(&f.trace);
    status = allocate(&f, err);
    if (!status)
        status = take_gradients(&f, err);
    if (!status)
        status = compare_pairs(&f, err);
    for (size_t i = 0; i < f.trace.n_layers && !status; i++)
        status = fit_layer(&f, i, err);
    out->note = f.trace.note;
    out->n_sampled = f.n_gradients;
    out->n_layers = f.trace.n_layers;
    memcpy(out->model, f.trace.model, sizeof out->model);
    out->layers = f.trace.layers;
    f.trace.layers = NULL;
    release(&f);
    if (status)
        egc_trace_fit_fini(out);
    return status;
}

void egc_trace_fit_fini(egc_trace_fit *fit)
{
    egc_free(fit->layers);
    egc_free(fit->fits);
    *fit = (egc_trace_fit){0};
}

const egc_law_fit *egc_trace_fit_best(const egc_layer_fit *fit, bool by_tail)
{
    const egc_law_fit *best = &fit->fits[0];
    for (int d = 1; d < EGC_N_DISTRIBUTIONS; d++) {
        const egc_law_fit *other = &fit->fits[d];
        bool better = by_tail && !isnan(best->tail) ? fabs(other->tail) < fabs(best->tail)
                                                    : other->distance < best->distance;
        best = better ? other : best;
    }
    return best;
}
