/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Going on without workers that are lost: on_failure = "drop".
 *
 * When a message is lost, or a host fails, the streams that exchange are ended, on all workers,
 * where they wait. After failure_timeout the largest group of workers that all reach each other
 * (members.h) begins them anew, among themselves. An exchange counts when all have what it
 * delivers: then all go on behind it, and else all do it again. That the survivors learn of a loss,
 * and agree on who they are, takes the timeout and no messages. */
#ifndef EGC_TRAIN_SYNC_FAILOVER_H
#define EGC_TRAIN_SYNC_FAILOVER_H

#include "train/sync/run.h"

/* What is to be done to the streams of an algorithm; `arg` is survivors->arg. */
typedef struct egc_failover_ops {
    egc_actor_main stream; /* what the actors run that are ended and begun anew */

    /* The stream of this rank has been ended, and what it waited for may be replaced. MEMORY. */
    egc_status (*ended)(void *arg, size_t rank, egc_error *err);

    /* Those that the learning has as members now are to begin again: messages that were under way
     * are forgotten, and what is broken off has not been. */
    egc_status (*begin)(void *arg, egc_error *err);
} egc_failover_ops;

typedef struct egc_failover {
    egc_sync_run *run; /* borrowed */
    const egc_failover_ops *ops;
    void *arg;
    egc_barrier *arrived; /* all have what an exchange delivers */
    uint64_t n_committed; /* exchanges that count */
    uint64_t broken;      /* n_committed at the last break */
    int breaks;           /* since then */
    bool recovering;
    int recoverer; /* rank */
    int *chosen;   /* room for members to be */
} egc_failover;

/* Zeroed or failed, it can be given to _fini. MEMORY. */
egc_status egc_failover_init(egc_failover *failover, egc_sync_run *run, const egc_failover_ops *ops,
                             void *arg, egc_error *err) EGC_MUST_CHECK;

/* Zeroed is fine, too. */
void egc_failover_fini(egc_failover *failover);

/* The members, whose first actors are there, watch over each other from now on. MEMORY. */
egc_status egc_failover_watch(egc_failover *failover, egc_error *err) EGC_MUST_CHECK;

/* The exchange number *n_through, counted by each stream from 0, has come to its end on this
 * worker: waits for the others, and counts on. By a stream. */
void egc_failover_commit(egc_failover *failover, uint64_t *n_through);

/* A stream that fails with `status` is to return this: EGC_OK after a loss that others survive. */
egc_status egc_failover_handle(egc_failover *failover, egc_status status) EGC_MUST_CHECK;

#endif
