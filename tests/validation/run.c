/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run.h"

#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"
#include "train/run.h"

void run_init(run *r, int workers, int hosts, double bandwidth_Bps, double latency_s)
{
    egc_error err = {0};
    char settings[128];
    snprintf(settings, sizeof settings, "hosts=%d bandwidth=%.17g latency=%.17g", hosts,
             bandwidth_Bps, latency_s);
    assert_ok(make_cluster("star", settings, &r->star, &err), err);
    r->config = (egc_train_config){
        .cluster = r->star.type,
        .cluster_params = r->star.params,
        .device = {.flops = 1e12, .efficiency = 1, .memory_Bps = 1e9},
        .thread_contexts = trial_of(1, 1, 1, NULL, NULL).config.thread_contexts,
    };
    assert_ok(egc_method_init(&r->config.method, "none", &err), err);
    egc_param_init(egc_train_config_params, &r->config.options);
    r->config.options.workers = workers;
    r->config.options.cost = EGC_COST_NONE;
}

void run_fini(run *r)
{
    free_cluster(&r->star);
}

double run_step_s(const run *r)
{
    double *step_s = shared_memory(sizeof *step_s);
    assert_non_null(step_s);
    pid_t child = fork();
    if (child == 0) {
        const egc_train_sink sink = {0};
        egc_train_summary summary;
        egc_error err;
        egc_status status = egc_train_run(&r->config, &sink, &summary, &err);
        *step_s = summary.metrics.step_s;
        if (status)
            fprintf(stderr, "%s\n", err.message);
        _exit(status != EGC_OK);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    return *step_s;
}
