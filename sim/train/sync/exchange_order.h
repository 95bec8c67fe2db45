/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of a step's exchanges, the same on all ranks.
 *
 * A collective needs every rank, so no rank can choose for itself. The next bucket is chosen when
 * all communication streams are idle and at least one bucket's message is ready on all ranks: of
 * these buckets the one whose gradients were ready first (fifo), or the one whose layers the next
 * forward pass needs first (priority). Horovod and ByteScheduler agree on it by messages to a
 * coordinator; here the agreement takes no time. */
#ifndef EGC_TRAIN_SYNC_EXCHANGE_ORDER_H
#define EGC_TRAIN_SYNC_EXCHANGE_ORDER_H

#include <stdbool.h>

#include "net/world/world.h"

typedef struct egc_exchange_order {
    size_t n_workers, n_buckets;
    const int *members; /* ranks that take part, borrowed */
    size_t n_members;
    bool by_priority;
    size_t *n_ready;      /* per bucket: members that have their message ready */
    egc_semaphore **turn; /* per worker: signalled when a bucket is chosen */
    size_t n_idle;        /* members that wait for a bucket */
    size_t bucket;        /* chosen last */
} egc_exchange_order;

/* For n_workers members, ranks from 0. On failure, and if zeroed, it can be given to _fini.
 * MEMORY. */
egc_status egc_exchange_order_init(egc_exchange_order *order, const int *members, size_t n_workers,
                                   size_t n_buckets, bool by_priority,
                                   egc_error *err) EGC_MUST_CHECK;
void egc_exchange_order_fini(egc_exchange_order *order);

/* Forgets the members that wait, whose streams have ended. */
void egc_exchange_order_halt(egc_exchange_order *order);

/* Starts again with n members and no message ready. Called while no actor waits. MEMORY. */
egc_status egc_exchange_order_regroup(egc_exchange_order *order, const int *members, size_t n,
                                      egc_error *err) EGC_MUST_CHECK;

/* Counts one more member whose next message of the bucket is ready. */
void egc_exchange_order_ready(egc_exchange_order *order, size_t bucket);

/* Waits for the next bucket to exchange. All members get the same one, at the same time. */
size_t egc_exchange_order_next(egc_exchange_order *order, size_t worker);

#endif
