/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameter servers for tests: of the quadratic loss of quadratic.h, in as many layers as wanted.
 */
#ifndef EGC_TESTS_TRAIN_SERVER_H
#define EGC_TESTS_TRAIN_SERVER_H

#include "train/algorithm.h"
#include "train/ps/ps.h"
#include "train/quadratic.h"

static int n_layers = 1;
static size_t layer_count[16] = {N};
static double momentum = 0.5;

/* The first layer has what is left. */
static inline void cut_evenly(int count)
{
    n_layers = count;
    for (int i = 0; i < count; i++)
        layer_count[i] = N / (size_t)count;
    layer_count[0] += N % (size_t)count;
}

static inline egc_status open_layers(egc_workload *w, const void *params,
                                     const egc_workload_request *request, egc_error *err)
{
    (void)params, (void)request, (void)err;
    w->layers = egc_calloc((size_t)n_layers, sizeof *w->layers);
    for (int i = 0; i < n_layers; i++) {
        w->layers[i] = (egc_layer){.shape = {layer_count[i]},
                                   .count = layer_count[i],
                                   .forward_s = forward_s,
                                   .backward_s = backward_s};
        snprintf(w->layers[i].name, sizeof w->layers[i].name, "layer%d", i);
    }
    w->n_layers = (size_t)n_layers;
    w->n_params = N;
    strcpy(w->model, "quadratic");
    w->optimizer =
        (egc_optimizer){.lr = 0.05, .momentum = momentum, .schedule = EGC_LR_SCHEDULE_COSINE};
    return EGC_OK;
}

static const egc_workload_type layers = {
    .name = "layers",
    .closed_loop = true,
    .state_size = 1,
    .open = open_layers,
    .initialize = initialize,
    .gradient = gradient,
    .evaluate = evaluate,
    .close = close_quadratic,
};

extern const egc_algorithm_type egc_algorithm_ps;
static egc_ps_params server_params;

static inline void set_server(const char *key, const char *text)
{
    char *end;
    egc_scalar value = {.kind = EGC_SCALAR_NUMBER, .number = strtod(text, &end)};
    egc_error err = {0};
    if (*end)
        value = (egc_scalar){.kind = EGC_SCALAR_TEXT, .text = text};
    const egc_param *table = egc_algorithm_ps.params;
    assert_ok(egc_param_set(egc_param_find(table, key), &server_params, &value, &err), err);
}

static inline egc_train_config ps_of(const char *method, const char *mode, int workers, int steps)
{
    egc_train_config config = config_of(&layers, method, workers, steps);
    config.algorithm = &egc_algorithm_ps;
    egc_param_init(egc_algorithm_ps.params, &server_params);
    set_server("mode", mode);
    config.algorithm_params = &server_params;
    return config;
}

static inline const egc_metrics *mean_of(const egc_train_config *config)
{
    const result *r = run(config);
    if (r->status)
        fail_msg("%s", r->err.message);
    return &r->summary.metrics;
}

#endif
