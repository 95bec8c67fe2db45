/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device time that compression is charged with, by the option `cost`: the model (cost_model.h), a
 * table (cost_table.h), the time measured on this host, or none. */
#ifndef EGC_TRAIN_COST_COMPRESSION_TIME_H
#define EGC_TRAIN_COST_COMPRESSION_TIME_H

#include "train/core/partition.h"
#include "train/core/round_result.h"
#include "train/metrics/step_stats.h"

/* One bucket in one round of a step. Pointers are borrowed. */
typedef struct egc_compression_time {
    const egc_train_config *config;
    const egc_method *method; /* the message's; NULL: the run's */
    const egc_partition *partition;
    const egc_bucket *bucket;
    size_t round;
    double host_s; /* time that the work took on this host */
} egc_compression_time;

/* Seconds to make one sender's message; parts has the bucket's units in their order. */
double egc_compression_time_encode(const egc_compression_time *job, const egc_part_stats *parts);

/* Seconds to decode the result of an exchange. */
double egc_compression_time_decode(const egc_compression_time *job, const egc_round_result *result);

/* Seconds to merge messages of in_bytes into one of out_bytes during an exchange: by the model
 * unless the option is none, since no table has it. */
double egc_compression_time_merge(const egc_train_config *config, double in_bytes,
                                  double out_bytes);

#endif
