/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose turn it is: the order of a step's exchanges, the same on all ranks.
 *
 * A collective needs every rank, so ranks may not choose for themselves. A turn is given when all
 * communication streams are idle and at least one bucket's message is ready on all ranks; of those
 * that are, first the bucket whose gradients were ready first (fifo), or the one whose layers the
 * next forward pass needs first (priority). Horovod and ByteScheduler agree by messages to a
 * coordinator; here agreeing takes no time. */
#ifndef EGC_TRAIN_SYNC_EXCHANGE_ORDER_H
#define EGC_TRAIN_SYNC_EXCHANGE_ORDER_H

#include <stdbool.h>

#include "net/world/world.h"

typedef struct egc_exchange_order {
    size_t n_workers, n_buckets;
    const int *members; /* ranks of those that take turns, borrowed */
    size_t n_members;
    bool by_priority;
    size_t *n_ready;      /* of each bucket: members whose message is */
    egc_semaphore **turn; /* of each worker */
    size_t n_idle;        /* members that wait for a turn */
    size_t bucket;        /* whose turn it is */
} egc_exchange_order;

/* For n_workers members, ranks from 0. Zeroed or failed, it can be given to _fini. MEMORY. */
egc_status egc_exchange_order_init(egc_exchange_order *order, const int *members, size_t n_workers,
                                   size_t n_buckets, bool by_priority,
                                   egc_error *err) EGC_MUST_CHECK;

/* Zeroed is fine, too. */
void egc_exchange_order_fini(egc_exchange_order *order);

/* None of those that waited for a turn does any longer. */
void egc_exchange_order_halt(egc_exchange_order *order);

/* Begins anew among n members, who have nothing ready yet. No actor waits. MEMORY. */
egc_status egc_exchange_order_regroup(egc_exchange_order *order, const int *members, size_t n,
                                      egc_error *err) EGC_MUST_CHECK;

/* One more member has its next message of a bucket. */
void egc_exchange_order_ready(egc_exchange_order *order, size_t bucket);

/* Waits for the next turn, and says which bucket's it is; all members get the same at once. */
size_t egc_exchange_order_next(egc_exchange_order *order, size_t worker);

#endif
