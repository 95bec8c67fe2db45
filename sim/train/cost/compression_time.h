/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device time that messages stand for. Where it comes from is the cost option's to say:
 *
 * - model: the device and the compressor's statement (cost.h).
 * - table: measurements of the method (cost_table.h) times cost_scale. What a method of several
 *   rounds takes is shared out among them evenly.
 * - measured: what this process just took for the same, times cost_scale: not reproducible.
 * - none: nothing.
 *
 * A method that sends gradients as they are is charged as the model says in all but the last: what
 * the simulator does for it, a device need not do. */
#ifndef EGC_TRAIN_COST_COMPRESSION_TIME_H
#define EGC_TRAIN_COST_COMPRESSION_TIME_H

#include "train/core/partition.h"
#include "train/core/round_result.h"
#include "train/metrics/step_stats.h"

/* A bucket in one round of a step. */
typedef struct egc_compression_time {
    const egc_train_config *config;
    const egc_method *method; /* of the message, where it is not the run's; NULL: the run's */
    const egc_partition *partition;
    const egc_bucket *bucket;
    size_t round;
    double host_s; /* what is to be charged took here */
} egc_compression_time;

/* Seconds to make one sender's message; parts of the bucket's units, in their order. */
double egc_compression_time_encode(const egc_compression_time *what, const egc_part_stats *parts);

/* Seconds to take in what was delivered. */
double egc_compression_time_decode(const egc_compression_time *what,
                                   const egc_round_result *received);

/* Seconds to make a message of out_bytes on the way, of others of in_bytes: the model's, unless the
 * option is none. No table has it. */
double egc_compression_time_merge(const egc_train_config *config, double in_bytes,
                                  double out_bytes);

#endif
