/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both hashes are FNV-1a (egc_hash) of "PATH=NAME{KEY=VALUE;...}" lines, one a part. A new
 * parameter therefore changes every run_id: results of other versions are not mixed. */
#include "experiment/spec/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "base/text.h"
#include "train/algorithm.h"
#include "train/core/exchange_choice.h"
#include "train/cost/cost_table.h"

static const char *name_or_null(const char *name)
{
    return *name ? name : NULL;
}

void egc_identity_parts(const egc_train_config *config, const char *exchange,
                        egc_identity_part out[EGC_IDENTITY_PARTS])
{
    const egc_workload_type *workload = config->workload;
    const egc_cluster_type *cluster = config->cluster;
    const egc_method *method = &config->method;
    const egc_algorithm_type *algorithm = egc_algorithm_of(config);
    const char *workload_files = name_or_null(config->workload_files);
    const char *cluster_files = name_or_null(config->cluster_files);
    const char *cost_rows = config->cost_curve ? config->cost_curve->id : "";
    const egc_identity_part parts[EGC_IDENTITY_PARTS] = {
        {"workload", workload->name, "workload.", workload->params, config->workload_params, false},
        {"workload_files", workload_files, "", NULL, NULL, false},
        {"cluster", cluster->name, "cluster.", cluster->params, config->cluster_params, true},
        {"cluster_files", cluster_files, "", NULL, NULL, true},
        {"device", "", "device.", egc_device_params, &config->device, true},
        {"cost_rows", cost_rows, "", NULL, NULL, true},
        {"method", method->name, "method.", method->compressor->params, method->params, false},
        {"method_options", "", "method.", egc_method_option_params, &method->options, false},
        {"exchange", exchange, "", NULL, NULL, false},
        {"algorithm", algorithm->name, "algorithm.", algorithm->params, config->algorithm_params,
         false},
        {"training", "", "", egc_train_config_params, &config->options, false},
    };
    memcpy(out, parts, sizeof parts);
}

static void put_parts(const egc_train_config *config, const char *exchange, bool with_time,
                      egc_buf *out)
{
    egc_identity_part parts[EGC_IDENTITY_PARTS];
    egc_identity_parts(config, exchange, parts);
    for (int i = 0; i < EGC_IDENTITY_PARTS; i++) {
        if (!parts[i].name || (parts[i].is_time && !with_time))
            continue;
        egc_text_put(out, "%s=%s{", parts[i].path, parts[i].name);
        egc_param_format_all(parts[i].table, parts[i].params, false, out);
        egc_text_put(out, "}\n");
    }
}

/* ---- hashes -------------------------------------------------------------------------------- */

_Static_assert(EGC_TRAINING_LOG_KEY_LENGTH == EGC_RUN_ID_LENGTH, "both hold 16 hex digits");

static egc_status hash(const egc_train_config *config, const char *exchange, bool with_time,
                       char id[EGC_RUN_ID_LENGTH], egc_error *err)
{
    egc_buf text = {0};
    put_parts(config, exchange, with_time, &text);
    egc_status status = egc_buf_check(&text, err);
    if (!status)
        snprintf(id, EGC_RUN_ID_LENGTH, "%016" PRIx64,
                 egc_hash(EGC_HASH_START, text.data, text.len));
    egc_buf_fini(&text);
    return status;
}

egc_status egc_identity_run_id(const egc_train_config *config, char run_id[EGC_RUN_ID_LENGTH],
                               egc_error *err)
{
    return hash(config, egc_exchange_choice_asked(config), true, run_id, err);
}

/* Learning depends on time: in algorithms that are not `timeless`; in sparse sums, since the log
 * lacks the lengths of messages merged on the way; where buckets are merged by the network's speed
 * or fused by the device's; and where a failure drops workers. */
static bool is_shared(const egc_train_config *config)
{
    double bucket = config->options.bucket_bytes;
    return egc_algorithm_of(config)->timeless && !config->sparse &&
           config->options.on_failure != EGC_ON_FAILURE_DROP && bucket != EGC_BUCKET_MERGE &&
           bucket != EGC_BUCKET_FUSION;
}

egc_status egc_identity_training_key(const egc_train_config *config,
                                     char key[EGC_TRAINING_LOG_KEY_LENGTH], egc_error *err)
{
    egc_train_config timeless = *config;
    char exchange[EGC_EXCHANGE_CHOICE_NAME];
    egc_exchange_choice choice;
    if (!is_shared(config))
        return egc_identity_run_id(config, key, err);
    egc_status status = egc_exchange_choice_init(&choice, config, err);
    if (status)
        return status;
    egc_exchange_choice_sums(&choice, exchange);
    egc_train_config_forget_time(&timeless.options);
    return hash(&timeless, exchange, false, key, err);
}
