/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One copy of the model in training: parameters, optimiser state, and the workload that gives
 * gradients and evaluates. Every algorithm trains through it, so that a loss that is not finite is
 * found, and an update applied, in one place.
 *
 * Replicas of one run share a workload: actors run one at a time (net/world/world.h). */
#ifndef EGC_TRAIN_CORE_REPLICA_H
#define EGC_TRAIN_CORE_REPLICA_H

#include "train/config.h"

typedef struct egc_replica {
    egc_workload *workload;  /* borrowed */
    egc_optimizer optimizer; /* the workload's; the owner may change it before the first update */
    uint64_t steps;          /* the run's: the learning-rate schedule ends there */
    size_t n;                /* parameters */
    float *parameters;       /* n; NULL for workloads that do not train (open loop) */
    float *velocity;         /* n, the optimiser's momentum; NULL applies none */
} egc_replica;

/* Opens the workload of a configuration, with its learning rate scaled by the method's lr_scale.
 * *out is the caller's, to be given to egc_workload_free. Errors of the workload. */
egc_status egc_replica_open_workload(const egc_train_config *config, egc_workload **out,
                                     egc_error *err) EGC_MUST_CHECK;

/* The momentum of a run: the method's own, else the workload's, else (open loop) 0.9. */
double egc_replica_momentum(const egc_method *method, const egc_workload *workload);

/* A replica with the workload's first parameters; with_velocity: its optimiser applies momentum.
 * Zeroed or failed, it can be given to _fini. MEMORY, and errors of the workload. */
egc_status egc_replica_init(egc_replica *replica, const egc_train_config *config,
                            egc_workload *workload, bool with_velocity,
                            egc_error *err) EGC_MUST_CHECK;
void egc_replica_fini(egc_replica *replica);

/* The learning rate at `step` of the run. */
double egc_replica_lr(const egc_replica *replica, uint64_t step);

/* Writes the gradient (n floats) of batch `step` of a worker at the replica's parameters, and the
 * mean loss of the batch. NONFINITE when the loss of a workload that trains is not finite; the
 * message names neither step nor worker. Errors of the workload. */
egc_status egc_replica_gradient(const egc_replica *replica, uint64_t step, size_t worker,
                                float *gradient, double *loss, egc_error *err) EGC_MUST_CHECK;

/* One update of parameters [first, first + count) at learning rate lr. gradient: n floats, of which
 * those of the range are replaced by the direction that lr multiplies. */
void egc_replica_update(egc_replica *replica, double lr, float *gradient, size_t first,
                        size_t count);

/* Takes `steps` local steps of worker at the constant learning rate lr, on its batches first_batch,
 * first_batch + 1, ... *loss is their mean. gradient: n floats to work in. directions, n floats or
 * NULL, gets the sum of what lr multiplied: parameters moved by -lr times that. Errors of
 * egc_replica_gradient. */
egc_status egc_replica_local_steps(egc_replica *replica, uint64_t first_batch, uint64_t steps,
                                   size_t worker, double lr, float *gradient, float *directions,
                                   double *loss, egc_error *err) EGC_MUST_CHECK;

/* Evaluates the parameters. Errors of the workload. */
egc_status egc_replica_evaluate(const egc_replica *replica, egc_evaluation *out,
                                egc_error *err) EGC_MUST_CHECK;

#endif
