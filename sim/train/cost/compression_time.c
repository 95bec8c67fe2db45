/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compression times by the model, by a table of measurements, or as measured on this host, as the
 * option `cost` says. Methods that send gradients uncompressed are charged by the model whatever it
 * says, because nothing of them is worth measuring. */
#include "train/cost/compression_time.h"

#include "compressors/core/round_plan.h"
#include "train/cost/cost_model.h"
#include "train/cost/cost_table.h"

static const egc_method *method_of(const egc_compression_time *job)
{
    return job->method ? job->method : &job->config->method;
}

static egc_cost_mode mode_of(const egc_compression_time *job)
{
    egc_cost_mode mode = (egc_cost_mode)job->config->options.cost;
    bool is_model = mode != EGC_COST_NONE && egc_cost_model_is_free(method_of(job));
    return is_model ? EGC_COST_MODEL : mode;
}

/* ---- by the model ---------------------------------------------------------------------------- */

static double model_encode(const egc_compression_time *job, const egc_part_stats *parts)
{
    const egc_train_config *config = job->config;
    double seconds = 0;
    for (size_t i = 0; i < job->bucket->n_units; i++) {
        const egc_cost_model_work work = {
            .round = job->round,
            .n = job->partition->units[job->bucket->first_unit + i].count,
            .sent = parts[i].sent,
            .wire_bytes = (double)parts[i].wire_bytes,
        };
        seconds += egc_cost_model_encode(method_of(job), &config->device, &work);
    }
    return seconds;
}

static double model_decode(const egc_compression_time *job, const egc_round_result *result)
{
    const egc_train_config *config = job->config;
    egc_cost_model_work work = {
        .round = job->round,
        .n = job->bucket->count,
        .n_messages = result->n_messages,
        .reduced = result->reduced,
    };
    for (size_t i = 0; i < result->n_messages; i++)
        work.wire_bytes += (double)result->messages[i].len;
    return egc_cost_model_decode(method_of(job), &config->device, &work);
}

/* ---- by measurements ------------------------------------------------------------------------- */

/* Seconds for the bucket's units in one round; `of` looks a unit's up in the table. */
static double measured(const egc_compression_time *job, egc_cost_mode mode,
                       double (*of)(const egc_cost_curve *curve, double n))
{
    const egc_train_config *config = job->config;
    const egc_unit *unit = &job->partition->units[job->bucket->first_unit];
    double seconds = 0;
    if (mode == EGC_COST_NONE)
        return 0;
    if (mode == EGC_COST_MEASURED)
        return config->options.cost_scale * job->host_s;
    for (size_t i = 0; i < job->bucket->n_units; i++)
        seconds += of(config->cost_curve, (double)unit[i].count);
    return config->options.cost_scale * seconds / (double)egc_round_plan_count(method_of(job));
}

/* ---------------------------------------------------------------------------------------------- */

double egc_compression_time_encode(const egc_compression_time *job, const egc_part_stats *parts)
{
    egc_cost_mode mode = mode_of(job);
    return mode == EGC_COST_MODEL ? model_encode(job, parts)
                                  : measured(job, mode, egc_cost_table_encode);
}

double egc_compression_time_decode(const egc_compression_time *job, const egc_round_result *result)
{
    egc_cost_mode mode = mode_of(job);
    bool per_message = mode == EGC_COST_TABLE && egc_round_plan_count(method_of(job)) == 1;
    return mode == EGC_COST_MODEL ? model_decode(job, result)
                                  : measured(job, mode, egc_cost_table_decode) *
                                        (per_message ? (double)result->n_messages : 1);
}

double egc_compression_time_merge(const egc_train_config *config, double in_bytes, double out_bytes)
{
    return config->options.cost == EGC_COST_NONE
               ? 0
               : egc_cost_model_merge(&config->device, in_bytes, out_bytes);
}
