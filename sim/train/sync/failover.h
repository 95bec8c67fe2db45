/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Continuing without failed workers: on_failure = "drop".
 *
 * When a message is lost or a host fails, the streams that exchange are ended on all workers, in
 * whatever wait they are. After failure_timeout the largest group of workers that reach each other
 * (quorum.h) starts new ones among themselves. An exchange is committed when all of them have its
 * result; then they continue after it, otherwise they repeat it. To detect a failure and to agree
 * on the group takes the timeout and no messages. */
#ifndef EGC_TRAIN_SYNC_FAILOVER_H
#define EGC_TRAIN_SYNC_FAILOVER_H

#include "train/sync/run.h"

/* The algorithm's part in it; `arg` is failover->arg. */
typedef struct egc_failover_ops {
    egc_actor_main stream; /* the function of the actors that are ended and started again */

    /* Called after the stream of this rank has ended: replaces the semaphores it may have been
     * waiting for. MEMORY. */
    egc_status (*ended)(void *arg, size_t rank, egc_error *err);

    /* Starts the streams of the engine's members. Messages in flight have been discarded, and an
     * exchange that was not committed counts as never begun. */
    egc_status (*begin)(void *arg, egc_error *err);
} egc_failover_ops;

typedef struct egc_failover {
    egc_sync_run *run; /* borrowed */
    const egc_failover_ops *ops;
    void *arg;
    egc_barrier *arrived; /* reached by all when an exchange has delivered to all */
    uint64_t n_committed; /* exchanges */
    uint64_t broken;      /* n_committed at the last failure */
    int breaks;           /* failures since then */
    bool recovering;
    int recoverer; /* rank */
    int *chosen;   /* storage for the next members */
} egc_failover;

/* Borrows run, ops and arg. On failure, and if zeroed, it can be given to _fini. MEMORY. */
egc_status egc_failover_init(egc_failover *failover, egc_sync_run *run, const egc_failover_ops *ops,
                             void *arg, egc_error *err) EGC_MUST_CHECK;
void egc_failover_fini(egc_failover *failover);

/* Makes the members watch each other's hosts. Called once their first actors exist. MEMORY. */
egc_status egc_failover_watch(egc_failover *failover, egc_error *err) EGC_MUST_CHECK;

/* Called by a stream whose worker has the result of its exchange number *n_through, counted from 0:
 * waits until all have, commits the exchange, and increments *n_through. */
void egc_failover_commit(egc_failover *failover, uint64_t *n_through);

/* The status that a stream that failed with `status` must return: EGC_OK if the other workers can
 * continue, whose recovery it starts. */
egc_status egc_failover_handle(egc_failover *failover, egc_status status) EGC_MUST_CHECK;

#endif
