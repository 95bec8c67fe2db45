/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/charge.h"

#include "train/cost.h"

double egc_charge_message(egc_learning *learning, uint64_t step, size_t round, size_t worker,
                          size_t b)
{
    const egc_training_config *config = learning->config;
    const egc_bucket *bucket = &learning->plan.buckets[b];
    double seconds = 0;
    if (config->options.cost != EGC_COST_MODEL)
        return 0;
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

double egc_charge_delivery(const egc_learning *learning, size_t round, size_t bucket,
                           const egc_received *received)
{
    const egc_training_config *config = learning->config;
    if (config->options.cost != EGC_COST_MODEL)
        return 0;
    egc_cost_work work = {
        .round = round,
        .n = learning->plan.buckets[bucket].count,
        .n_messages = received->n_messages,
        .reduced = received->reduced,
    };
    for (size_t i = 0; i < received->n_messages; i++)
        work.wire_bytes += (double)received->messages[i].len;
    return egc_cost_decode(&config->method, &config->device, &work);
}
