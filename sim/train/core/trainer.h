/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training algorithms share whose learning takes place inside the simulation, since it depends
 * on the order of events or gives workers parameters of their own: a workload, those who compress,
 * and the account of the step under way.
 *
 * What a step is each algorithm says; it closes one by egc_trainer_end_step. Actors run one at a
 * time (net/world/world.h), so that everything here may be shared by all of them. */
#ifndef EGC_TRAIN_CORE_TRAINER_H
#define EGC_TRAIN_CORE_TRAINER_H

#include "compressors/core/encoder.h"
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
    size_t n_messages;   /* messages that are averaged at a time: the workers', unless the algorithm
                            says otherwise before it makes senders */

    /* Of the step under way: algorithms add what they do to it. */
    uint64_t step;
    egc_step_stats stats;
    egc_step_times times;

    double step_began_s;
    double recv_bytes_seen;
    egc_arena arena;
} egc_trainer;

/* For egc_algorithm_type.check: UNSUPPORTED for methods of several rounds, and for what only
 * exchanges between all workers have. */
egc_status egc_trainer_check(const egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* UNSUPPORTED for what says how computing and exchanging overlap, where nothing does. */
egc_status egc_trainer_check_streams(const egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* UNSUPPORTED for a method that clips: for algorithms that compress differences of parameters. */
egc_status egc_trainer_check_clip(const egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* Opens the workload and makes the plan and the world. config, sink and summary are borrowed; the
 * summary gets the model and what else is known. Zeroed or failed, it can be given to _fini. */
egc_status egc_trainer_init(egc_trainer *trainer, const egc_train_config *config,
                            const egc_train_sink *sink, egc_train_summary *summary,
                            egc_error *err) EGC_MUST_CHECK;
void egc_trainer_fini(egc_trainer *trainer);

/* egc_world_run; what the network has lost names the step, or round, that was under way. */
egc_status egc_trainer_simulate(egc_trainer *trainer, egc_error *err) EGC_MUST_CHECK;

/* The parameters that all start with: n floats, the caller's, to be given to egc_free. MEMORY. */
egc_status egc_trainer_parameters(const egc_trainer *trainer, float **out,
                                  egc_error *err) EGC_MUST_CHECK;

/* The learning rate of a step: workers and servers may be at steps of their own. */
double egc_trainer_lr(const egc_trainer *trainer, uint64_t step);

/* The gradient (n floats) of a worker at its own `step`, which chooses its batch, and parameters,
 * and the loss there. NONFINITE when that is not finite; the message does not say whose. */
egc_status egc_trainer_gradient(egc_trainer *trainer, uint64_t step, size_t worker,
                                const float *parameters, float *gradient, double *loss,
                                egc_error *err) EGC_MUST_CHECK;

/* The step is over and `parameters` are what came of it: evaluates them where that is due, reports
 * the step, which took the time since the last one, and begins the next. */
egc_status egc_trainer_end_step(egc_trainer *trainer, const float *parameters,
                                egc_error *err) EGC_MUST_CHECK;

/* ---- the timeline --------------------------------------------------------------------------- */

/* A stream to work on and to tell of. It takes no tasks and owns nothing. */
egc_stream egc_trainer_stream(const egc_trainer *trainer, int rank, egc_stream_kind kind);

/* Something that happens to a bucket, for egc_stream_work and _tell. */
egc_timeline_event egc_trainer_event(const egc_trainer *trainer, const char *name, uint64_t step,
                                     size_t bucket);

/* ---- compressing ---------------------------------------------------------------------------- */

/* Who compresses: a worker its gradients, a server what it sends back. */
typedef struct egc_coders {
    egc_trainer *trainer;
    const egc_method *method; /* what its work is charged by; borrowed */
    egc_encoder *encoder;
    egc_buf *messages; /* of each bucket of the plan */
    double *encode_s;  /* device time each of them stands for */
    double nonfinite;  /* NaN and Inf in the last vector */
} egc_coders;

/* What every coder of the run is made from, whose messages are averaged n_messages at a time. */
egc_coder_config egc_trainer_coder_config(const egc_trainer *trainer, size_t n_messages);

/* number seeds its randomness and must be its own: workers have their ranks. MEMORY. */
egc_status egc_coders_init(egc_coders *sender, egc_trainer *trainer, size_t number,
                           egc_error *err) EGC_MUST_CHECK;

/* One that compresses otherwise than the run's method says. config->method is borrowed. */
egc_status egc_coders_init_as(egc_coders *sender, egc_trainer *trainer,
                              const egc_coder_config *config, size_t number,
                              egc_error *err) EGC_MUST_CHECK;

/* Zeroed is fine. */
void egc_coders_fini(egc_coders *sender);

/* Takes a vector (n floats) into the memory and makes the messages of all buckets. `step` counts
 * the sender's own calls, lr is the learning rate in force. NONFINITE, MEMORY; the message says
 * neither step nor sender. */
egc_status egc_coders_encode(egc_coders *sender, uint64_t step, double lr, const float *vector,
                             egc_error *err) EGC_MUST_CHECK;

/* Takes what it encoded last into the account of the step under way. That may be long after: an
 * account has as many gradients as there are workers, whenever they were begun. */
void egc_coders_count(egc_coders *sender);

/* A decoder of deliveries of so many messages; to be given to egc_decoder_free. MEMORY. */
egc_status egc_trainer_decoder(const egc_trainer *trainer, size_t n_messages, egc_decoder **out,
                               egc_error *err) EGC_MUST_CHECK;

/* Writes the mean of a bucket's messages, which their senders made at their `step`, to its place in
 * `average` (n floats), learning-rate correction included, and says how much device time that
 * stands for. FORMAT, NONFINITE, MEMORY. */
egc_status egc_trainer_decode(const egc_trainer *trainer, egc_decoder *decoder, uint64_t step,
                              size_t bucket, const egc_buf *messages, size_t n_messages,
                              float *average, double *decode_s, egc_error *err) EGC_MUST_CHECK;

#endif
