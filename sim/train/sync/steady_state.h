/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that repeat: a step equal to the two before it takes the same times, and need not be
 * simulated again.
 *
 * The times of a synchronous step depend on the lengths of its messages, on the work they stand for
 * on the device, and on how far apart the workers begin. If two steps in a row agree in all of
 * these, the third begins as the second did; if its messages agree too, it proceeds likewise. Then
 * each worker only waits for as long as it took in the first of the two, the latest step that all
 * workers have ended. Dense training repeats from its fourth step on; messages whose lengths change
 * never do.
 *
 * Repeated times agree with simulated ones up to rounding. A replayed run (training_log.h) must
 * have the times of the run it replays to the last bit, so only runs with sampled workers repeat:
 * they are large, and size_only whether or not they are replayed. */
#ifndef EGC_TRAIN_SYNC_STEADY_STATE_H
#define EGC_TRAIN_SYNC_STEADY_STATE_H

#include "train/metrics/step_stats.h"
#include "train/sync/engine/engine.h"

/* One worker's step. */
typedef struct egc_worker_step {
    double start_s, end_s;
    egc_step_times times; /* its share of the step's */
} egc_worker_step;

enum {
    EGC_STEADY_STATE_KEPT = 3, /* two to compare, and the one that is simulated */
    EGC_STEADY_STATE_FROM = 3  /* the first step, from 0, that can repeat */
};

typedef struct egc_steady_state {
    egc_engine *engine;                           /* borrowed; NULL: no step repeats */
    egc_worker_step *past[EGC_STEADY_STATE_KEPT]; /* simulated steps, by worker */
    uint64_t key[EGC_STEADY_STATE_KEPT];          /* hash of their messages */
    double network_bytes[EGC_STEADY_STATE_KEPT];
    size_t n_simulated; /* in a row */
    size_t repeated;    /* index in `past` of the step that is repeated */
    size_t slot[2];     /* index in `past` of the even and the odd step, if simulated */
    bool repeats[2];    /* true if the even or the odd step is repeated */
} egc_steady_state;

/* Borrows the engine. MEMORY. */
egc_status egc_steady_state_init(egc_steady_state *steady, egc_engine *engine,
                                 egc_error *err) EGC_MUST_CHECK;

/* Accepts a zeroed one. */
void egc_steady_state_fini(egc_steady_state *steady);

/* Decides if a step repeats. Called when the first worker begins it, after its messages are made.
 */
void egc_steady_state_begin_step(egc_steady_state *steady, uint64_t step);

/* The step that a worker repeats; NULL if it must be simulated. */
const egc_worker_step *egc_steady_state_times(const egc_steady_state *steady, uint64_t step,
                                              size_t worker);

/* Bytes on the network, of all workers, in the repeated step; 0 if it must be simulated. */
double egc_steady_state_network_bytes(const egc_steady_state *steady, uint64_t step);

/* Storage for a worker's simulated step: the caller sets the start when it begins and the rest when
 * it ends. NULL if no step repeats. */
egc_worker_step *egc_steady_state_slot(egc_steady_state *steady, uint64_t step, size_t worker);

/* Stores the bytes on the network. Called when all workers have ended the step. */
void egc_steady_state_end_step(egc_steady_state *steady, uint64_t step, double network_bytes);

#endif
