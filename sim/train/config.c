/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/config.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/core/round_plan.h"
#include "train/algorithm.h"
#include "train/cost/cost_model.h"

static const char *const bucket_words[] = {"layer", "model", "merge", "fusion", NULL};
static const char *const cost_words[] = {"model", "table", "measured", "none", NULL};
static const char *const stream_words[] = {"compute", "stream", NULL};
static const char *const schedule_words[] = {"fifo", "priority", NULL};
static const char *const failure_words[] = {"stop", "drop", NULL};
static const char *const model_words[] = {"cm02", "lv08", "smpi", NULL};

const egc_param egc_train_config_params[] = {
    EGC_PARAM(egc_train_options, workers, INT, "workers", "workers, one to a host", .def = 8,
              .min = 1, .max = 65536),
    EGC_PARAM(egc_train_options, sampled_workers, INT, "sampled_workers",
              "workers that learn, for runs too large for all to; 0: all", .max = 65536),
    EGC_PARAM(egc_train_options, steps, INT, "steps", "training steps", .def = 100, .min = 1,
              .max = 1e9),
    EGC_PARAM(egc_train_options, eval_every, INT, "eval_every",
              "steps between evaluations; 0: only at the end", .max = 1e9),
    EGC_PARAM(egc_train_options, seed, INT, "seed", "seed of everything random", .def = 1,
              .max = 0x1p53),
    EGC_PARAM(egc_train_options, bucket_bytes, REAL, "bucket",
              "gradients exchanged as one message, at most; or one per layer, or all, or layers "
              "merged as "
              "suits the network, or those ready in one cycle",
              .quantity = EGC_QUANTITY_BYTES, .def = 25 * 0x1p20, .min = 1, .max = INFINITY,
              .choices = bucket_words),
    EGC_PARAM(egc_train_options, first_bucket_bytes, REAL, "first_bucket",
              "the first bucket, smaller so that communication starts early",
              .quantity = EGC_QUANTITY_BYTES, .def = 0x1p20, .min = 1, .max = INFINITY),
    EGC_PARAM(egc_train_options, group, INT, "group",
              "near workers, for exchanges of two levels; 0: those of a node or rack",
              .max = 65536),
    EGC_PARAM(egc_train_options, fusion_bytes, REAL, "fusion",
              "with bucket = fusion: gradients of a cycle exchanged as one message, at most",
              .quantity = EGC_QUANTITY_BYTES, .def = 128 * 0x1p20, .min = 1, .max = INFINITY),
    EGC_PARAM(egc_train_options, cycle_s, REAL, "cycle",
              "with bucket = fusion: at its end goes out what became ready in it",
              .quantity = EGC_QUANTITY_TIME, .def = 1e-3, .min = 1e-9, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MAX),
    EGC_PARAM(egc_train_options, overlap, BOOL, "overlap",
              "exchange buckets while the backward pass goes on", .def = 1),
    EGC_PARAM(egc_train_options, cost, CHOICE, "cost",
              "time charged for compression: the device model's, a table's, that of this machine, "
              "or none",
              .def = 0, .choices = cost_words),
    EGC_PARAM(egc_train_options, cost_table, TEXT, "cost_table",
              "of cost = table: CSV as of bench compressors --csv", .def_text = ""),
    EGC_PARAM(egc_train_options, cost_scale, REAL, "cost_scale",
              "device's seconds for one of the table's, or of this machine's", .def = 1, .max = 1e9,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_train_options, compress_on, CHOICE, "compress_on", "stream that compresses",
              .def = 0, .choices = stream_words),
    EGC_PARAM(egc_train_options, exchange_order, CHOICE, "schedule",
              "buckets go in the order they are ready, or first those needed first", .def = 0,
              .choices = schedule_words),
    EGC_PARAM(egc_train_options, piece_bytes, REAL, "partition",
              "longer messages that are summed on the way are exchanged in pieces of this size",
              .quantity = EGC_QUANTITY_BYTES, .def = INFINITY, .min = 1, .max = INFINITY),
    EGC_PARAM(egc_train_options, network_model, CHOICE, "network_model", "SimGrid's network model",
              .def = 0, .choices = model_words),
    EGC_PARAM(egc_train_options, max_sim_time_s, REAL, "max_sim_time",
              "simulated time after which a run is ended", .quantity = EGC_QUANTITY_TIME,
              .def = INFINITY, .max = INFINITY, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_train_options, on_failure, CHOICE, "on_failure",
              "when a message is lost: stop, or go on without the workers that are out of reach",
              .def = 0, .choices = failure_words),
    EGC_PARAM(egc_train_options, failure_timeout_s, REAL, "failure_timeout",
              "time from a loss until the others go on, with drop", .quantity = EGC_QUANTITY_TIME,
              .def = 1, .max = 1e6, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_train_options, energy, BOOL, "energy",
              "account for the energy that hosts and links consume", .def = 0),
    EGC_PARAM(egc_train_options, layers, BOOL, "layers",
              "write layers.csv, a row for each unit and step", .def = 0),
    EGC_PARAM_END,
};

void egc_train_config_forget_time(egc_train_options *options)
{
    egc_train_options defaults;
    egc_param_init(egc_train_config_params, &defaults);
    options->group = defaults.group; /* where it changes sums: see egc_exchange_choice_sums */
    options->overlap = defaults.overlap;
    /* Measured while it is learnt: who replays a log has no such times. */
    if (options->cost != EGC_COST_MEASURED)
        options->cost = defaults.cost;
    memcpy(options->cost_table, defaults.cost_table, sizeof options->cost_table);
    options->cost_scale = defaults.cost_scale;
    options->compress_on = defaults.compress_on;
    options->exchange_order = defaults.exchange_order;
    options->network_model = defaults.network_model;
    options->max_sim_time_s = defaults.max_sim_time_s;
    options->energy = defaults.energy;
    if (options->on_failure == EGC_ON_FAILURE_STOP) /* else what is learnt depends on time */
        options->failure_timeout_s = defaults.failure_timeout_s;
}

/* Streams that are ended and begun anew are the default ones, with whole exchanges in one order. */
static egc_status check_drop_streams(const egc_train_options *options, egc_error *err)
{
    const char *cannot = NULL;
    if (options->exchange_order == EGC_EXCHANGE_ORDER_PRIORITY)
        cannot = "schedule = priority";
    else if (isfinite(options->piece_bytes))
        cannot = "partition";
    else if (options->compress_on == EGC_COMPRESS_ON_STREAM)
        cannot = "compress_on = stream";
    else if (options->bucket_bytes == EGC_BUCKET_FUSION)
        cannot = "bucket = fusion";
    return cannot ? egc_fail(err, EGC_ERROR_UNSUPPORTED,
                             "on_failure: with %s a run can only stop, got drop", cannot)
                  : EGC_OK;
}

/* What a leader says or an owner makes of its shard cannot be asked of anybody else. */
static egc_status check_drop(const egc_train_config *config, egc_error *err)
{
    const egc_algorithm_type *algorithm = egc_algorithm_of(config);
    if (config->options.on_failure != EGC_ON_FAILURE_DROP)
        return EGC_OK;
    if (!algorithm->drops)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "on_failure: algorithm %s can only stop, got drop", algorithm->name);
    if (egc_train_config_sampled_workers(config) < (size_t)config->options.workers)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "on_failure: with sampled_workers a run can only stop, got drop");
    if (config->sparse)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "on_failure: with exchange %s a run can only stop, got drop",
                        config->sparse->name);
    if (config->method.options.predivide)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "on_failure: with predivide a run can only stop, got drop");
    const egc_error_feedback_type *error_feedback =
        egc_error_feedback_types()[config->method.options.error_feedback];
    if (error_feedback->accumulates) /* replicas hold what those who are lost had added */
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "on_failure: with memory %s a run can only stop, got drop",
                        error_feedback->name);
    for (size_t r = 0; r < egc_round_plan_count(&config->method); r++) {
        int kind = egc_round_plan_at(&config->method, r).kind;
        if (kind != EGC_COLLECTIVE_ALLGATHER && kind != EGC_COLLECTIVE_ALLREDUCE)
            return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                            "on_failure: method %s, whose messages have a leader or owners, can "
                            "only stop, got drop",
                            config->method.name);
    }
    return check_drop_streams(&config->options, err);
}

static egc_status check_cost(const egc_train_config *config, egc_error *err)
{
    bool needs_curve =
        config->options.cost == EGC_COST_TABLE && !egc_cost_model_is_free(&config->method);
    if (needs_curve && !config->cost_curve)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "cost: table has nothing about method %s",
                        config->method.name);
    if (config->options.cost == EGC_COST_MEASURED && config->replay)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "cost: measured must train, a log of what was learnt has no such times");
    return EGC_OK;
}

/* Merging is planned by the closed form of an exchange, on one bandwidth. */
static egc_status check_merging(const egc_train_config *config, egc_error *err)
{
    const egc_algorithm_type *algorithm = egc_algorithm_of(config);
    const egc_cluster_common *common = config->cluster_params;
    if (config->options.bucket_bytes != EGC_BUCKET_MERGE)
        return EGC_OK;
    if (isnan(common->bandwidth_Bps))
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "bucket: merge needs the bandwidth of the cluster, and cluster %s has none "
                        "of its own; give a size, layer or model",
                        config->cluster->name);
    if (!algorithm->merges)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "bucket: merge needs the exchange of algorithm sync, got %s; give a size, "
                        "layer or model",
                        algorithm->name);
    if (config->sparse)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "bucket: merge is planned by how long an exchange takes, which of exchange "
                        "%s depends on the data; give a size, layer or model",
                        config->sparse->name);
    return EGC_OK;
}

egc_status egc_train_run_check(const egc_train_config *config, egc_error *err)
{
    const egc_algorithm_type *algorithm = egc_algorithm_of(config);
    size_t hosts = config->cluster->hosts(config->cluster_params);
    size_t wanted = egc_algorithm_hosts(config), workers = (size_t)config->options.workers;
    if (wanted > hosts && wanted == workers)
        return egc_fail(err, EGC_ERROR_RANGE, "workers: cluster %s has %zu hosts, got %zu workers",
                        config->cluster->name, hosts, workers);
    if (wanted > hosts)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "workers: cluster %s has %zu hosts, got %zu workers and %zu servers",
                        config->cluster->name, hosts, workers, wanted - workers);
    if ((size_t)config->options.sampled_workers > workers)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "sampled_workers: must be at most workers, %zu, got %lld", workers,
                        (long long)config->options.sampled_workers);
    egc_status status = egc_method_check(&config->method, err);
    if (status)
        return egc_error_prefix(err, "method");
    status = check_cost(config, err);
    if (!status)
        status = check_merging(config, err);
    if (!status)
        status = check_drop(config, err);
    if (!status && config->options.energy)
        status = egc_cluster_check_power(config->cluster_params, &config->device, err);
    if (!status && algorithm->check)
        status = algorithm->check(config, err);
    return status;
}

size_t egc_train_config_sampled_workers(const egc_train_config *config)
{
    int64_t sampled = config->options.sampled_workers;
    return (size_t)(sampled ? sampled : config->options.workers);
}

egc_status egc_algorithm_world(const egc_train_config *config, bool size_only, egc_world **out,
                               egc_error *err)
{
    size_t ranks = egc_algorithm_ranks(config);
    int *seats = egc_calloc(ranks, sizeof *seats);
    if (!seats)
        return egc_fail_memory(err, ranks * sizeof *seats);
    egc_algorithm_seat(config, seats);
    const egc_world_config world = {
        .cluster = config->cluster,
        .cluster_params = config->cluster_params,
        .device = config->device,
        .network_model = (egc_network_model)config->options.network_model,
        .seed = (uint64_t)config->options.seed,
        .workers = (int)ranks,
        .servers = (int)ranks - (int)config->options.workers,
        .seats = seats,
        .size_only = size_only,
        .one_message_each = egc_algorithm_of(config)->one_message_each,
        .channels = 1,
        .max_sim_time_s = config->options.max_sim_time_s,
        .charge_reduction = config->options.cost != EGC_COST_NONE,
        .energy = config->options.energy,
        .thread_contexts = config->thread_contexts,
    };
    egc_status status = egc_world_new(&world, out, err);
    egc_free(seats);
    return status;
}

/* A network whose gradients stop being finite has diverged: that is a result. The same in a
 * recorded trace is bad input. */
static egc_status judge(const egc_train_config *config, egc_status status,
                        egc_train_summary *summary, egc_error *err)
{
    if (status != EGC_ERROR_NONFINITE || !config->workload->closed_loop)
        return status;
    summary->diverged = true;
    memcpy(summary->reason, err->message, sizeof summary->reason);
    *err = (egc_error){0};
    return EGC_OK;
}

egc_status egc_train_run(const egc_train_config *config, const egc_train_sink *sink,
                         egc_train_summary *out, egc_error *err)
{
    *out = (egc_train_summary){0};
    egc_metrics_clear(&out->metrics);
    egc_status status = egc_train_run_check(config, err);
    if (!status)
        status = egc_algorithm_of(config)->run(config, sink, out, err);
    return judge(config, status, out, err);
}
