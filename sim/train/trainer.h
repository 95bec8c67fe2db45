/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training algorithms share whose learning takes place inside the simulation, since it depends
 * on the order of events or gives workers parameters of their own: a workload, those who compress,
 * and the account of the step under way.
 *
 * What a step is each algorithm says; it closes one by egc_trainer_end_step. Actors run one at a
 * time (net/world.h), so that everything here may be shared by all of them. */
#ifndef EGC_TRAIN_TRAINER_H
#define EGC_TRAIN_TRAINER_H

#include "train/report.h"

typedef struct egc_trainer {
    const egc_training_config *config;
    egc_workload *workload;
    egc_plan plan;
    egc_workspace *workspace; /* coders run one at a time */
    egc_world *world;
    egc_report report;
    double momentum;
    size_t n, n_workers; /* parameters, workers */

    /* Of the step under way: algorithms add what they do to it. */
    uint64_t step;
    egc_learnt learnt;
    egc_tally tally;

    double step_began_s;
    double recv_bytes_seen;
    egc_arena arena;
} egc_trainer;

/* UNSUPPORTED for methods of several rounds: for egc_algorithm_type.check. */
egc_status egc_trainer_check(const egc_training_config *config, egc_error *err) EGC_MUST_CHECK;

/* Opens the workload and makes the plan and the world. config, sink and summary are borrowed; the
 * summary gets the model and what else is known. Zeroed or failed, it can be given to _fini. */
egc_status egc_trainer_init(egc_trainer *trainer, const egc_training_config *config,
                            const egc_training_sink *sink, egc_training_summary *summary,
                            egc_error *err) EGC_MUST_CHECK;
void egc_trainer_fini(egc_trainer *trainer);

/* The parameters that all start with: n floats, the caller's, to be given to egc_free. MEMORY. */
egc_status egc_trainer_parameters(const egc_trainer *trainer, float **out,
                                  egc_error *err) EGC_MUST_CHECK;

/* The learning rate of the step under way. */
double egc_trainer_lr(const egc_trainer *trainer);

/* The gradient (n floats) of a worker at its own `step`, which chooses its batch, and parameters;
 * the loss goes into the account. NONFINITE when it is not finite. */
egc_status egc_trainer_gradient(egc_trainer *trainer, uint64_t step, size_t worker,
                                const float *parameters, float *gradient,
                                egc_error *err) EGC_MUST_CHECK;

/* The step is over and `parameters` are what came of it: evaluates them where that is due, reports
 * the step, which took the time since the last one, and begins the next. */
egc_status egc_trainer_end_step(egc_trainer *trainer, const float *parameters,
                                egc_error *err) EGC_MUST_CHECK;

/* ---- compressing ---------------------------------------------------------------------------- */

/* Who compresses: a worker its gradients, a server what it sends back. */
typedef struct egc_sender {
    egc_trainer *trainer;
    egc_encoder *encoder;
    egc_buf *messages; /* of each bucket of the plan */
    double *encode_s;  /* device time each of them stands for */
    bool counted;      /* what it does goes into the account of the step */
} egc_sender;

/* number seeds its randomness and must be its own: workers have their ranks. MEMORY. */
egc_status egc_sender_init(egc_sender *sender, egc_trainer *trainer, size_t number, bool counted,
                           egc_error *err) EGC_MUST_CHECK;

/* Zeroed is fine. */
void egc_sender_fini(egc_sender *sender);

/* Takes a vector (n floats) into the memory and makes the messages of all buckets. `step` counts
 * the sender's own calls. NONFINITE, MEMORY. */
egc_status egc_sender_encode(egc_sender *sender, uint64_t step, const float *vector,
                             egc_error *err) EGC_MUST_CHECK;

/* A decoder of deliveries of so many messages; to be given to egc_decoder_free. MEMORY. */
egc_status egc_trainer_decoder(const egc_trainer *trainer, size_t n_messages, egc_decoder **out,
                               egc_error *err) EGC_MUST_CHECK;

/* Writes the mean of a bucket's messages to its place in `average` (n floats), learning-rate
 * correction included, and says how much device time that stands for. FORMAT, NONFINITE, MEMORY. */
egc_status egc_trainer_decode(const egc_trainer *trainer, egc_decoder *decoder, size_t bucket,
                              const egc_buf *messages, size_t n_messages, float *average,
                              double *decode_s, egc_error *err) EGC_MUST_CHECK;

#endif
