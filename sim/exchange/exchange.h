/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives, written once over the transport interface.
 *
 * An exchange is one const descriptor in one file, named by one line of list.def. All ranks of a
 * transport make the same calls in the same order. Each function returns the errors of
 * net/transport/transport.h, and FORMAT when a message does not have the expected length. */
#ifndef EGC_EXCHANGE_EXCHANGE_H
#define EGC_EXCHANGE_EXCHANGE_H

#include <stdbool.h>

#include "base/public.h"
#include "exchange/call.h"

/* The parameters of closed forms, in seconds; links are full-duplex. */
typedef struct egc_exchange_network {
    double alpha_s; /* for each message */
    double beta_s; /* for each byte, when ranks send to the next one or one rank of a group sends */
    double contended_beta_s; /* for each byte, when all ranks send far at once; 0: beta_s */
    double gamma_s;          /* for each byte that is reduced */
    int group;               /* ranks of a node or rack, numbered consecutively */
    double local_alpha_s;    /* alpha and beta inside such a group */
    double local_beta_s;
} egc_exchange_network;

typedef struct egc_exchange_type {
    const char *name;
    const char *summary;
    const char *cost;      /* the closed form in p ranks, n bytes, alpha, beta, gamma */
    const char *reference; /* the paper or the implementation it follows */
    egc_collective kind;
    bool neighbours; /* ranks send to the next rank only, so that links are not contended */
    bool two_levels; /* the exchange groups ranks, and its closed form uses the group's figures */

    void (*run)(egc_call *call);

    /* Seconds of a call without contention: p ranks, n bytes (ALLREDUCE: of the vector; ALLGATHER:
     * of each rank's message, all equal; BROADCAST: of the message; ALLTOALL: of all pieces of one
     * rank). Headers of ours are left out. Of two levels: network->group is in [1, p] and divides
     * p. egc_tuning_closed_form is for networks without groups. */
    double (*closed_form)(int p, double n, const egc_exchange_network *network);
} egc_exchange_type;

/* Every registered type, NULL-terminated, in the order of list.def. */
const egc_exchange_type *const *egc_exchange_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_exchange_find(const char *name, const egc_exchange_type **out,
                             egc_error *err) EGC_MUST_CHECK;

/* data[0..n) becomes the sum over all ranks, in an order of additions after which all ranks hold
 * the same bits. */
egc_status egc_exchange_allreduce(const egc_exchange_type *type, egc_transport *transport,
                                  egc_element element, void *data, size_t n,
                                  egc_exchange_scratch *scratch, egc_error *err) EGC_MUST_CHECK;

/* blocks[r] becomes the message of rank r, of any length, for each r; blocks[rank] is a copy of
 * mine[0..bytes). */
egc_status egc_exchange_allgather(const egc_exchange_type *type, egc_transport *transport,
                                  const void *mine, size_t bytes, egc_buf *blocks,
                                  egc_exchange_scratch *scratch, egc_error *err) EGC_MUST_CHECK;

/* Copies the message of rank root to all ranks. */
egc_status egc_exchange_broadcast(const egc_exchange_type *type, egc_transport *transport, int root,
                                  egc_buf *message, egc_exchange_scratch *scratch,
                                  egc_error *err) EGC_MUST_CHECK;

/* blocks[r] becomes the pieces[rank] of rank r, of any length; blocks[rank] is a copy of
 * pieces[rank]. */
egc_status egc_exchange_alltoall(const egc_exchange_type *type, egc_transport *transport,
                                 const egc_buf *pieces, egc_buf *blocks,
                                 egc_exchange_scratch *scratch, egc_error *err) EGC_MUST_CHECK;

#endif
