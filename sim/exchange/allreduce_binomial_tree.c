/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-reduce up and down a binomial tree: a reduction to rank 0, then a broadcast from there. With
 * b the lowest set bit of rank r (rank 0: the first power of two >= p):
 *
 *     reduce,     d = 1, 2, ... b/2:  add what comes from r + d, if there is such a rank
 *                 r > 0:              send to r - b
 *     broadcast,  r > 0:              copy what comes from r - b
 *                 d = b/2, ... 2, 1:  send to r + d, if there is such a rank
 *
 * The sum is made at one rank and then copied: all ranks hold the same bits. Of four ranks it is
 * (x0 + x1) + (x2 + x3). */
#include "exchange/reduction.h"

egc_status egc_allreduce_binomial_tree_reduce(const egc_reduction *r, egc_error *err)
{
    int p = r->transport->size, rank = r->transport->rank, bit = egc_ranks_lowest_bit(rank, p);
    egc_status status = EGC_OK;
    for (int d = 1; d < bit && !status; d *= 2)
        if (rank + d < p)
            status =
                egc_reduction_receive(r, rank + d, egc_reduction_whole(r), EGC_ARRIVAL_ADD, err);
    if (!status && rank > 0)
        status = egc_reduction_send(r, rank - bit, egc_reduction_whole(r), err);
    return status;
}

egc_status egc_allreduce_binomial_tree_broadcast(const egc_reduction *r, egc_error *err)
{
    int p = r->transport->size, rank = r->transport->rank, bit = egc_ranks_lowest_bit(rank, p);
    egc_status status = EGC_OK;
    if (rank > 0)
        status =
            egc_reduction_receive(r, rank - bit, egc_reduction_whole(r), EGC_ARRIVAL_COPY, err);
    for (int d = bit / 2; d > 0 && !status; d /= 2)
        if (rank + d < p)
            status = egc_reduction_send(r, rank + d, egc_reduction_whole(r), err);
    return status;
}

static egc_status reduce(egc_transport *transport, egc_element element, void *data, size_t n,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    egc_reduction r = {"binomial-tree", transport, element, data, n, scratch};
    if (n == 0)
        return EGC_OK;
    egc_status status = egc_allreduce_binomial_tree_reduce(&r, err);
    return status ? status : egc_allreduce_binomial_tree_broadcast(&r, err);
}

/* Rank 0 receives, adds and sends in every round. */
static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    return n > 0 ? egc_ranks_ceil_log2(p) * (2 * (alpha + n * beta) + n * gamma) : 0;
}

const egc_exchange_type egc_exchange_allreduce_binomial_tree = {
    .name = "binomial-tree",
    .summary = "all-reduce by a reduction up a binomial tree and a broadcast down it",
    .cost = "ceil(log2 p) (2 alpha + 2 n beta + n gamma)",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .reduce = reduce,
    .closed_form = closed_form,
};
