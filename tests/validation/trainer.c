/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step that published.c simulates is the trainer's: ResNet-20 trained by it, on real gradients
 * and messages, takes as long. */
#include "validation.h"

#include "run.h"
#include "step.h"
#include "support/test.h"
#include "workloads/synthetic/layers.h"

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

static void open_run(run *r, size_t which)
{
    static egc_synthetic_params workload;
    egc_error err = {0};
    run_init(r, WORKERS, WORKERS, BANDWIDTH_BPS, LATENCY_S);
    egc_param_init(egc_synthetic_layers_params, &workload);
    snprintf(workload.model, sizeof workload.model, "resnet20");
    r->config.workload_params = &workload;
    assert_ok(egc_workload_find("synthetic", &r->config.workload, &err), err);
    r->config.device.flops = SPEED_FLOPS;
    assert_ok(egc_exchange_find("ring", &r->config.exchange, &err), err);
    r->config.options.steps = STEPS;
    r->config.options.overlap = schedules[which].overlap;
    r->config.options.bucket_bytes = schedules[which].bucket_bytes;
}

/* ---- without it ------------------------------------------------------------------------------ */

static double bare_step_s(const run *r, double *model_bytes)
{
    egc_error err = {0};
    const egc_workload_request request = {.workers = WORKERS, .steps = STEPS, .seed = 1};
    egc_workload *model;
    assert_ok(
        egc_workload_new(r->config.workload, r->config.workload_params, &request, &model, &err),
        err);
    const egc_partition_options options = {
        .bucket_bytes = r->config.options.bucket_bytes,
        .first_bucket_bytes = 0x1p20,
        .speed_flops = SPEED_FLOPS,
        .startup_s = 2 * (WORKERS - 1) * LATENCY_S,
        .byte_s = 2 * (WORKERS - 1.0) / WORKERS / BANDWIDTH_BPS,
    };
    step s = {.overlap = r->config.options.overlap};
    assert_ok(egc_partition_init(&s.plan, model, &options, &err), err);
    for (size_t b = 0; b < s.plan.n_buckets; b++)
        s.exchange[b] = r->config.exchange;
    double time_s = step_time(&s, WORKERS, BANDWIDTH_BPS, LATENCY_S, NULL);
    *model_bytes = 4 * (double)model->n_params;
    egc_partition_fini(&s.plan);
    egc_workload_free(model);
    return time_s;
}

void validate_trainer(validation *v)
{
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        run trained;
        open_run(&trained, i);
        double bytes, bare_s = bare_step_s(&trained, &bytes);
        validation_case one = {
            .ladder = "trainer",
            .source = "the trainer",
            .quantity = "step (s)",
            .workers = WORKERS,
            .bytes = bytes,
            .expected = run_step_s(&trained),
            .simulated = bare_s,
            .limit = LIMIT,
            .rate_share = egc_tuning_least_bytes(EGC_COLLECTIVE_ALLREDUCE, WORKERS, bytes) /
                          (bare_s * BANDWIDTH_BPS),
        };
        snprintf(one.subject, sizeof one.subject, "%s", schedules[i].name);
        snprintf(one.network, sizeof one.network, "star 1 Gbit/s 50 us");
        validation_add(v, &one);
        run_fini(&trained);
    }
}
