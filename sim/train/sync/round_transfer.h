/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What carries a worker's messages: the exchange of each round, and the buffers it needs.
 *
 * What passes is held to what links can carry: no worker's bytes may take less time than its host's
 * links need for them, nor an exchange less than its least bytes (egc_tuning_least_bytes) do.
 * That never happens unless the simulation is wrong. */
#ifndef EGC_TRAIN_SYNC_ROUND_TRANSFER_H
#define EGC_TRAIN_SYNC_ROUND_TRANSFER_H

#include "train/sync/engine.h"

typedef struct egc_round_transfer {
    egc_world *world;         /* borrowed */
    egc_transport *transport; /* borrowed */
    egc_engine *engine;       /* borrowed */
    size_t worker;
    egc_buf *gathered; /* for each rank, during an exchange */
    egc_buf broadcast;
    egc_buf opened; /* this worker's message, ready to be merged with others */
    egc_buf kept;   /* a message that the exchange will change, for another try */
    egc_exchange_scratch scratch;
} egc_round_transfer;

/* Zeroed or failed, it can be given to _fini. MEMORY. */
egc_status egc_round_transfer_init(egc_round_transfer *transfer, egc_engine *engine, size_t worker,
                                   egc_world *world, egc_transport *transport,
                                   egc_error *err) EGC_MUST_CHECK;

/* Zeroed is fine, too. */
void egc_round_transfer_fini(egc_round_transfer *transfer);

/* Into how many pieces the exchange of a round of a bucket is parted: whole vectors that are summed
 * on the way into those that the partition option wants, others into one. The same for all workers.
 */
size_t egc_round_transfer_pieces(const egc_round_transfer *transfer, uint64_t step, size_t round,
                                 size_t bucket);

/* Bytes of the worker's own message, or of the given piece of it. */
double egc_round_transfer_bytes(const egc_round_transfer *transfer, uint64_t step, size_t round,
                                size_t bucket, size_t piece);

/* Before the first try of an exchange that may be broken off: keeps what it would change. MEMORY.
 */
egc_status egc_round_transfer_keep(egc_round_transfer *transfer, uint64_t step, size_t round,
                                   size_t bucket, egc_error *err) EGC_MUST_CHECK;

/* Before each further try. MEMORY. */
egc_status egc_round_transfer_restore(egc_round_transfer *transfer, uint64_t step, size_t round,
                                      size_t bucket, egc_error *err) EGC_MUST_CHECK;

/* Runs the exchange of one round of a bucket, or the given piece of it, together with all other
 * workers, and says what came of it: messages that stay until the next call, and are whole once all
 * pieces have come; all workers are through with one before any begins the next. Errors of the
 * transport, and of merging; SIMULATION when links carried more than they can. */
egc_status egc_round_transfer_run(egc_round_transfer *transfer, uint64_t step, size_t round,
                                  size_t bucket, size_t piece, egc_round_result *received,
                                  egc_error *err) EGC_MUST_CHECK;

#endif
