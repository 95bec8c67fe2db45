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
static egc_slice chunk(const egc_reduction *r, int index, int parts)
{
    int p = r->transport->size;
    return egc_reduction_owned(r, (index + p) % p, parts);
}

/* p - 1 steps; in the first, chunk `first` leaves. */
static egc_status go_round(const egc_reduction *r, int first, egc_arrival how, int parts,
                           egc_error *err)
{
    int p = r->transport->size, rank = r->transport->rank;
    int next = (rank + 1) % p, previous = (rank + p - 1) % p;
    egc_status status = EGC_OK;
    for (int step = 0; step < p - 1 && !status; step++)
        status = egc_reduction_swap(r, next, chunk(r, first - step, parts), previous,
                                    chunk(r, first - step - 1, parts), how, err);
    return status;
}

egc_status egc_allreduce_ring_scatter(const egc_reduction *r, int parts, egc_error *err)
{
    return go_round(r, r->transport->rank, EGC_ARRIVAL_ADD, parts, err);
}

egc_status egc_allreduce_ring_gather(const egc_reduction *r, int parts, egc_error *err)
{
    return go_round(r, r->transport->rank + 1, EGC_ARRIVAL_COPY, parts, err);
}

static egc_status reduce(egc_transport *transport, egc_element element, void *data, size_t n,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    egc_reduction r = {"ring", transport, element, data, n, scratch};
    if (n == 0)
        return EGC_OK;
    egc_status status = egc_allreduce_ring_scatter(&r, transport->size, err);
    return status ? status : egc_allreduce_ring_gather(&r, transport->size, err);
}

static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    double share = (p - 1.0) / p;
    return n > 0 ? 2 * (p - 1) * alpha + 2 * share * n * beta + share * n * gamma : 0;
}

const egc_exchange_type egc_exchange_allreduce_ring = {
    .name = "ring",
    .summary = "all-reduce round a ring: reduce-scatter, then all-gather",
    .cost = "2(p-1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
    .reference = "Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of "
                 "workstations, 2009",
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .neighbours = true,
    .reduce = reduce,
    .closed_form = closed_form,
};
