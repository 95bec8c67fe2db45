/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose turn it is: the order of a step's exchanges, the same on all ranks.
 *
 * A collective needs every rank, so ranks may not choose for themselves. A turn is given when all
 * communication streams are idle and at least one bucket's message is ready on all ranks; of those
 * that are, first the bucket whose gradients were ready first (fifo), or the one whose layers the
 * next forward pass needs first (priority). Horovod and ByteScheduler agree by messages to a
 * coordinator; here agreeing takes no time. */
#ifndef EGC_TRAIN_TURNS_H
#define EGC_TRAIN_TURNS_H

#include <stdbool.h>

#include "net/world.h"

typedef struct egc_turns {
    size_t n_workers, n_buckets;
    bool by_priority;
    size_t *n_ready; /* of each bucket: workers whose message is */
    egc_gate **turn; /* of each worker */
    size_t n_idle;   /* workers that wait for a turn */
    size_t bucket;   /* whose turn it is */
} egc_turns;

/* MEMORY. */
egc_status egc_turns_init(egc_turns *turns, size_t n_workers, size_t n_buckets, bool by_priority,
                          egc_error *err) EGC_MUST_CHECK;

/* Zeroed is fine, too. */
void egc_turns_fini(egc_turns *turns);

/* One more worker has its next message of a bucket. */
void egc_turns_ready(egc_turns *turns, size_t bucket);

/* Waits for the next turn, and says which bucket's it is; all workers get the same at once. */
size_t egc_turns_take(egc_turns *turns, size_t worker);

#endif
