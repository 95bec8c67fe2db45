/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-reduce up and down a binomial tree: a reduction to rank 0, then a broadcast from there. With
 * b the lowest set bit of rank r (rank 0: the first power of two >= p):
 *
 *     reduce,     d = 1, 2, ... b/2:  add the vector of r + d, if there is such a rank
 *                 r > 0:              send to r - b
 *     broadcast,  r > 0:              copy the vector of r - b
 *                 d = b/2, ... 2, 1:  send to r + d, if there is such a rank
 *
 * The sum is made at one rank and then copied: all ranks hold the same bits. Of four ranks it is
 * (x0 + x1) + (x2 + x3). */
#include "exchange/reduction.h"

void egc_allreduce_binomial_tree_reduce(egc_call *call)
{
    int rank = call->rank, bit = egc_ranks_lowest_bit(rank, call->p);
    egc_slice whole = egc_reduction_whole(call);
    for (int d = 1; d < bit; d *= 2)
        if (rank + d < call->p)
            egc_reduction_receive(call, rank + d, whole, EGC_ARRIVAL_ADD);
    if (rank > 0)
        egc_reduction_send(call, rank - bit, whole);
}

void egc_allreduce_binomial_tree_broadcast(egc_call *call)
{
    int rank = call->rank, bit = egc_ranks_lowest_bit(rank, call->p);
    egc_slice whole = egc_reduction_whole(call);
    if (rank > 0)
        egc_reduction_receive(call, rank - bit, whole, EGC_ARRIVAL_COPY);
    for (int d = bit / 2; d > 0; d /= 2)
        if (rank + d < call->p)
            egc_reduction_send(call, rank + d, whole);
}

static void run(egc_call *call)
{
    egc_allreduce_binomial_tree_reduce(call);
    egc_allreduce_binomial_tree_broadcast(call);
}

/* Rank 0 receives, adds and sends on every level of the tree. */
static double closed_form(int p, double n, const egc_exchange_network *network)
{
    double message = network->alpha_s + n * network->beta_s;
    return egc_ranks_ceil_log2(p) * (2 * message + n * network->gamma_s);
}

const egc_exchange_type egc_exchange_allreduce_binomial_tree = {
    .name = "binomial-tree",
    .summary = "all-reduce by a reduction up a binomial tree and a broadcast down it",
    .cost = "ceil(log2 p) (2 alpha + 2 n beta + n gamma)",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .run = run,
    .closed_form = closed_form,
};
