/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Personalised all-to-all, one partner at a time, in p - 1 steps:
 *
 *     step s:  send the piece for r + s to r + s, receive mine from r - s
 *
 * In each step every rank sends to one and receives from one, so that no link carries two messages
 * the same way. A message is one piece and nothing else, so pieces may have any lengths; the
 * longest one determines the time of each step. */
#include "exchange/exchange.h"

static void run(egc_call *call)
{
    int p = call->p, rank = call->rank;
    for (int step = 1; step < p; step++) {
        int to = (rank + step) % p, from = (rank + p - step) % p;
        egc_call_swap(call, to, call->pieces[to].data, call->pieces[to].len, from,
                      &call->blocks[from]);
    }
}

static double closed_form(int p, double n, const egc_exchange_network *network)
{
    return (p - 1) * (network->alpha_s + n / p * network->beta_s);
}

const egc_exchange_type egc_exchange_alltoall_pairwise = {
    .name = "alltoall",
    .summary = "personalised all-to-all, one partner a step: every rank has a piece for every rank",
    .cost = "(p-1) alpha + (p-1)/p n beta, of equal pieces",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_COLLECTIVE_ALLTOALL,
    .run = run,
    .closed_form = closed_form,
};
