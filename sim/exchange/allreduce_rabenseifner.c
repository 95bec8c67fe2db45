/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rabenseifner's all-reduce: a reduce-scatter by recursive halving, then an all-gather by recursive
 * doubling. In step d = 1, 2, 4, ... of the first, ranks r and r XOR d halve the range they share:
 * each sends one half and adds the other, so that a rank ends with the sum of one part in q. The
 * second undoes these steps in the reverse order. The longest messages travel between the nearest
 * ranks.
 *
 * With p between powers of two, some ranks fold in first: egc_reduction_fold_in. A part is summed
 * at one rank and then copied: all ranks hold the same bits. Of four ranks, rank 1 sums part 2: of
 * the second half, which it takes in step d = 1, the first. */
#include "exchange/reduction.h"

/* What `seat` holds of q parts after `steps` steps of halving. */
static egc_slice held(const egc_reduction *r, int seat, int steps)
{
    int q = egc_ranks_floor_power(r->transport->size), first = 0, count = q;
    for (int step = 0; step < steps; step++) {
        count /= 2;
        if (seat >> step & 1)
            first += count;
    }
    return egc_reduction_slice(r->n, first, first + count, q);
}

static egc_status halve_and_double(const egc_reduction *r, egc_error *err)
{
    int p = r->transport->size, seat = egc_ranks_seat_of(r->transport->rank, p);
    int steps = egc_ranks_ceil_log2(egc_ranks_floor_power(p));
    egc_status status = EGC_OK;
    for (int step = 0; step < steps && !status; step++) {
        int other = seat ^ 1 << step, partner = egc_ranks_at_seat(other, p);
        status = egc_reduction_swap(r, partner, held(r, other, step + 1), partner,
                                    held(r, seat, step + 1), EGC_ARRIVAL_ADD, err);
    }
    for (int step = steps - 1; step >= 0 && !status; step--) {
        int other = seat ^ 1 << step, partner = egc_ranks_at_seat(other, p);
        status = egc_reduction_swap(r, partner, held(r, seat, step + 1), partner,
                                    held(r, other, step + 1), EGC_ARRIVAL_COPY, err);
    }
    return status;
}

static egc_status reduce(egc_transport *transport, egc_element element, void *data, size_t n,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    egc_reduction r = {"rabenseifner", transport, element, data, n, scratch};
    if (n == 0)
        return EGC_OK;
    egc_status status = egc_reduction_fold_in(&r, err);
    if (!status && egc_ranks_seat_of(transport->rank, transport->size) != EGC_NO_SEAT)
        status = halve_and_double(&r, err);
    return status ? status : egc_reduction_fold_out(&r, err);
}

static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    int q = egc_ranks_floor_power(p);
    double share = (q - 1.0) / q;
    return n > 0 ? 2 * egc_ranks_ceil_log2(q) * alpha + share * n * (2 * beta + gamma) +
                       egc_ranks_fold_cost(p, n, alpha, beta, gamma)
                 : 0;
}

const egc_exchange_type egc_exchange_allreduce_rabenseifner = {
    .name = "rabenseifner",
    .summary = "all-reduce by halving, then doubling: few steps and few bytes for powers of two",
    .cost = "q = 2^L, the largest power of two <= p: 2L alpha + 2(q-1)/q n beta + (q-1)/q n gamma; "
            "p > q: 2 (alpha + n beta) + n gamma more",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005; Rabenseifner, 2004",
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .reduce = reduce,
    .closed_form = closed_form,
};
