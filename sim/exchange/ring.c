/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ring all-reduce: a reduce-scatter, then an all-gather, each in p - 1 steps round the ring.
 *
 *     reduce-scatter, step s:  send chunk r - s     to r + 1, add chunk r - s - 1 from r - 1
 *     all-gather,     step s:  send chunk r + 1 - s to r + 1, copy chunk r - s    from r - 1
 *
 * The vector is cut into p chunks that differ by at most one element, some empty when n < p. A
 * chunk collects its sum in the order of the ring, starting at its own rank, and the finished sum
 * is then copied: all ranks hold the same bits. */
#include <string.h>

#include "exchange/exchange.h"

typedef struct chunk {
    char *data;
    size_t bytes;
} chunk;

/* Chunk `index` modulo p, -p <= index < 2p. */
static chunk chunk_at(char *data, size_t element_bytes, size_t n, int p, int index)
{
    size_t i = (size_t)((index + p) % p), parts = (size_t)p;
    size_t small = n / parts, larger = n % parts; /* the first `larger` chunks have one more */
    size_t start = i * small + (i < larger ? i : larger);
    return (chunk){data + start * element_bytes, (small + (i < larger)) * element_bytes};
}

/* Sends one chunk on and leaves the chunk that comes in, as long as `in`, in scratch->in. */
static egc_status pass(egc_transport *transport, chunk out, chunk in, egc_exchange_scratch *scratch,
                       egc_error *err)
{
    int p = transport->size, rank = transport->rank;
    int next = (rank + 1) % p, previous = (rank + p - 1) % p;
    egc_status status =
        egc_sendrecv(transport, next, out.data, out.bytes, previous, &scratch->in, err);
    if (status)
        return status;
    if (scratch->in.len != in.bytes)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "ring: rank %d sent %zu bytes to rank %d, which expects %zu", previous,
                        scratch->in.len, rank, in.bytes);
    return EGC_OK;
}

static egc_status reduce(egc_transport *transport, egc_element element, void *data, size_t n,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    size_t size = egc_element_bytes(element);
    int p = transport->size, rank = transport->rank;
    if (n == 0)
        return EGC_OK;
    for (int step = 0; step < p - 1; step++) {
        chunk out = chunk_at(data, size, n, p, rank - step);
        chunk in = chunk_at(data, size, n, p, rank - step - 1);
        egc_status status = pass(transport, out, in, scratch, err);
        if (status)
            return status;
        egc_reduce(transport, element, in.data, scratch->in.data, in.bytes / size);
    }
    for (int step = 0; step < p - 1; step++) {
        chunk out = chunk_at(data, size, n, p, rank + 1 - step);
        chunk in = chunk_at(data, size, n, p, rank - step);
        egc_status status = pass(transport, out, in, scratch, err);
        if (status)
            return status;
        if (in.bytes)
            memcpy(in.data, scratch->in.data, in.bytes);
    }
    return EGC_OK;
}

static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    double share = (p - 1.0) / p;
    return n > 0 ? 2 * (p - 1) * alpha + 2 * share * n * beta + share * n * gamma : 0;
}

const egc_exchange_type egc_exchange_ring = {
    .name = "ring",
    .summary = "all-reduce round a ring: reduce-scatter, then all-gather",
    .cost = "2(p-1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
    .reference = "Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of "
                 "workstations, 2009",
    .kind = EGC_EXCHANGE_REDUCE,
    .reduce = reduce,
    .closed_form = closed_form,
};
