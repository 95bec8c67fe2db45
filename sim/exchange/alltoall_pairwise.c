/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Personalised all-to-all, one partner at a time, in p - 1 rounds:
 *
 *     round s:  send the piece for r + s to r + s, receive mine from r - s
 *
 * In each round every rank sends to one and receives from one, so that no link carries two
 * messages the same way. A message is one piece and nothing else, so pieces may have any lengths;
 * the longest paces each round. */
#include "exchange/blocks.h"

static egc_status scatter(egc_transport *transport, const egc_buf *pieces, egc_buf *blocks,
                          egc_exchange_scratch *scratch, egc_error *err)
{
    (void)scratch;
    int p = transport->size, rank = transport->rank;
    egc_status status =
        egc_blocks_begin(transport, pieces[rank].data, pieces[rank].len, blocks, err);
    for (int round = 1; round < p && !status; round++) {
        int to = (rank + round) % p, from = (rank + p - round) % p;
        status = egc_transport_sendrecv(transport, to, pieces[to].data, pieces[to].len, from,
                                        &blocks[from], err);
    }
    return status;
}

static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    (void)gamma;
    return (p - 1) * (alpha + n / p * beta);
}

const egc_exchange_type egc_exchange_alltoall_pairwise = {
    .name = "alltoall",
    .summary =
        "personalised all-to-all, one partner a round: every rank has a piece for every rank",
    .cost = "(p-1) alpha + (p-1)/p n beta, of equal pieces",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_COLLECTIVE_ALLTOALL,
    .scatter = scatter,
    .closed_form = closed_form,
};
