/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a model is divided: units, each compressed as one vector, and buckets, the messages of each
 * exchanged as one. Both are ranges of the flat parameter vector. */
#ifndef EGC_TRAIN_CORE_PARTITION_H
#define EGC_TRAIN_CORE_PARTITION_H

#include "base/arena.h"
#include "train/config.h"

typedef struct egc_bucket {
    size_t first_unit; /* its units are contiguous in the flat vector */
    size_t n_units;
    size_t first; /* floats */
    size_t count;
    double forward_s, backward_s; /* device time of its layers' passes */
    const char *layers;           /* "FIRST..LAST" in forward order; one name for one layer */
} egc_bucket;

typedef struct egc_partition {
    egc_unit *units; /* in the order of the flat vector */
    size_t n_units;
    egc_bucket *buckets; /* in the order in which gradients become ready: last layers first */
    size_t n_buckets;
    double forward_s, backward_s; /* sums over all layers */
    egc_arena arena;
} egc_partition;

typedef struct egc_partition_options {
    egc_granularity granularity;
    double bucket_bytes;       /* or EGC_BUCKET_* */
    double first_bucket_bytes; /* smaller, to start communication early */
    double speed_flops;        /* for layers without recorded times */
    double startup_s;          /* EGC_BUCKET_MERGE: exchanging n bytes takes startup_s + n byte_s */
    double byte_s;
    double fusion_bytes; /* EGC_BUCKET_FUSION */
    double cycle_s;
} egc_partition_options;

/* The options of a configuration; startup_s and byte_s are left at 0. */
egc_partition_options egc_partition_options_of(const egc_train_config *config);

/* Divides the model of a workload, which must outlive the partition (it borrows names). MEMORY.
 *
 * By size, buckets are those of PyTorch DDP: layers in reverse order, a bucket closed before it
 * would exceed its size, a layer never split.
 *
 * EGC_BUCKET_MERGE makes those of MG-WFBP (Shi, Chu, Li: MG-WFBP: Efficient data communication for
 * distributed synchronous SGD algorithms, INFOCOM 2019, arXiv 1811.11141): a layer's gradient waits
 * for the next one if that is ready before its own exchange could begin, or so soon afterwards that
 * the saved startup exceeds the delay. An element counts as the 4 bytes it has uncompressed.
 *
 * EGC_BUCKET_FUSION makes those of Horovod's tensor fusion (Sergeev and Del Balso, arXiv
 * 1802.05799, 2018): gradients that become ready in one cycle are sent together at its end, in as
 * many buckets of fusion_bytes as they need. Cycles count from the beginning of the backward pass,
 * with the times of the layers alone: a gradient that compression delays into a later cycle stays
 * in its bucket. */
egc_status egc_partition_init(egc_partition *partition, const egc_workload *workload,
                              const egc_partition_options *options, egc_error *err) EGC_MUST_CHECK;

/* Bucket b as a partition of its own, whose floats begin at 0. layers are borrowed from `whole`.
 * Zeroed or failed, it can be given to _fini. MEMORY. */
egc_status egc_partition_of_bucket(const egc_partition *whole, size_t b, egc_partition *out,
                                   egc_error *err) EGC_MUST_CHECK;

void egc_partition_fini(egc_partition *partition);

/* The number of elements of the largest unit. */
size_t egc_partition_longest_unit(const egc_partition *partition);

/* The cycle (1, 2, ...) at whose end a gradient is sent that becomes ready since_s seconds after
 * the beginning of the backward pass. */
double egc_partition_cycle(double since_s, double cycle_s);

#endif
