/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slices are cut so that all ranks compute the same boundaries; sums are made in place. */
#include "exchange/reduction.h"

#include <string.h>

/* ---- slices --------------------------------------------------------------------------------- */

static size_t start_of(size_t n, size_t part, size_t parts)
{
    size_t small = n / parts, larger = n % parts; /* the first `larger` parts have one more */
    return part * small + (part < larger ? part : larger);
}

egc_slice egc_reduction_slice(size_t n, int first, int end, int parts)
{
    size_t start = start_of(n, (size_t)first, (size_t)parts);
    return (egc_slice){start, start_of(n, (size_t)end, (size_t)parts) - start};
}

egc_slice egc_reduction_whole(const egc_call *call)
{
    return (egc_slice){0, call->n};
}

static int first_owned(int rank, int p, int parts)
{
    return (int)(((int64_t)rank * parts + p - 1) / p);
}

egc_slice egc_reduction_owned(const egc_call *call, int rank, int parts)
{
    return egc_reduction_slice(call->n, first_owned(rank, call->p, parts),
                               first_owned(rank + 1, call->p, parts), parts);
}

int egc_reduction_owner(int part, int p, int parts)
{
    return (int)((int64_t)part * p / parts);
}

static char *at(const egc_call *call, egc_slice slice)
{
    bool moves = slice.count && !call->transport->size_only;
    return moves ? call->data + slice.first * egc_element_bytes(call->element) : call->data;
}

static size_t bytes_of(const egc_call *call, egc_slice slice)
{
    return slice.count * egc_element_bytes(call->element);
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Adds or copies scratch->in. */
static void use(egc_call *call, int from, egc_slice in, egc_arrival how)
{
    const egc_buf *arrived = &call->scratch->in;
    if (call->status)
        return;
    if (arrived->len != bytes_of(call, in))
        call->status = egc_fail(call->err, EGC_ERROR_FORMAT,
                                "%s: rank %d sent %zu bytes to rank %d, which expects %zu",
                                call->name, from, arrived->len, call->rank, bytes_of(call, in));
    else if (in.count && how == EGC_ARRIVAL_ADD)
        egc_transport_reduce(call->transport, call->element, at(call, in), arrived->data, in.count);
    else if (in.count && !call->transport->size_only)
        memcpy(at(call, in), arrived->data, arrived->len);
}

void egc_reduction_send(egc_call *call, int to, egc_slice out)
{
    egc_call_send(call, to, at(call, out), bytes_of(call, out));
}

void egc_reduction_receive(egc_call *call, int from, egc_slice in, egc_arrival how)
{
    egc_call_receive(call, from, &call->scratch->in);
    use(call, from, in, how);
}

void egc_reduction_swap(egc_call *call, int to, egc_slice out, int from, egc_slice in,
                        egc_arrival how)
{
    egc_call_swap(call, to, at(call, out), bytes_of(call, out), from, &call->scratch->in);
    use(call, from, in, how);
}

/* ---- folding -------------------------------------------------------------------------------- */

void egc_reduction_fold_in(egc_call *call)
{
    egc_slice whole = egc_reduction_whole(call);
    if (!egc_ranks_folds(call->rank, call->p))
        return;
    if (call->rank % 2 == 0)
        egc_reduction_send(call, call->rank + 1, whole);
    else
        egc_reduction_receive(call, call->rank - 1, whole, EGC_ARRIVAL_ADD);
}

void egc_reduction_fold_out(egc_call *call)
{
    egc_slice whole = egc_reduction_whole(call);
    if (!egc_ranks_folds(call->rank, call->p))
        return;
    if (call->rank % 2 == 0)
        egc_reduction_receive(call, call->rank + 1, whole, EGC_ARRIVAL_COPY);
    else
        egc_reduction_send(call, call->rank - 1, whole);
}

double egc_reduction_fold_cost(int p, double n, double alpha, double beta, double gamma)
{
    return p == egc_ranks_floor_power(p) ? 0 : 2 * (alpha + n * beta) + n * gamma;
}
