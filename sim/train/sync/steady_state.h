/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that repeat: one that is like the two before it takes the same times, so that it need not
 * be simulated again.
 *
 * What decides the times of a synchronous step is how long its messages are, what they stand for on
 * the device, and how far apart the workers begin. When two steps in a row are alike in all of
 * these, the third begins as they did; if its messages are like theirs, it goes on as they did, and
 * every worker just waits as long as it took in the first of them, the latest of which all workers
 * have seen the end. Dense training repeats from its fourth step on; messages whose lengths change
 * never do. Times agree with those of a simulated step up to rounding, so that only
 * runs repeat in which not all workers learn: they are large, and they are hollow whether or not
 * they are replays (learning.h), which must have the same times to the last bit. */
#ifndef EGC_TRAIN_SYNC_STEADY_STATE_H
#define EGC_TRAIN_SYNC_STEADY_STATE_H

#include "train/metrics/step_stats.h"
#include "train/sync/engine.h"

/* What a step took one worker. */
typedef struct egc_worker_step {
    double start_s, end_s;
    egc_step_times times; /* its share of the step's */
} egc_worker_step;

enum {
    EGC_STEADY_STATE_KEPT = 3, /* two to compare, and the one that is simulated */
    EGC_STEADY_STATE_FROM = 3  /* the first step, from 0, that can be like the two before it */
};

typedef struct egc_steady_state {
    egc_engine *engine;                           /* borrowed; NULL: nothing ever repeats */
    egc_worker_step *past[EGC_STEADY_STATE_KEPT]; /* simulated steps, by worker */
    uint64_t key[EGC_STEADY_STATE_KEPT];          /* what they sent */
    double network_bytes[EGC_STEADY_STATE_KEPT];
    size_t n_simulated; /* in a row */
    size_t repeated;    /* which of `past` is repeated */
    size_t slot[2];     /* which of `past` the even and the odd step is, when it is simulated */
    bool repeats[2];    /* whether it is not */
} egc_steady_state;

/* MEMORY. */
egc_status egc_steady_state_init(egc_steady_state *steady, egc_engine *engine,
                                 egc_error *err) EGC_MUST_CHECK;

/* Zeroed is fine. */
void egc_steady_state_fini(egc_steady_state *steady);

/* The first worker comes to a step. Its messages are made. */
void egc_steady_state_begin_step(egc_steady_state *steady, uint64_t step);

/* What a worker is to repeat at this step; NULL when it must be simulated. */
const egc_worker_step *egc_steady_state_times(const egc_steady_state *steady, uint64_t step,
                                              size_t worker);

/* The same of what the network carried, for all workers. */
double egc_steady_state_network_bytes(const egc_steady_state *steady, uint64_t step);

/* Where to write down what a step that is simulated takes a worker: its start when it starts, the
 * rest at its end. NULL when nothing ever repeats. */
egc_worker_step *egc_steady_state_slot(egc_steady_state *steady, uint64_t step, size_t worker);

/* All workers have come to the end of a step that was simulated. */
void egc_steady_state_end_step(egc_steady_state *steady, uint64_t step, double network_bytes);

#endif
