/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The common part of algorithms that train inside the simulation (ps, federated, gossip), because
 * training depends on the order of events or gives workers parameters of their own: workload,
 * partition, world, and the sums of the step under way.
 *
 * Each algorithm defines its steps and closes one by egc_trainer_end_step. Actors run one at a time
 * (net/world/world.h), so that all of them share this. */
#ifndef EGC_TRAIN_CORE_TRAINER_H
#define EGC_TRAIN_CORE_TRAINER_H

#include "train/core/coders.h"
#include "train/core/replica.h"
#include "train/core/stream.h"
#include "train/metrics/reporter.h"

typedef struct egc_trainer {
    const egc_train_config *config;
    egc_workload *workload;
    egc_partition partition;
    egc_workspace *workspace; /* coders run one at a time */
    egc_world *world;
    egc_reporter reporter;
    double momentum;
    size_t n, n_workers; /* parameters, workers */

    /* The step under way; algorithms add to its sums. */
    uint64_t step;
    egc_step_stats stats;
    egc_step_times times;

    double step_began_s;
    double recv_bytes_seen;
    egc_arena arena;
} egc_trainer;

/* For egc_algorithm_type.check: UNSUPPORTED for options that only exchanges between all workers
 * have, and for workloads that do not train. */
egc_status egc_trainer_check(const egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* UNSUPPORTED for methods and exchanges that need the messages of all workers at once: for
 * algorithms whose workers compress alone (coders.h). */
egc_status egc_trainer_check_alone(const egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* UNSUPPORTED for options about the overlap of computing and exchanging, for algorithms without
 * any. */
egc_status egc_trainer_check_streams(const egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* UNSUPPORTED for a method that clips: for algorithms that compress differences of parameters. */
egc_status egc_trainer_check_clip(const egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* Opens the workload and makes the partition and the world. config, sink and summary are borrowed;
 * the summary gets the model's name and size. Zeroed or failed, it can be given to _fini. Errors of
 * the workload and of egc_world_new; MEMORY. */
egc_status egc_trainer_init(egc_trainer *trainer, const egc_train_config *config,
                            const egc_train_sink *sink, egc_train_summary *summary,
                            egc_error *err) EGC_MUST_CHECK;
void egc_trainer_fini(egc_trainer *trainer);

/* egc_world_run; the message of a failure of the network names the step under way. */
egc_status egc_trainer_simulate(egc_trainer *trainer, egc_error *err) EGC_MUST_CHECK;

/* The step is over and its parameters are the replica's: evaluates them where that is due, reports
 * the step, which took the time since the last one, and begins the next. Errors of the workload and
 * the sink. */
egc_status egc_trainer_end_step(egc_trainer *trainer, const egc_replica *replica,
                                egc_error *err) EGC_MUST_CHECK;

/* ---- the timeline --------------------------------------------------------------------------- */

/* A stream that spends time and logs events. It has no queue and owns nothing. */
egc_stream egc_trainer_stream(const egc_trainer *trainer, int rank, egc_stream_kind kind);

/* An event of a bucket, for egc_stream_work and egc_stream_log_event. */
egc_timeline_event egc_trainer_event(const egc_trainer *trainer, const char *name, uint64_t step,
                                     size_t bucket);

/* ---- compressing ---------------------------------------------------------------------------- */

/* The configuration of coders with the run's momentum, whose messages are averaged n_messages at a
 * time. */
egc_coder_config egc_trainer_coder_config(const egc_trainer *trainer, size_t n_messages);

/* egc_coders_decode_alone; notes the learning-rate correction in the account of the step. */
egc_status egc_trainer_decode(egc_trainer *trainer, const egc_coders *coders, egc_decoder *decoder,
                              uint64_t step, size_t bucket, const egc_buf *message, float *out,
                              double *decode_s, egc_error *err) EGC_MUST_CHECK;

#endif
