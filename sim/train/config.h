/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration of a run, the sink that its rows go to, and its summary. */
#ifndef EGC_TRAIN_CONFIG_H
#define EGC_TRAIN_CONFIG_H

#include "compressors/core/method.h"
#include "exchange/sparse.h"
#include "net/world/world.h"
#include "train/core/timeline.h"
#include "train/metrics/metrics.h"
#include "workloads/workload.h"

/* Source of the time charged for compression: see cost/compression_time.h. */
typedef enum egc_cost_mode {
    EGC_COST_MODEL,    /* the device and the compressor's cost statement */
    EGC_COST_TABLE,    /* measurements in a file */
    EGC_COST_MEASURED, /* this machine, while it trains */
    EGC_COST_NONE,     /* it takes none */
} egc_cost_mode;

typedef enum egc_exchange_order_kind {
    EGC_EXCHANGE_ORDER_FIFO,
    EGC_EXCHANGE_ORDER_PRIORITY
} egc_exchange_order_kind;
typedef enum egc_compress_on { EGC_COMPRESS_ON_COMPUTE, EGC_COMPRESS_ON_STREAM } egc_compress_on;
typedef enum egc_on_failure { EGC_ON_FAILURE_STOP, EGC_ON_FAILURE_DROP } egc_on_failure;

/* Words of the `bucket` parameter, as egc_param stores them. */
#define EGC_BUCKET_LAYER (-1.0) /* every layer is a bucket */
#define EGC_BUCKET_MODEL (-2.0) /* the model is one bucket */
#define EGC_BUCKET_MERGE                                                                           \
    (-3.0)                       /* layers are merged as MG-WFBP does: see train/core/partition.h  \
                                  */
#define EGC_BUCKET_FUSION (-4.0) /* gradients ready in one cycle: see train/core/partition.h */

typedef struct egc_train_options {
    int64_t workers;
    int64_t sampled_workers; /* workers that compute; 0: all */
    int64_t steps;
    int64_t eval_every; /* 0: only at the end */
    int64_t seed;
    double bucket_bytes; /* or EGC_BUCKET_* */
    double first_bucket_bytes;
    int64_t group;                /* near workers, for exchanges of two levels; 0: the cluster's */
    double fusion_bytes, cycle_s; /* for EGC_BUCKET_FUSION */
    bool overlap;                 /* exchange buckets while the backward pass goes on */
    int cost;                     /* egc_cost_mode */
    char cost_table[EGC_TEXT_LENGTH]; /* path of the table */
    double cost_scale;                /* seconds of the device / seconds of the table or the host */
    int compress_on;                  /* egc_compress_on */
    int exchange_order;               /* egc_exchange_order_kind */
    double piece_bytes;
    int network_model; /* egc_network_model */
    double max_sim_time_s;
    int on_failure; /* egc_on_failure */
    double failure_timeout_s;
    bool energy; /* account for it */
    bool layers; /* report every unit of every step */
} egc_train_options;

extern const egc_param egc_train_config_params[];

/* Sets options that change nothing but times to their defaults. */
void egc_train_config_forget_time(egc_train_options *options);

/* Size of an identifier of files that a workload or a cluster reads: hex digits and a terminator.
 */
#define EGC_FILES_ID 17

typedef struct egc_train_config {
    const egc_workload_type *workload;
    const void *workload_params;
    const egc_cluster_type *cluster;
    const void *cluster_params;
    /* Hash of the files that they read; "" if they read none, or data sets. */
    char workload_files[EGC_FILES_ID], cluster_files[EGC_FILES_ID];
    egc_device device;
    egc_method method;
    const struct egc_cost_curve *cost_curve;    /* cost = "table": of the method; or NULL */
    const egc_exchange_type *exchange;          /* NULL: auto, or */
    const egc_sparse_type *sparse;              /* a sum of sparse messages instead; or NULL */
    const struct egc_algorithm_type *algorithm; /* NULL: sync */
    const void *algorithm_params;
    egc_train_options options;
    bool thread_contexts;                   /* see egc_world_config */
    struct egc_training_log_writer *log;    /* records the training; NULL: no log */
    struct egc_training_log_reader *replay; /* replays a training; NULL: train */
} egc_train_config;

/* Receives results while the run is under way. Any member may be NULL. */
typedef struct egc_train_sink {
    void *arg;
    egc_status (*step)(void *arg, uint64_t step, const egc_metrics *metrics, egc_error *err);
    egc_status (*unit)(void *arg, uint64_t step, const egc_unit_metrics *metrics, egc_error *err);
    egc_status (*evaluation)(void *arg, uint64_t step, const egc_evaluation_metrics *metrics,
                             egc_error *err);
    egc_status (*event)(void *arg, const egc_timeline_event *event, egc_error *err);
} egc_train_sink;

#define EGC_EXCHANGE_CHOICE_NAME                                                                   \
    128 /* room for the names of the exchanges of all rounds: see train/core/exchange_choice.h */

typedef struct egc_train_summary {
    char model[EGC_LAYER_NAME];
    char exchange[EGC_EXCHANGE_CHOICE_NAME]; /* the exchanges used, "auto" resolved */
    egc_metrics metrics; /* over the steps done; NAN where unknown or not applicable */
    uint64_t steps_done;
    bool diverged;                 /* training stopped making sense */
    char reason[EGC_ERROR_LENGTH]; /* why it diverged, in one line */
} egc_train_summary;

/* The number of workers that compute and compress gradients. */
size_t egc_train_config_sampled_workers(const egc_train_config *config);

#endif
