/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/charge.h"

#include "train/cost.h"
#include "train/cost_table.h"

static egc_cost_mode mode_of(const egc_training_config *config)
{
    egc_cost_mode mode = (egc_cost_mode)config->options.cost;
    bool is_model = mode != EGC_COST_NONE && egc_cost_is_nothing(&config->method);
    return is_model ? EGC_COST_MODEL : mode;
}

/* ---- by the model ---------------------------------------------------------------------------- */

static double model_message(egc_learning *learning, uint64_t step, size_t round, size_t worker,
                            const egc_bucket *bucket)
{
    const egc_training_config *config = learning->config;
    double seconds = 0;
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++) {
        const egc_learnt_part *part = egc_learning_part(learning, step, round, worker, u);
        const egc_cost_work work = {
            .round = round,
            .n = learning->plan.units[u].count,
            .sent = part->sent,
            .wire_bytes = (double)part->wire_bytes,
        };
        seconds += egc_cost_encode(&config->method, &config->device, &work);
    }
    return seconds;
}

static double model_delivery(const egc_learning *learning, size_t round, const egc_bucket *bucket,
                             const egc_received *received)
{
    const egc_training_config *config = learning->config;
    egc_cost_work work = {
        .round = round,
        .n = bucket->count,
        .n_messages = received->n_messages,
        .reduced = received->reduced,
    };
    for (size_t i = 0; i < received->n_messages; i++)
        work.wire_bytes += (double)received->messages[i].len;
    return egc_cost_decode(&config->method, &config->device, &work);
}

/* ---- by the table ---------------------------------------------------------------------------- */

/* Of a bucket's units, in one of the rounds. */
static double table_seconds(const egc_learning *learning, const egc_bucket *bucket,
                            double (*of)(const egc_cost_curve *curve, double n))
{
    const egc_training_config *config = learning->config;
    double seconds = 0;
    for (size_t u = bucket->first_unit; u < bucket->first_unit + bucket->n_units; u++)
        seconds += of(config->cost_curve, (double)learning->plan.units[u].count);
    return config->options.cost_scale * seconds / (double)learning->route.n_rounds;
}

/* ---------------------------------------------------------------------------------------------- */

double egc_charge_message(egc_learning *learning, uint64_t step, size_t round, size_t worker,
                          size_t b)
{
    const egc_bucket *bucket = &learning->plan.buckets[b];
    switch (mode_of(learning->config)) {
    case EGC_COST_MODEL:
        return model_message(learning, step, round, worker, bucket);
    case EGC_COST_TABLE:
        return table_seconds(learning, bucket, egc_cost_curve_encode);
    case EGC_COST_MEASURED:
        return learning->config->options.cost_scale *
               egc_learning_outgoing(learning, step, round, worker, b)->made_s;
    case EGC_COST_NONE:
        break;
    }
    return 0;
}

double egc_charge_delivery(const egc_learning *learning, size_t round, size_t b,
                           const egc_received *received)
{
    const egc_bucket *bucket = &learning->plan.buckets[b];
    switch (mode_of(learning->config)) {
    case EGC_COST_MODEL:
        return model_delivery(learning, round, bucket, received);
    case EGC_COST_TABLE:
        return table_seconds(learning, bucket, egc_cost_curve_decode) *
               (learning->route.n_rounds == 1 ? (double)received->n_messages : 1);
    case EGC_COST_MEASURED:
        return learning->config->options.cost_scale * *egc_learning_taken_s(learning, round, b);
    case EGC_COST_NONE:
        break;
    }
    return 0;
}
