/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time to simulate a step of training: ResNet-50 in one bucket, on thousands of workers of which
 * one is sampled. Runs in a child process: see simulator.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/bench/bench.h"
#include "net/topology/isolated.h"
#include "script/cluster.h"
#include "train/run.h"
#include "train/sync/steady_state.h"

enum { MOST_STEPS = 20 };

typedef struct bench_run {
    const char *name, *method;
    double ratio; /* ratio of top-k; NAN: not set */
    const char *exchange;
    int workers, steps;
    const char *cluster, *setting;
    bool repeats; /* later steps repeat the times of the first ones */
} bench_run;

static const bench_run runs[] = {
    {"dense-step", "none", NAN, "ring", 1024, MOST_STEPS, "star", "hosts=1024", true},
    {"topk-step", "topk", 0.001, "allgather-rd", 4096, 2, "fat_tree", "children={64}", false},
};

/* ---- the run --------------------------------------------------------------------------------- */

/* Processor time at the start of the run, then at the end of each step. */
typedef struct bench_watch {
    double ended_s[MOST_STEPS + 1];
    size_t n;
} bench_watch;

static egc_status note_step(void *arg, uint64_t step, const egc_metrics *metrics, egc_error *err)
{
    bench_watch *watch = arg;
    (void)step, (void)metrics, (void)err;
    watch->ended_s[watch->n++] = egc_bench_timer_processor_s();
    return EGC_OK;
}

/* Chooses the workload "synthetic" with ResNet-50. Its parameters live in arena. */
static egc_status choose_workload(egc_train_config *config, egc_arena *arena, egc_error *err)
{
    const egc_scalar model = {.kind = EGC_SCALAR_TEXT, .text = "resnet50"};
    egc_status status = egc_workload_find("synthetic", &config->workload, err);
    if (status)
        return status;
    const egc_param *table = config->workload->params;
    void *params = egc_arena_alloc(arena, config->workload->params_size);
    if (!params)
        return egc_fail_memory(err, config->workload->params_size);
    egc_param_init(table, params);
    config->workload_params = params;
    return egc_param_set(egc_param_find(table, "model"), params, &model, err);
}

static egc_status configure(const bench_run *given, egc_arena *arena, egc_train_config *config,
                            egc_error *err)
{
    egc_cluster_choice choice;
    egc_status status =
        egc_cluster_choose_by_settings(given->cluster, &given->setting, 1, arena, &choice, err);
    if (status)
        return status;
    *config = (egc_train_config){
        .cluster = choice.type, .cluster_params = choice.params, .device = choice.device};
    egc_param_init(egc_train_config_params, &config->options);
    config->options.workers = given->workers;
    config->options.sampled_workers = 1;
    config->options.steps = given->steps;
    config->options.bucket_bytes = EGC_BUCKET_MODEL;
    status = choose_workload(config, arena, err);
    if (!status)
        status = egc_method_init(&config->method, given->method, err);
    if (!status && !isnan(given->ratio)) {
        const egc_scalar ratio = {.kind = EGC_SCALAR_NUMBER, .number = given->ratio};
        status = egc_method_set(&config->method, "ratio", &ratio, err);
    }
    return status ? status : egc_exchange_find(given->exchange, &config->exchange, err);
}

/* Runs in a child and appends a bench_watch. */
static egc_status train(void *arg, egc_buf *out, egc_error *err)
{
    egc_arena arena = {0};
    egc_train_config config;
    egc_train_summary summary;
    bench_watch watch = {.n = 0};
    const egc_train_sink sink = {.arg = &watch, .step = note_step};
    egc_status status = configure(arg, &arena, &config, err);
    if (!status)
        status = egc_train_run_check(&config, err);
    watch.ended_s[watch.n++] = egc_bench_timer_processor_s();
    if (!status)
        status = egc_train_run(&config, &sink, &summary, err);
    if (!status)
        status = egc_buf_append(out, &watch, sizeof watch, err);
    egc_arena_fini(&arena);
    return status;
}

/* ---- times ----------------------------------------------------------------------------------- */

static egc_status report(const bench_run *given, const char *which, double seconds,
                         const egc_bench_sink *sink, egc_error *err)
{
    egc_bench_row row = {"simulator", given->name, "", "s/step", seconds};
    snprintf(row.setting, sizeof row.setting, "%d on %s%s", given->workers, given->cluster, which);
    return sink->row(sink->arg, &row, err);
}

/* The first step includes making the world. */
static egc_status report_all(const bench_run *given, const bench_watch *watch,
                             const egc_bench_sink *sink, egc_error *err)
{
    const double *ended_s = watch->ended_s;
    size_t last = watch->n - 1, simulated = given->repeats ? EGC_STEADY_STATE_FROM : last;
    double first_s = (ended_s[simulated] - ended_s[0]) / (double)simulated;
    double again_s = (ended_s[last] - ended_s[simulated]) / (double)(last - simulated);
    egc_status status = report(given, "", first_s, sink, err);
    return status || !given->repeats ? status : report(given, ", again", again_s, sink, err);
}

egc_status egc_bench_steps(const egc_bench_sink *sink, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = 0; i < sizeof runs / sizeof *runs && !status; i++) {
        egc_buf out = {0};
        bench_watch watch;
        status = egc_isolated_run(train, (void *)&runs[i], &out, err);
        if (!status) {
            memcpy(&watch, out.data, sizeof watch);
            status = report_all(&runs[i], &watch, sink, err);
        }
        egc_buf_fini(&out);
        if (status)
            return egc_error_prefix(err, "%s", runs[i].name);
    }
    return status;
}
