/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/cost/compression_time.h"

#include "compressors/core/round_plan.h"
#include "train/cost/cost_model.h"
#include "train/cost/cost_table.h"

static const egc_method *method_of(const egc_compression_time *what)
{
    return what->method ? what->method : &what->config->method;
}

static egc_cost_mode mode_of(const egc_compression_time *what)
{
    egc_cost_mode mode = (egc_cost_mode)what->config->options.cost;
    bool is_model = mode != EGC_COST_NONE && egc_cost_model_is_free(method_of(what));
    return is_model ? EGC_COST_MODEL : mode;
}

/* ---- by the model ---------------------------------------------------------------------------- */

static double model_encode(const egc_compression_time *what, const egc_part_stats *parts)
{
    const egc_train_config *config = what->config;
    double seconds = 0;
    for (size_t i = 0; i < what->bucket->n_units; i++) {
        const egc_cost_model_work work = {
            .round = what->round,
            .n = what->partition->units[what->bucket->first_unit + i].count,
            .sent = parts[i].sent,
            .wire_bytes = (double)parts[i].wire_bytes,
        };
        seconds += egc_cost_model_encode(method_of(what), &config->device, &work);
    }
    return seconds;
}

static double model_decode(const egc_compression_time *what, const egc_round_result *received)
{
    const egc_train_config *config = what->config;
    egc_cost_model_work work = {
        .round = what->round,
        .n = what->bucket->count,
        .n_messages = received->n_messages,
        .reduced = received->reduced,
    };
    for (size_t i = 0; i < received->n_messages; i++)
        work.wire_bytes += (double)received->messages[i].len;
    return egc_cost_model_decode(method_of(what), &config->device, &work);
}

/* ---- by the table ---------------------------------------------------------------------------- */

/* Of the bucket's units, in one of the rounds. */
static double table_seconds(const egc_compression_time *what,
                            double (*of)(const egc_cost_curve *curve, double n))
{
    const egc_train_config *config = what->config;
    const egc_unit *unit = &what->partition->units[what->bucket->first_unit];
    double seconds = 0;
    for (size_t i = 0; i < what->bucket->n_units; i++)
        seconds += of(config->cost_curve, (double)unit[i].count);
    return config->options.cost_scale * seconds / (double)egc_round_plan_count(method_of(what));
}

/* ---------------------------------------------------------------------------------------------- */

double egc_compression_time_encode(const egc_compression_time *what, const egc_part_stats *parts)
{
    switch (mode_of(what)) {
    case EGC_COST_MODEL:
        return model_encode(what, parts);
    case EGC_COST_TABLE:
        return table_seconds(what, egc_cost_table_encode);
    case EGC_COST_MEASURED:
        return what->config->options.cost_scale * what->host_s;
    case EGC_COST_NONE:
        break;
    }
    return 0;
}

double egc_compression_time_decode(const egc_compression_time *what,
                                   const egc_round_result *received)
{
    bool one_round = egc_round_plan_count(method_of(what)) == 1;
    switch (mode_of(what)) {
    case EGC_COST_MODEL:
        return model_decode(what, received);
    case EGC_COST_TABLE:
        return table_seconds(what, egc_cost_table_decode) *
               (one_round ? (double)received->n_messages : 1);
    case EGC_COST_MEASURED:
        return what->config->options.cost_scale * what->host_s;
    case EGC_COST_NONE:
        break;
    }
    return 0;
}

double egc_compression_time_merge(const egc_train_config *config, double in_bytes, double out_bytes)
{
    return config->options.cost == EGC_COST_NONE
               ? 0
               : egc_cost_model_merge(&config->device, in_bytes, out_bytes);
}
