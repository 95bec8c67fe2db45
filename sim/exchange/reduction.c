/* SPDX-License-Identifier: GPL-3.0-or-later */
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

egc_slice egc_reduction_whole(const egc_reduction *r)
{
    return (egc_slice){0, r->n};
}

static int first_owned(int rank, int p, int parts)
{
    return (int)(((int64_t)rank * parts + p - 1) / p);
}

egc_slice egc_reduction_owned(const egc_reduction *r, int rank, int parts)
{
    int p = r->transport->size;
    return egc_reduction_slice(r->n, first_owned(rank, p, parts), first_owned(rank + 1, p, parts),
                               parts);
}

int egc_reduction_owner(int part, int p, int parts)
{
    return (int)((int64_t)part * p / parts);
}

static char *at(const egc_reduction *r, egc_slice slice)
{
    bool moves = slice.count && !r->transport->size_only;
    return moves ? r->data + slice.first * egc_element_bytes(r->element) : r->data;
}

static size_t bytes_of(const egc_reduction *r, egc_slice slice)
{
    return slice.count * egc_element_bytes(r->element);
}

/* ---- moving them ---------------------------------------------------------------------------- */

/* Of scratch->in. */
static egc_status take(const egc_reduction *r, int from, egc_slice in, egc_arrival how,
                       egc_error *err)
{
    const egc_buf *arrived = &r->scratch->in;
    if (arrived->len != bytes_of(r, in))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: rank %d sent %zu bytes to rank %d, which expects %zu", r->name, from,
                        arrived->len, r->transport->rank, bytes_of(r, in));
    if (!in.count)
        return EGC_OK;
    if (how == EGC_ARRIVAL_ADD)
        egc_transport_reduce(r->transport, r->element, at(r, in), arrived->data, in.count);
    else if (!r->transport->size_only)
        memcpy(at(r, in), arrived->data, arrived->len);
    return EGC_OK;
}

egc_status egc_reduction_send(const egc_reduction *r, int to, egc_slice out, egc_error *err)
{
    return egc_transport_send(r->transport, to, at(r, out), bytes_of(r, out), err);
}

egc_status egc_reduction_receive(const egc_reduction *r, int from, egc_slice in, egc_arrival how,
                                 egc_error *err)
{
    egc_status status = egc_transport_receive(r->transport, from, &r->scratch->in, err);
    return status ? status : take(r, from, in, how, err);
}

egc_status egc_reduction_swap(const egc_reduction *r, int to, egc_slice out, int from, egc_slice in,
                              egc_arrival how, egc_error *err)
{
    egc_status status = egc_transport_sendrecv(r->transport, to, at(r, out), bytes_of(r, out), from,
                                               &r->scratch->in, err);
    return status ? status : take(r, from, in, how, err);
}

/* ---- ranks ---------------------------------------------------------------------------------- */

int egc_ranks_floor_power(int p)
{
    int power = 1;
    while (power <= p / 2)
        power *= 2;
    return power;
}

int egc_ranks_ceil_log2(int p)
{
    int rounds = 0;
    for (int reached = 1; reached < p; reached *= 2)
        rounds++;
    return rounds;
}

int egc_ranks_lowest_bit(int v, int p)
{
    int bit = 1;
    while (bit < p && !(v & bit))
        bit *= 2;
    return bit;
}

int egc_ranks_seat_of(int rank, int p)
{
    int folded = p - egc_ranks_floor_power(p);
    if (rank >= 2 * folded)
        return rank - folded;
    return rank % 2 ? rank / 2 : EGC_NO_SEAT;
}

int egc_ranks_at_seat(int seat, int p)
{
    int folded = p - egc_ranks_floor_power(p);
    return seat < folded ? 2 * seat + 1 : seat + folded;
}

bool egc_ranks_folds(int rank, int p)
{
    return rank < 2 * (p - egc_ranks_floor_power(p));
}

egc_status egc_reduction_fold_in(const egc_reduction *r, egc_error *err)
{
    int rank = r->transport->rank;
    if (!egc_ranks_folds(rank, r->transport->size))
        return EGC_OK;
    if (rank % 2 == 0)
        return egc_reduction_send(r, rank + 1, egc_reduction_whole(r), err);
    return egc_reduction_receive(r, rank - 1, egc_reduction_whole(r), EGC_ARRIVAL_ADD, err);
}

egc_status egc_reduction_fold_out(const egc_reduction *r, egc_error *err)
{
    int rank = r->transport->rank;
    if (!egc_ranks_folds(rank, r->transport->size))
        return EGC_OK;
    if (rank % 2 == 0)
        return egc_reduction_receive(r, rank + 1, egc_reduction_whole(r), EGC_ARRIVAL_COPY, err);
    return egc_reduction_send(r, rank - 1, egc_reduction_whole(r), err);
}

double egc_ranks_fold_cost(int p, double n, double alpha, double beta, double gamma)
{
    return p == egc_ranks_floor_power(p) ? 0 : 2 * (alpha + n * beta) + n * gamma;
}
