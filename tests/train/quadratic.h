/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole runs of a workload made for the purpose: a vector and a matrix of given sizes and times,
 * and a quadratic loss whose gradient at worker w is x - target(w). Each run has a process of its
 * own, since a process can make one world only. */
#ifndef EGC_TEST_QUADRATIC_H
#define EGC_TEST_QUADRATIC_H

#include "support/test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "train/run.h"

enum { SMALL = 100, LARGE = 900, ROWS = 30, N = SMALL + LARGE, MAX_STEPS = 64, MAX_EVENTS = 4096 };

/* ---- the workload --------------------------------------------------------------------------- */

static double forward_s = 0.001, backward_s = 0.002; /* of each layer */
static bool poison;                                  /* a NaN for worker 1 at step 3 */

static inline egc_status open_quadratic(egc_workload *w, const void *params,
                                        const egc_workload_request *request, egc_error *err)
{
    (void)params, (void)request, (void)err;
    w->layers = egc_calloc(2, sizeof *w->layers);
    for (int i = 0; i < 2; i++) {
        w->layers[i] = (egc_layer){.shape = {i ? ROWS : SMALL, i ? LARGE / ROWS : 0},
                                   .count = i ? LARGE : SMALL,
                                   .forward_s = forward_s,
                                   .backward_s = backward_s};
        strcpy(w->layers[i].name, i ? "large" : "small");
    }
    w->n_layers = 2;
    w->n_params = N;
    strcpy(w->model, "quadratic");
    w->optimizer = (egc_optimizer){.lr = 0.05, .momentum = 0.5};
    return EGC_OK;
}

static inline egc_status initialize(egc_workload *w, float *x, egc_error *err)
{
    (void)w, (void)err;
    memset(x, 0, N * sizeof *x);
    return EGC_OK;
}

static inline float target(size_t worker, size_t i)
{
    return (float)((worker + 1) * (i % 17 + 1)) / 16;
}

static inline egc_status gradient(egc_workload *w, uint64_t step, size_t worker, const float *x,
                                  float *g, double *loss, egc_error *err)
{
    (void)w, (void)err;
    *loss = 0;
    for (size_t i = 0; i < N; i++) {
        g[i] = (x ? x[i] : 0) - target(worker, i);
        *loss += 0.5 * (double)g[i] * (double)g[i];
    }
    if (poison && step == 3 && worker == 1)
        g[SMALL] = NAN;
    return EGC_OK;
}

static inline egc_status evaluate(egc_workload *w, const float *x, egc_evaluation *out,
                                  egc_error *err)
{
    (void)w, (void)err;
    *out = (egc_evaluation){.loss = 0, .accuracy = x[N - 1], .perplexity = NAN};
    for (size_t i = 0; i < N; i++)
        out->loss += (double)x[i];
    return EGC_OK;
}

static inline void close_quadratic(egc_workload *w)
{
    (void)w;
}

static const egc_workload_type closed = {
    .name = "quadratic",
    .closed_loop = true,
    .state_size = 1,
    .open = open_quadratic,
    .initialize = initialize,
    .gradient = gradient,
    .evaluate = evaluate,
    .close = close_quadratic,
};
static const egc_workload_type open_loop = {
    .name = "constant",
    .state_size = 1,
    .open = open_quadratic,
    .gradient = gradient,
    .close = close_quadratic,
};

/* ---- running -------------------------------------------------------------------------------- */

typedef struct result {
    egc_status status;
    egc_error err;
    egc_train_summary summary;
    egc_metrics step[MAX_STEPS];
    uint64_t steps;
    double units;                 /* rows */
    double largest_residual_norm; /* of them */
    uint64_t hash;                /* of the rows of units and evaluations */
    egc_timeline_event event[MAX_EVENTS];
    size_t events;
} result;

static inline egc_status keep_step(void *arg, uint64_t step, const egc_metrics *m, egc_error *err)
{
    (void)err;
    result *r = arg;
    assert_int_equal(step, r->steps);
    r->step[r->steps++] = *m;
    return EGC_OK;
}

static inline egc_status count_unit(void *arg, uint64_t step, const egc_unit_metrics *m,
                                    egc_error *err)
{
    (void)err;
    result *r = arg;
    const double values[] = {(double)step, m->elements,      m->sent,      m->wire_bytes,
                             m->rel_error, m->residual_norm, m->correction};
    r->units++;
    r->largest_residual_norm = fmax(r->largest_residual_norm, m->residual_norm);
    r->hash = egc_hash(r->hash, m->name, strlen(m->name));
    r->hash = egc_hash(r->hash, values, sizeof values);
    return EGC_OK;
}

static inline egc_status hash_evaluation(void *arg, uint64_t step, const egc_evaluation_metrics *m,
                                         egc_error *err)
{
    (void)err;
    result *r = arg;
    r->hash = egc_hash(r->hash, &step, sizeof step);
    r->hash = egc_hash(r->hash, m, sizeof *m);
    return EGC_OK;
}

/* The first of them. Layers are the plan's, which is gone when they are looked at. */
static inline egc_status keep_event(void *arg, const egc_timeline_event *event, egc_error *err)
{
    (void)err;
    result *r = arg;
    if (r->events < MAX_EVENTS)
        r->event[r->events++] = *event;
    return EGC_OK;
}

static inline egc_train_config config_of(const egc_workload_type *workload, const char *method,
                                         int workers, int steps)
{
    static char cluster[4096];
    egc_error err = {0};
    egc_train_config config = {
        .workload = workload,
        .cluster_params = cluster,
        .device = {.flops = 1e12, .efficiency = 0.5, .memory_Bps = 1e9, .launch_s = 1e-6}};
    assert_ok(egc_cluster_find("star", &config.cluster, &err), err);
    egc_param_init(config.cluster->params, cluster);
    egc_scalar hosts = {.kind = EGC_SCALAR_NUMBER, .number = 16};
    assert_ok(egc_param_set(egc_param_find(config.cluster->params, "hosts"), cluster, &hosts, &err),
              err);
    assert_ok(egc_method_init(&config.method, method, &err), err);
    egc_param_init(egc_train_config_params, &config.options);
    config.options.workers = workers;
    config.options.steps = steps;
    config.options.cost = EGC_COST_NONE;
#ifdef __SANITIZE_ADDRESS__
    config.thread_contexts = true;
#endif
    return config;
}

static inline void set(egc_train_config *config, const char *key, const char *word)
{
    egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = word};
    egc_error err = {0};
    assert_ok(egc_method_set(&config->method, key, &value, &err), err);
}

static inline void set_cluster(egc_train_config *config, const char *key, const char *word)
{
    egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = word};
    egc_error err = {0};
    const egc_param *param = egc_param_find(config->cluster->params, key);
    assert_ok(egc_param_set(param, (void *)(uintptr_t)config->cluster_params, &value, &err), err);
}

static inline const result *run(const egc_train_config *config)
{
    result *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(r != MAP_FAILED);
    pid_t child = fork();
    if (child == 0) {
        const egc_train_sink sink = {.arg = r,
                                     .step = keep_step,
                                     .unit = count_unit,
                                     .evaluation = hash_evaluation,
                                     .event = keep_event};
        r->status = egc_train_run(config, &sink, &r->summary, &r->err);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return r;
}

#endif
