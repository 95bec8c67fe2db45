/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rank's part in one exchange, with the messages it sends and receives.
 *
 * The functions here return nothing: after the first error, which stays in `status` and `err`, they
 * do nothing. The exchange runs to its end and its caller checks once. Private to sim/exchange but
 * for egc_exchange_scratch. */
#ifndef EGC_EXCHANGE_CALL_H
#define EGC_EXCHANGE_CALL_H

#include "net/transport/transport.h"

/* Memory that a rank reuses from call to call. Zeroed is ready. */
typedef struct egc_exchange_scratch {
    int group; /* ranks of a group for exchanges of two levels, equal on all ranks, or 0:
                  egc_groups_choose */
    egc_buf in;
    egc_buf out;
    egc_buf sum;
    egc_buf spare;
    egc_buf trees; /* kept by allreduce_double_tree.c */
} egc_exchange_scratch;

void egc_exchange_scratch_fini(egc_exchange_scratch *scratch);

typedef struct egc_call {
    const char *name; /* the exchange, for error messages */
    egc_transport *transport;
    int p, rank; /* size and rank of the transport */
    egc_exchange_scratch *scratch;
    egc_status status;
    egc_error *err;

    egc_element element; /* ALLREDUCE: data[0..n) becomes the sum; not NULL unless size_only */
    char *data;
    size_t n;
    egc_buf *blocks;       /* ALLGATHER and ALLTOALL: p blocks, of which blocks[rank] is set */
    const egc_buf *pieces; /* ALLTOALL: p pieces */
    egc_buf *message;      /* BROADCAST, set on rank root */
    int root;
} egc_call;

/* The same call on another transport. Its status must be copied back. */
egc_call egc_call_on(const egc_call *call, egc_transport *transport);

/* Makes a buffer the message of `bytes` bytes at data; of that length without content if size_only.
 */
void egc_call_copy(egc_call *call, egc_buf *into, const void *data, size_t bytes);

/* Sends one message; receives one, which replaces the contents of `into`; both at once. */
void egc_call_send(egc_call *call, int to, const void *data, size_t bytes);
void egc_call_receive(egc_call *call, int from, egc_buf *into);
void egc_call_swap(egc_call *call, int to, const void *data, size_t bytes, int from, egc_buf *into);

#endif
