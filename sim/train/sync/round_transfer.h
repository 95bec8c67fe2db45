/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The transfer of a worker's messages: the exchange of each round, with its buffers.
 *
 * Each transfer is checked against the links: an exchange may not take less time than the fastest
 * host needs for the bytes of any worker, and for the least bytes that such an exchange must move
 * (egc_tuning_least_bytes). A failed check means that the simulation is wrong. */
#ifndef EGC_TRAIN_SYNC_ROUND_TRANSFER_H
#define EGC_TRAIN_SYNC_ROUND_TRANSFER_H

#include "train/sync/engine/engine.h"

typedef struct egc_round_transfer {
    egc_world *world;         /* borrowed */
    egc_transport *transport; /* borrowed */
    egc_engine *engine;       /* borrowed */
    size_t worker;
    egc_buf *gathered; /* per rank, during an exchange */
    egc_buf broadcast;
    egc_buf opened; /* this worker's message in the form that can be merged */
    egc_buf kept;   /* copy of a message that the exchange changes, for a retry */
    egc_exchange_scratch scratch;
} egc_round_transfer;

/* One piece of one round of one bucket of one step. */
typedef struct egc_round_piece {
    uint64_t step;
    size_t round, bucket, piece;
} egc_round_piece;

/* On failure, and if zeroed, it can be given to _fini. MEMORY. */
egc_status egc_round_transfer_init(egc_round_transfer *transfer, egc_engine *engine, size_t worker,
                                   egc_world *world, egc_transport *transport,
                                   egc_error *err) EGC_MUST_CHECK;
void egc_round_transfer_fini(egc_round_transfer *transfer);

/* The number of pieces in which a round of a bucket is exchanged, the same for all workers: as the
 * option `partition` says for dense sums, else 1. Ignores at->piece. */
size_t egc_round_transfer_pieces(const egc_round_transfer *transfer, const egc_round_piece *at);

/* Bytes of the worker's own message in the piece. */
double egc_round_transfer_bytes(const egc_round_transfer *transfer, const egc_round_piece *at);

/* Called before each try of an exchange that a failure may end early: keeps the message that the
 * exchange changes, or restores it for a retry. MEMORY. */
egc_status egc_round_transfer_prepare(egc_round_transfer *transfer, const egc_round_piece *at,
                                      bool retry, egc_error *err) EGC_MUST_CHECK;

/* Runs the exchange of the piece together with all other workers. The messages of the result are
 * complete after the last piece and valid until the next call; no worker begins an exchange before
 * all have ended the one before. Errors of the transport and of merging; SIMULATION if the links
 * carried more than they can. */
egc_status egc_round_transfer_run(egc_round_transfer *transfer, const egc_round_piece *at,
                                  egc_round_result *result, egc_error *err) EGC_MUST_CHECK;

#endif
