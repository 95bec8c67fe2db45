/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ring all-gather: in p - 1 steps every block travels once round the ring.
 *
 *     step s:  send block r - s to r + 1, receive block r - s - 1 from r - 1
 *
 * A message is one block and nothing else, so blocks may have any lengths; the longest paces
 * each step. */
#include "exchange/exchange.h"

static void run(egc_call *call)
{
    int p = call->p, rank = call->rank;
    for (int step = 0; step < p - 1; step++) {
        const egc_buf *out = &call->blocks[(rank - step + p) % p];
        egc_call_swap(call, (rank + 1) % p, out->data, out->len, (rank + p - 1) % p,
                      &call->blocks[(rank - step - 1 + p) % p]);
    }
}

static double closed_form(int p, double n, const egc_exchange_network *network)
{
    return (p - 1) * (network->alpha_s + n * network->beta_s);
}

const egc_exchange_type egc_exchange_allgather_ring = {
    .name = "allgather-ring",
    .summary = "all-gather round a ring: fewest bytes in flight, most steps",
    .cost = "(p-1) (alpha + n beta)",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_COLLECTIVE_ALLGATHER,
    .neighbours = true,
    .run = run,
    .closed_form = closed_form,
};
