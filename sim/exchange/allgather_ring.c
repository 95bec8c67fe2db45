/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ring all-gather: in p - 1 steps every block travels once round the ring.
 *
 *     step s:  send block r - s to r + 1, receive block r - s - 1 from r - 1
 *
 * A message is one block and nothing else, so blocks may have any lengths; the longest paces
 * each step. */
#include "exchange/blocks.h"

static egc_status gather(egc_transport *transport, const void *mine, size_t bytes, egc_buf *blocks,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    (void)scratch;
    int p = transport->size, rank = transport->rank;
    int next = (rank + 1) % p, previous = (rank + p - 1) % p;
    egc_status status = egc_blocks_begin(transport, mine, bytes, blocks, err);
    for (int step = 0; step < p - 1 && !status; step++) {
        const egc_buf *out = &blocks[(rank - step + p) % p];
        egc_buf *in = &blocks[(rank - step - 1 + p) % p];
        status = egc_transport_sendrecv(transport, next, out->data, out->len, previous, in, err);
    }
    return status;
}

static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    (void)gamma;
    return (p - 1) * (alpha + n * beta);
}

const egc_exchange_type egc_exchange_allgather_ring = {
    .name = "allgather-ring",
    .summary = "all-gather round a ring: fewest bytes in flight, most steps",
    .cost = "(p-1) (alpha + n beta)",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_COLLECTIVE_ALLGATHER,
    .neighbours = true,
    .gather = gather,
    .closed_form = closed_form,
};
