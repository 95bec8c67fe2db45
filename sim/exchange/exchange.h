/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives, written once over the transport interface.
 *
 * An exchange is one const descriptor in one file, named by one line of list.def. ALLREDUCE
 * exchanges sum vectors of elements in place; ALLGATHER exchanges give every rank the message of
 * every other, of whatever lengths; BROADCAST exchanges give every rank the message of one;
 * ALLTOALL exchanges give every rank what every other has for it. */
#ifndef EGC_EXCHANGE_EXCHANGE_H
#define EGC_EXCHANGE_EXCHANGE_H

#include <stdbool.h>

#include "net/transport/transport.h"

/* What a rank keeps from call to call. Zeroed is ready. */
typedef struct egc_exchange_scratch {
    int group; /* for exchanges of two levels, the same on all ranks: egc_groups_choose */
    egc_buf in;
    egc_buf out;
    egc_buf sum;
    egc_buf spare;
    egc_buf plan; /* what an exchange has worked out once */
} egc_exchange_scratch;

/* What closed forms know of a network. Seconds; links are full-duplex. */
typedef struct egc_exchange_network {
    double alpha_s; /* a message */
    double beta_s;  /* a byte, when each rank sends to its neighbour or one of a group sends */
    double contended_beta_s; /* a byte, when all ranks send far at once: more where links are
                            shared; 0: as much */
    double gamma_s;          /* a byte reduced */
    int group;               /* so many ranks that follow each other are near: egc_groups_choose */
    double local_alpha_s;    /* between these */
    double local_beta_s;
} egc_exchange_network;

typedef struct egc_exchange_type {
    const char *name;
    const char *summary;
    const char *cost;      /* the closed form in p ranks, n bytes, alpha, beta, gamma */
    const char *reference; /* the paper or the implementation it follows */
    egc_collective kind;
    bool neighbours; /* ranks send to the next rank only: a ring on any sensible network */

    /* ALLREDUCE: data[0..n) becomes the sum over all ranks, added in such an order that all hold
     * the same bits. */
    egc_status (*reduce)(egc_transport *transport, egc_element element, void *data, size_t n,
                         egc_exchange_scratch *scratch, egc_error *err);

    /* ALLGATHER: blocks[r] becomes the message of rank r, blocks[rank] included (a copy of mine).
     */
    egc_status (*gather)(egc_transport *transport, const void *mine, size_t bytes, egc_buf *blocks,
                         egc_exchange_scratch *scratch, egc_error *err);

    /* BROADCAST: message becomes on every rank what it is on rank root. */
    egc_status (*broadcast)(egc_transport *transport, int root, egc_buf *message,
                            egc_exchange_scratch *scratch, egc_error *err);

    /* ALLTOALL: blocks[r] becomes the pieces[rank] that rank r holds; blocks[rank] is a copy of
     * pieces[rank]. The lengths may be any, 0 included. */
    egc_status (*scatter)(egc_transport *transport, const egc_buf *pieces, egc_buf *blocks,
                          egc_exchange_scratch *scratch, egc_error *err);

    /* The closed form, in seconds, of a call without contention: p ranks, n bytes (ALLREDUCE: the
     * vector; ALLGATHER: each rank's message, all equal; BROADCAST: the message; ALLTOALL: what one
     * rank has for all ranks, itself included), alpha seconds a message, beta seconds a byte, gamma
     * seconds a byte reduced. Framing of ours is not in it. */
    double (*closed_form)(int p, double n, double alpha, double beta, double gamma);

    /* Exchanges of two levels: the same where some ranks are near each other. network->group is in
     * [1, p] and divides p. NULL: the exchange does not know. */
    double (*grouped_form)(int p, double n, const egc_exchange_network *network);
} egc_exchange_type;

/* Every registered type, NULL-terminated, in the order of list.def. */
const egc_exchange_type *const *egc_exchange_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_exchange_find(const char *name, const egc_exchange_type **out,
                             egc_error *err) EGC_MUST_CHECK;

/* Ranks that form a group, in [1, p]: `given` of them if that is more than 0, or p; otherwise the
 * largest divisor of p up to its square root, which keeps the steps few. */
int egc_groups_choose(int p, int given);

/* The exchange of this kind that should take the shortest time, by closed forms, as tuned libraries
 * choose from tables: p and n as in closed_form; of unequal messages, their mean. The first in
 * list.def of those that take as long. Where ranks are near each other (network->group > 1) the
 * two-level forms count. */
const egc_exchange_type *egc_tuning_cheapest(egc_collective kind, int p, double n,
                                             const egc_exchange_network *network);

/* Bytes that some rank must send or receive, whatever the exchange: divided by the time taken, what
 * NCCL's tests call bus bandwidth, which can not pass the rate of a link. */
double egc_tuning_least_bytes(egc_collective kind, int p, double n);

void egc_exchange_scratch_fini(egc_exchange_scratch *scratch);

#endif
