/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ring all-reduce: a reduce-scatter, then an all-gather, each in p - 1 steps round the ring.
 *
 *     reduce-scatter, step s:  send chunk r - s     to r + 1, add chunk r - s - 1 from r - 1
 *     all-gather,     step s:  send chunk r + 1 - s to r + 1, copy chunk r - s    from r - 1
 *
 * The vector is cut into p chunks that differ by at most one element, some empty when n < p. A
 * chunk collects its sum in the order of the ring, starting at its own rank, and the finished sum
 * is then copied: all ranks hold the same bits. */
#include "exchange/reduction.h"

/* Chunk `index` modulo p, -p <= index < 2p. */
static egc_slice chunk(const egc_call *call, int index, int parts)
{
    return egc_reduction_owned(call, (index + call->p) % call->p, parts);
}

/* p - 1 steps; the first sends chunk `first`. */
static void go_round(egc_call *call, int first, egc_arrival how, int parts)
{
    int p = call->p, next = (call->rank + 1) % p, previous = (call->rank + p - 1) % p;
    for (int step = 0; step < p - 1; step++)
        egc_reduction_swap(call, next, chunk(call, first - step, parts), previous,
                           chunk(call, first - step - 1, parts), how);
}

void egc_allreduce_ring_scatter(egc_call *call, int parts)
{
    go_round(call, call->rank, EGC_ARRIVAL_ADD, parts);
}

void egc_allreduce_ring_gather(egc_call *call, int parts)
{
    go_round(call, call->rank + 1, EGC_ARRIVAL_COPY, parts);
}

static void run(egc_call *call)
{
    egc_allreduce_ring_scatter(call, call->p);
    egc_allreduce_ring_gather(call, call->p);
}

static double closed_form(int p, double n, const egc_exchange_network *network)
{
    double share = (p - 1.0) / p;
    return 2 * (p - 1) * network->alpha_s + 2 * share * n * network->beta_s +
           share * n * network->gamma_s;
}

const egc_exchange_type egc_exchange_allreduce_ring = {
    .name = "ring",
    .summary = "all-reduce round a ring: reduce-scatter, then all-gather",
    .cost = "2(p-1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
    .reference = "Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of "
                 "workstations, 2009",
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .neighbours = true,
    .run = run,
    .closed_form = closed_form,
};
