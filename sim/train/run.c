/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks a configuration as far as that is possible before anything runs, and dispatches to its
 * algorithm. */
#include "train/run.h"

#include <math.h>
#include <string.h>

#include "compressors/core/round_plan.h"
#include "train/algorithm.h"
#include "train/cost/cost_model.h"

/* Only the default streams, with whole exchanges in one order, can be ended and begun again. */
static egc_status check_drop_streams(const egc_train_options *options, egc_error *err)
{
    const char *cannot = NULL;
    if (options->exchange_order == EGC_EXCHANGE_ORDER_PRIORITY)
        cannot = "exchange_order = priority";
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

/* Leaders and owners of shards cannot be replaced: only all-gathers and all-reduces are repeated
 * without a lost worker. */
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
    if (error_feedback->accumulates) /* replicas hold the lost workers' part */
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

/* Merging layers needs the closed form of an exchange, and one bandwidth. */
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

/* Divergence of a network is a result: reports NONFINITE in the summary. In a recorded trace it is
 * bad input. */
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
    out->metrics.params = out->metrics.dense_bytes = 0; /* until the model is open */
    egc_status status = egc_train_run_check(config, err);
    if (!status)
        status = egc_algorithm_of(config)->run(config, sink, out, err);
    return judge(config, status, out, err);
}
