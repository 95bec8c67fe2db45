/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients drawn from distributions, layer by layer: open loop, of any size, for as many workers
 * and steps as are asked for. What worker w gets at step t for a layer depends on (seed, layer, w,
 * t) alone, and can be computed without the steps before.
 *
 * Without correlation every value is drawn by itself (source.h). With it, a place of a layer has
 * behind it the normal variable
 *
 *     z(w, t) = sqrt(c) s(t) + sqrt(1 - c) p(w, t)
 *
 * c being worker_correlation, s a series that all workers share and p one of each worker's own,
 * both of them correlated in time as series.h says; x(w, t) is then the value of the layer's law at
 * z(w, t)'s place (a Gaussian copula). So two workers' z are correlated by c, one worker's at steps
 * in a row by time_correlation, and x has the law's distribution exactly. The scale at step t of T
 * is scale * decay^(t / (T - 1)). */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workloads/synthetic/layers.h"
#include "workloads/synthetic/series.h"
#include "workloads/synthetic/source.h"

enum { SEED_SYNTHETIC = 0x73796e74 }; /* "synt": the stream of random numbers used here */

#define SHARED UINT64_MAX /* in a worker's place: what all of them share */

typedef struct synthetic_state {
    egc_synthetic_settings *plans; /* of each layer */
    size_t *laws;                  /* of each layer, its magnitudes */
    egc_source *magnitudes;        /* of each law */
    size_t n_magnitudes;
    egc_source standard; /* normal variables */
} synthetic_state;

/* ---- opening -------------------------------------------------------------------------------- */

/* True when one stream of random numbers is all that a layer takes at a step. */
static bool is_independent(const egc_synthetic_settings *plan)
{
    return plan->time_correlation == 0 &&
           (plan->worker_correlation == 0 || plan->worker_correlation == 1);
}

/* The magnitudes of layer i, which layers with the same law share. */
static egc_status find_magnitudes(synthetic_state *state, size_t i, egc_error *err)
{
    const egc_synthetic_settings *plan = &state->plans[i];
    bool independent = is_independent(plan);
    for (size_t m = state->n_magnitudes; m-- > 0;) {
        const egc_source *known = &state->magnitudes[m];
        if (egc_law_alike(&known->law, &plan->law) && (known->random != NULL) == independent) {
            state->laws[i] = m;
            return EGC_OK;
        }
    }
    state->laws[i] = state->n_magnitudes++;
    return egc_source_init(&state->magnitudes[state->laws[i]], &plan->law, independent,
                           !independent, err);
}

static egc_status plan_layers(const egc_synthetic_params *p, synthetic_state *state, size_t n,
                              egc_error *err)
{
    const egc_law standard = {EGC_GAUSSIAN, 1, NAN, NAN, 0};
    state->plans = egc_calloc(n, sizeof *state->plans);
    state->laws = egc_calloc(n, sizeof *state->laws);
    state->magnitudes = egc_calloc(n, sizeof *state->magnitudes);
    if (!state->plans || !state->laws || !state->magnitudes)
        return egc_fail_memory(err, n * sizeof *state->plans);
    egc_status status = egc_source_init(&state->standard, &standard, true, false, err);
    for (size_t i = 0; i < n && !status; i++) {
        egc_synthetic_layers_settings(p, i, &state->plans[i]);
        status = find_magnitudes(state, i, err);
    }
    return status;
}

static void close_synthetic(egc_workload *workload)
{
    synthetic_state *state = workload->state;
    for (size_t m = 0; m < state->n_magnitudes; m++)
        egc_source_fini(&state->magnitudes[m]);
    egc_source_fini(&state->standard);
    egc_free(state->magnitudes);
    egc_free(state->laws);
    egc_free(state->plans);
}

static egc_status open_synthetic(egc_workload *workload, const void *params,
                                 const egc_workload_request *request, egc_error *err)
{
    (void)request;
    const egc_synthetic_params *p = params;
    egc_status status = egc_synthetic_layers(p, &workload->layers, &workload->n_layers, err);
    if (!status)
        status = plan_layers(p, workload->state, workload->n_layers, err);
    if (status) {
        close_synthetic(workload);
        return status;
    }
    for (size_t i = 0; i < workload->n_layers; i++)
        workload->n_params += workload->layers[i].count;
    snprintf(workload->model, sizeof workload->model, "%s", p->model[0] ? p->model : "synthetic");
    return EGC_OK;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static uint64_t stream_seed(const egc_workload *workload, size_t layer, uint64_t worker,
                            uint64_t step)
{
    uint64_t seed = egc_rng_derive_seed(workload->request.seed, SEED_SYNTHETIC, layer);
    return egc_rng_derive_seed(seed, worker, step);
}

/* The innovations of a series, each with its share in z; `share` is the series' own. */
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
    const egc_synthetic_settings *plan = &state->plans[layer];
    egc_series series;
    egc_stream streams[2 * EGC_SERIES_MOST];
    size_t n = 0;
    egc_series_at(plan->time_correlation, step, &series);
    if (plan->worker_correlation > 0)
        n = add_streams(workload, layer, SHARED, &series, sqrt(plan->worker_correlation), streams);
    if (plan->worker_correlation < 1)
        n += add_streams(workload, layer, worker, &series, sqrt(1 - plan->worker_correlation),
                         streams + n);
    egc_source_mix(&state->magnitudes[state->laws[layer]], &state->standard, streams, n, scale, out,
                   workload->layers[layer].count);
}

static double scale_at(const egc_workload *workload, const egc_synthetic_settings *plan,
                       uint64_t step)
{
    double last = (double)workload->request.steps - 1;
    return plan->law.scale * (last > 0 ? pow(plan->decay, (double)step / last) : 1);
}

static egc_status draw_gradient(egc_workload *workload, uint64_t step, size_t worker,
                                const float *parameters, float *gradient, double *loss,
                                egc_error *err)
{
    (void)parameters, (void)err; /* open loop: nothing depends on them, nothing can fail */
    const synthetic_state *state = workload->state;
    *loss = NAN;
    for (size_t i = 0; i < workload->n_layers; i++) {
        const egc_synthetic_settings *plan = &state->plans[i];
        size_t count = workload->layers[i].count;
        double scale = scale_at(workload, plan, step);
        uint64_t owner = plan->worker_correlation == 1 ? SHARED : worker;
        if (is_independent(plan))
            egc_source_draw(&state->magnitudes[state->laws[i]],
                            stream_seed(workload, i, owner, step), scale, gradient, count);
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
