/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients drawn from distributions, layer by layer: open loop, for any number of parameters,
 * workers and steps. The gradient of worker w at step t for a layer depends on (seed, layer, w, t)
 * alone, and can be computed without the steps before.
 *
 * Without correlation every value is drawn on its own (source.h). With correlation, each value of a
 * layer comes from the normal variable
 *
 *     z(w, t) = sqrt(c) s(t) + sqrt(1 - c) p(w, t)
 *
 * where c is worker_correlation, s a series that all workers share and p a series of each worker,
 * both correlated in time as series.h says. The value is the quantile of the layer's law at the
 * rank of z(w, t) (a Gaussian copula). So the z of two workers have correlation c, those of one
 * worker at consecutive steps time_correlation, and the values have the law's distribution exactly.
 * The scale at step t of T is scale * decay^(t / (T - 1)). */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workloads/synthetic/layers.h"
#include "workloads/synthetic/series.h"
#include "workloads/synthetic/source.h"

enum { SEED_SYNTHETIC = 0x73796e74 }; /* "synt": stream of random numbers */

#define SHARED UINT64_MAX /* stands for the series that all workers share */

typedef struct synthetic_state {
    egc_synthetic_settings *settings; /* one a layer */
    size_t *laws;                     /* one a layer: index into sources */
    egc_source *sources;              /* one a law */
    size_t n_sources;
    egc_source standard; /* normal variables */
} synthetic_state;

/* ---- opening --------------------------------------------------------------------------------- */

/* True when the values of a step need one stream of random numbers only. */
static bool is_independent(const egc_synthetic_settings *settings)
{
    return settings->time_correlation == 0 &&
           (settings->worker_correlation == 0 || settings->worker_correlation == 1);
}

/* Finds or makes the source of layer i, which layers with the same law share. */
static egc_status find_source(synthetic_state *state, size_t i, egc_error *err)
{
    const egc_synthetic_settings *settings = &state->settings[i];
    bool independent = is_independent(settings);
    for (size_t m = state->n_sources; m-- > 0;) {
        const egc_source *known = &state->sources[m];
        if (egc_law_alike(&known->law, &settings->law) && (known->random != NULL) == independent) {
            state->laws[i] = m;
            return EGC_OK;
        }
    }
    state->laws[i] = state->n_sources++;
    return egc_source_init(&state->sources[state->laws[i]], &settings->law, independent,
                           !independent, err);
}

static egc_status set_up_layers(const egc_synthetic_params *p, synthetic_state *state, size_t n,
                                egc_error *err)
{
    const egc_law standard = {EGC_GAUSSIAN, 1, NAN, NAN, 0};
    state->settings = egc_calloc(n, sizeof *state->settings);
    state->laws = egc_calloc(n, sizeof *state->laws);
    state->sources = egc_calloc(n, sizeof *state->sources);
    if (!state->settings || !state->laws || !state->sources)
        return egc_fail_memory(err, n * sizeof *state->settings);
    egc_status status = egc_source_init(&state->standard, &standard, true, false, err);
    for (size_t i = 0; i < n && !status; i++) {
        egc_synthetic_layers_settings(p, i, &state->settings[i]);
        status = find_source(state, i, err);
    }
    return status;
}

static void close_synthetic(egc_workload *workload)
{
    synthetic_state *state = workload->state;
    for (size_t m = 0; m < state->n_sources; m++)
        egc_source_fini(&state->sources[m]);
    egc_source_fini(&state->standard);
    egc_free(state->sources);
    egc_free(state->laws);
    egc_free(state->settings);
}

static egc_status open_synthetic(egc_workload *workload, const void *params,
                                 const egc_workload_request *request, egc_error *err)
{
    (void)request;
    const egc_synthetic_params *p = params;
    egc_status status = egc_synthetic_layers(p, &workload->layers, &workload->n_layers, err);
    if (!status)
        status = set_up_layers(p, workload->state, workload->n_layers, err);
    if (status) {
        close_synthetic(workload);
        return status;
    }
    for (size_t i = 0; i < workload->n_layers; i++)
        workload->n_params += workload->layers[i].count;
    snprintf(workload->model, sizeof workload->model, "%s", p->model[0] ? p->model : "synthetic");
    return EGC_OK;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static uint64_t stream_seed(const egc_workload *workload, size_t layer, uint64_t worker,
                            uint64_t step)
{
    uint64_t seed = egc_rng_derive_seed(workload->request.seed, SEED_SYNTHETIC, layer);
    return egc_rng_derive_seed(seed, worker, step);
}

/* The innovations of a series with their weights in z; `share` is the weight of the series. */
static size_t add_streams(const egc_workload *workload, size_t layer, uint64_t worker,
                          const egc_series *series, double share, egc_stream *out)
{
    for (size_t i = 0; i < series->n; i++)
        out[i] = (egc_stream){stream_seed(workload, layer, worker, series->step[i]),
                              (float)(share * series->weight[i])};
    return series->n;
}

static void draw_correlated(const egc_workload *workload, size_t layer, uint64_t step,
                            size_t worker, double scale, float *out)
{
    const synthetic_state *state = workload->state;
    const egc_synthetic_settings *settings = &state->settings[layer];
    egc_series series;
    egc_stream streams[2 * EGC_SERIES_MOST];
    size_t n = 0;
    egc_series_at(settings->time_correlation, step, &series);
    if (settings->worker_correlation > 0)
        n = add_streams(workload, layer, SHARED, &series, sqrt(settings->worker_correlation),
                        streams);
    if (settings->worker_correlation < 1)
        n += add_streams(workload, layer, worker, &series, sqrt(1 - settings->worker_correlation),
                         streams + n);
    egc_source_mix(&state->sources[state->laws[layer]], &state->standard, streams, n, scale, out,
                   workload->layers[layer].count);
}

static double scale_at(const egc_workload *workload, const egc_synthetic_settings *settings,
                       uint64_t step)
{
    double last = (double)workload->request.steps - 1;
    return settings->law.scale * (last > 0 ? pow(settings->decay, (double)step / last) : 1);
}

static egc_status draw_gradient(egc_workload *workload, uint64_t step, size_t worker,
                                const float *parameters, float *gradient, double *loss,
                                egc_error *err)
{
    (void)parameters, (void)err; /* open loop; drawing cannot fail */
    const synthetic_state *state = workload->state;
    *loss = NAN;
    for (size_t i = 0; i < workload->n_layers; i++) {
        const egc_synthetic_settings *settings = &state->settings[i];
        size_t count = workload->layers[i].count;
        double scale = scale_at(workload, settings, step);
        uint64_t owner = settings->worker_correlation == 1 ? SHARED : worker;
        if (is_independent(settings))
            egc_source_draw(&state->sources[state->laws[i]], stream_seed(workload, i, owner, step),
                            scale, gradient, count);
        else
            draw_correlated(workload, i, step, worker, scale, gradient);
        gradient += count;
    }
    return EGC_OK;
}

const egc_workload_type egc_workload_synthetic = {
    .name = "synthetic",
    .summary = "gradients drawn from distributions, of any model's size",
    .reference = "workloads/README.md",
    .params = egc_synthetic_layers_params,
    .params_size = sizeof(egc_synthetic_params),
    .state_size = sizeof(synthetic_state),
    .check = egc_synthetic_layers_check,
    .open = open_synthetic,
    .gradient = draw_gradient,
    .close = close_synthetic,
};
