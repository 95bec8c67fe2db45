/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/training.h"

#include <math.h>
#include <string.h>

#include "train/run.h"
#include "train/sync.h"

static const char *const bucket_words[] = {"layer", "model", NULL};
static const char *const cost_words[] = {"model", "none", NULL};
static const char *const stream_words[] = {"compute", "stream", NULL};
static const char *const model_words[] = {"cm02", "lv08", "smpi", NULL};

#define FIELD(name) offsetof(egc_training_options, name)
#define NO_UNIT EGC_QUANTITY_NONE

const egc_param egc_training_params[] = {
    {"workers", "workers, one to a host", EGC_PARAM_INT, NO_UNIT, FIELD(workers), 8, 1, 65536, 0,
     NULL, NULL},
    {"steps", "training steps", EGC_PARAM_INT, NO_UNIT, FIELD(steps), 100, 1, 1e9, 0, NULL, NULL},
    {"eval_every", "steps between evaluations; 0: only at the end", EGC_PARAM_INT, NO_UNIT,
     FIELD(eval_every), 0, 0, 1e9, 0, NULL, NULL},
    {"seed", "seed of everything random", EGC_PARAM_INT, NO_UNIT, FIELD(seed), 1, 0, 0x1p53, 0,
     NULL, NULL},
    {"bucket", "gradients exchanged as one message, at most; or one per layer, or all",
     EGC_PARAM_REAL, EGC_QUANTITY_BYTES, FIELD(bucket_bytes), 25 * 0x1p20, 1, INFINITY, 0,
     bucket_words, NULL},
    {"first_bucket", "the first bucket, smaller so that communication starts early", EGC_PARAM_REAL,
     EGC_QUANTITY_BYTES, FIELD(first_bucket_bytes), 0x1p20, 1, INFINITY, 0, NULL, NULL},
    {"overlap", "exchange buckets while the backward pass goes on", EGC_PARAM_BOOL, NO_UNIT,
     FIELD(overlap), 1, 0, 0, 0, NULL, NULL},
    {"cost", "time charged for compression: the device model's, or none", EGC_PARAM_CHOICE, NO_UNIT,
     FIELD(cost), 0, 0, 0, 0, cost_words, NULL},
    {"compress_on", "stream that compresses", EGC_PARAM_CHOICE, NO_UNIT, FIELD(compress_on), 0, 0,
     0, 0, stream_words, NULL},
    {"network_model", "SimGrid's network model", EGC_PARAM_CHOICE, NO_UNIT, FIELD(network_model), 0,
     0, 0, 0, model_words, NULL},
    {"max_sim_time", "simulated time after which a run is ended", EGC_PARAM_REAL, EGC_QUANTITY_TIME,
     FIELD(max_sim_time_s), INFINITY, 0, INFINITY, EGC_PARAM_OPEN_MIN, NULL, NULL},
    {"layers", "write layers.csv, a row for each unit and step", EGC_PARAM_BOOL, NO_UNIT,
     FIELD(layers), 0, 0, 0, 0, NULL, NULL},
    EGC_PARAM_END,
};

void egc_training_forget_time(egc_training_options *options)
{
    egc_training_options defaults;
    egc_params_init(egc_training_params, &defaults);
    options->overlap = defaults.overlap;
    options->cost = defaults.cost;
    options->compress_on = defaults.compress_on;
    options->network_model = defaults.network_model;
    options->max_sim_time_s = defaults.max_sim_time_s;
}

egc_status egc_training_check(const egc_training_config *config, egc_error *err)
{
    size_t hosts = config->cluster->hosts(config->cluster_params);
    if ((size_t)config->options.workers > hosts)
        return egc_fail(err, EGC_ERROR_RANGE, "workers: cluster %s has %zu hosts, got %lld workers",
                        config->cluster->name, hosts, (long long)config->options.workers);
    egc_status status = egc_method_check(&config->method, err);
    if (status)
        return egc_error_prefix(err, "method");
    egc_route route;
    return egc_route_init(&route, config, err);
}

static egc_status make_world(egc_run *run, egc_error *err)
{
    const egc_training_config *config = run->config;
    const egc_world_config world = {
        .cluster = config->cluster,
        .cluster_params = config->cluster_params,
        .device = config->device,
        .network_model = (egc_network_model)config->options.network_model,
        .workers = (int)config->options.workers,
        .channels = 1,
        .max_sim_time_s = config->options.max_sim_time_s,
        .charge_reduction = config->options.cost == EGC_COST_MODEL,
        .thread_contexts = config->thread_contexts,
    };
    return egc_world_new(&world, &run->world, err);
}

/* A network whose gradients stop being finite has diverged: that is a result. The same in a
 * recorded trace is bad input. */
static egc_status judge(egc_run *run, egc_status status, egc_error *err)
{
    egc_training_summary *summary = run->summary;
    if (status != EGC_ERROR_NONFINITE || !run->config->workload->closed_loop)
        return status;
    summary->diverged = true;
    memcpy(summary->reason, err->message, sizeof summary->reason);
    *err = (egc_error){0};
    return EGC_OK;
}

egc_status egc_training_run(const egc_training_config *config, const egc_training_sink *sink,
                            egc_training_summary *out, egc_error *err)
{
    egc_run run;
    *out = (egc_training_summary){.last = {NAN, NAN, NAN}, .final_drift = NAN};
    egc_status status = egc_training_check(config, err);
    if (!status)
        status = egc_run_init(&run, config, sink, out, err);
    if (status)
        return status;
    const egc_learning *learning = run.learning;
    out->params = (double)learning->n;
    memcpy(out->model, learning->workload->model, sizeof out->model);
    egc_route_name(&learning->route, out->exchange);
    status = make_world(&run, err);
    if (!status) {
        status = judge(&run, egc_sync_simulate(&run, err), err);
        out->sim_time_s = egc_world_now(run.world);
        egc_run_totals_mean(&run.totals, (double)learning->n, &out->mean);
    }
    egc_world_free(run.world);
    egc_run_fini(&run);
    return status;
}
