/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a model is cut up: units, which are compressed as one vector, and buckets, whose messages
 * travel as one. Both are ranges of the flat parameter vector. */
#ifndef EGC_TRAIN_CORE_PARTITION_H
#define EGC_TRAIN_CORE_PARTITION_H

#include "base/arena.h"
#include "train/config.h"

typedef struct egc_bucket {
    size_t first_unit; /* its units follow each other in the flat vector */
    size_t n_units;
    size_t first; /* floats */
    size_t count;
    double forward_s, backward_s; /* device time of its layers' passes */
    const char *layers;           /* "FIRST..LAST" in forward order, or the one */
} egc_bucket;

typedef struct egc_partition {
    egc_unit *units; /* in the order of the flat vector */
    size_t n_units;
    egc_bucket *buckets; /* in the order in which gradients become ready: last layers first */
    size_t n_buckets;
    double forward_s, backward_s; /* of all layers */
    egc_arena arena;
} egc_partition;

typedef struct egc_partition_options {
    egc_granularity granularity;
    double bucket_bytes;       /* or EGC_BUCKET_* */
    double first_bucket_bytes; /* smaller, so that communication starts early */
    double speed_flops;        /* for layers without recorded times */
    double startup_s;          /* EGC_BUCKET_MERGE: exchanging n bytes takes startup_s + n byte_s */
    double byte_s;
    double fusion_bytes; /* EGC_BUCKET_FUSION */
    double cycle_s;
} egc_partition_options;

/* Those that a configuration asks for. */
egc_partition_options egc_partition_options_of(const egc_train_config *config);

/* Buckets as PyTorch DDP makes them: layers in reverse order, closed before they would exceed
 * their size, a layer never split. With EGC_BUCKET_MERGE as MG-WFBP makes them (Shi, Chu, Li:
 * MG-WFBP: Efficient data communication for distributed synchronous SGD algorithms, INFOCOM 2019,
 * arXiv 1811.11141): a layer's gradient waits for the next one's when that is ready before its own
 * exchange could begin, or so soon after that the startup saved is worth the wait. Gradients count
 * with the 4 bytes an element that they have before compression.
 *
 * With EGC_BUCKET_FUSION as Horovod's tensor fusion makes them (Sergeev and Del Balso, arXiv
 * 1802.05799, 2018): whatever became ready in one cycle goes out together at its end, in as many
 * buckets of fusion_bytes as it takes. Cycles are counted from the beginning of the backward pass,
 * whose times are those of the layers alone: compressing, which would move a gradient into a later
 * cycle, is not foreseen. MEMORY. */
egc_status egc_partition_init(egc_partition *partition, const egc_workload *workload,
                              const egc_partition_options *options, egc_error *err) EGC_MUST_CHECK;

/* The elements of the largest unit. */
size_t egc_partition_longest_unit(const egc_partition *partition);

/* The cycle at whose end goes out what became ready so long after the beginning of the backward
 * pass: 1, 2, ... */
double egc_partition_cycle(double since_s, double cycle_s);

void egc_partition_fini(egc_partition *partition);

#endif
