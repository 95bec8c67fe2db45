/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step that published.c simulates is the trainer's: ResNet-20 trained by it, on real gradients
 * and messages, takes as long. */
#include "validation.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/clusters.h"
#include "step.h"
#include "support/test.h"
#include "train/training.h"

#define LIMIT 1e-6

enum { WORKERS = 8, STEPS = 2 };

#define SPEED_FLOPS 5e11
#define BANDWIDTH_BPS 1.25e8
#define LATENCY_S 50e-6

static const struct {
    const char *name;
    double bucket_bytes;
    bool overlap;
} schedules[] = {
    {"BSP", EGC_BUCKET_MODEL, false},
    {"buckets of 256 KiB", 0x1p18, true},
    {"WFBP", EGC_BUCKET_LAYER, true},
    {"MG-WFBP", EGC_BUCKET_MERGE, true},
};

/* ---- the trainer ----------------------------------------------------------------------------- */

static void *workload_params(const egc_workload_type *type)
{
    egc_error err = {0};
    const egc_scalar model = {.kind = EGC_SCALAR_TEXT, .text = "resnet20"};
    void *params = egc_calloc(1, type->params_size);
    assert_non_null(params);
    egc_params_init(type->params, params);
    assert_ok(egc_param_set(egc_params_find(type->params, "model"), params, &model, &err), err);
    return params;
}

static double train_in_child(const egc_training_config *config)
{
    double *step_s = shared_memory(sizeof *step_s);
    assert_non_null(step_s);
    pid_t child = fork();
    if (child == 0) {
        const egc_training_sink sink = {0};
        egc_training_summary summary;
        egc_error err;
        egc_status status = egc_training_run(config, &sink, &summary, &err);
        *step_s = summary.mean.step_s;
        if (status)
            fprintf(stderr, "%s\n", err.message);
        _exit(status != EGC_OK);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    return *step_s;
}

static double trained_step_s(size_t which)
{
    egc_error err = {0};
    test_cluster cluster;
    char settings[128];
    snprintf(settings, sizeof settings, "hosts=%d bandwidth=%.17g latency=%.17g", WORKERS,
             BANDWIDTH_BPS, LATENCY_S);
    assert_ok(make_cluster("star", settings, &cluster, &err), err);
    egc_training_config config = {
        .cluster = cluster.type,
        .cluster_params = cluster.params,
        .device = {.flops = SPEED_FLOPS, .efficiency = 1, .memory_Bps = 1e9}};
    assert_ok(egc_workload_find("synthetic", &config.workload, &err), err);
    config.workload_params = workload_params(config.workload);
    assert_ok(egc_method_init(&config.method, "none", &err), err);
    assert_ok(egc_exchange_find("ring", &config.exchange, &err), err);
    egc_params_init(egc_training_params, &config.options);
    config.options.workers = WORKERS;
    config.options.steps = STEPS;
    config.options.cost = EGC_COST_NONE;
    config.options.overlap = schedules[which].overlap;
    config.options.bucket_bytes = schedules[which].bucket_bytes;
    config.thread_contexts = trial_of(1, 1, 1, NULL, NULL).config.thread_contexts;
    double step_s = train_in_child(&config);
    egc_free((void *)config.workload_params);
    free_cluster(&cluster);
    return step_s;
}

/* ---- without it ------------------------------------------------------------------------------ */

static double bare_step_s(size_t which, double *model_bytes)
{
    egc_error err = {0};
    egc_workload_type const *type;
    assert_ok(egc_workload_find("synthetic", &type, &err), err);
    void *params = workload_params(type);
    const egc_workload_request request = {.workers = WORKERS, .steps = STEPS, .seed = 1};
    egc_workload *model;
    assert_ok(egc_workload_new(type, params, &request, &model, &err), err);
    const egc_exchange_type *ring;
    assert_ok(egc_exchange_find("ring", &ring, &err), err);
    const egc_plan_options options = {
        .bucket_bytes = schedules[which].bucket_bytes,
        .first_bucket_bytes = 0x1p20,
        .speed_flops = SPEED_FLOPS,
        .startup_s = 2 * (WORKERS - 1) * LATENCY_S,
        .byte_s = 2 * (WORKERS - 1.0) / WORKERS / BANDWIDTH_BPS,
    };
    step s = {.overlap = schedules[which].overlap};
    assert_ok(egc_plan_init(&s.plan, model, &options, &err), err);
    for (size_t b = 0; b < s.plan.n_buckets; b++)
        s.exchange[b] = ring;
    double time_s = step_time(&s, WORKERS, BANDWIDTH_BPS, LATENCY_S, NULL);
    *model_bytes = 4 * (double)model->n_params;
    egc_plan_fini(&s.plan);
    egc_workload_free(model);
    egc_free(params);
    return time_s;
}

void validate_trainer(validation *v)
{
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        double bytes, bare_s = bare_step_s(i, &bytes);
        validation_case one = {
            .ladder = "trainer",
            .source = "the trainer",
            .quantity = "step (s)",
            .workers = WORKERS,
            .bytes = bytes,
            .expected = trained_step_s(i),
            .simulated = bare_s,
            .limit = LIMIT,
            .rate_share = egc_exchange_least_bytes(EGC_EXCHANGE_REDUCE, WORKERS, bytes) /
                          (bare_s * BANDWIDTH_BPS),
        };
        snprintf(one.subject, sizeof one.subject, "%s", schedules[i].name);
        snprintf(one.network, sizeof one.network, "star 1 Gbit/s 50 us");
        validation_add(v, &one);
    }
}
