/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rabenseifner's all-reduce: a reduce-scatter by recursive halving, then an all-gather by recursive
 * doubling. In step d = 1, 2, 4, ... of the first, ranks r and r XOR d halve the range they share:
 * each sends one half and adds the other, so that a rank ends with the sum of one part in q. The
 * second undoes these steps in the reverse order. The longest messages travel between the nearest
 * ranks.
 *
 * With p between powers of two, some ranks fold in first: exchange/ranks.h. A part is summed
 * at one rank and then copied: all ranks hold the same bits. Of four ranks, rank 1 sums part 2: of
 * the second half, which it takes in step d = 1, the first. */
#include "exchange/reduction.h"

/* The slice that `seat` holds of q parts after `steps` steps of halving. */
static egc_slice held(const egc_call *call, int seat, int steps)
{
    int q = egc_ranks_floor_power(call->p), first = 0, count = q;
    for (int step = 0; step < steps; step++) {
        count /= 2;
        if (seat >> step & 1)
            first += count;
    }
    return egc_reduction_slice(call->n, first, first + count, q);
}

static void halve_and_double(egc_call *call)
{
    int p = call->p, seat = egc_ranks_seat_of(call->rank, p);
    int steps = egc_ranks_ceil_log2(egc_ranks_floor_power(p));
    for (int step = 0; step < steps; step++) {
        int other = seat ^ 1 << step, partner = egc_ranks_at_seat(other, p);
        egc_reduction_swap(call, partner, held(call, other, step + 1), partner,
                           held(call, seat, step + 1), EGC_ARRIVAL_ADD);
    }
    for (int step = steps - 1; step >= 0; step--) {
        int other = seat ^ 1 << step, partner = egc_ranks_at_seat(other, p);
        egc_reduction_swap(call, partner, held(call, seat, step + 1), partner,
                           held(call, other, step + 1), EGC_ARRIVAL_COPY);
    }
}

static void run(egc_call *call)
{
    egc_reduction_fold_in(call);
    if (egc_ranks_seat_of(call->rank, call->p) != EGC_NO_SEAT)
        halve_and_double(call);
    egc_reduction_fold_out(call);
}

static double closed_form(int p, double n, const egc_exchange_network *network)
{
    double alpha = network->alpha_s, beta = network->beta_s, gamma = network->gamma_s;
    int q = egc_ranks_floor_power(p);
    double share = (q - 1.0) / q;
    return 2 * egc_ranks_ceil_log2(q) * alpha + share * n * (2 * beta + gamma) +
           egc_reduction_fold_cost(p, n, alpha, beta, gamma);
}

const egc_exchange_type egc_exchange_allreduce_rabenseifner = {
    .name = "rabenseifner",
    .summary = "all-reduce by halving, then doubling: few steps and few bytes for powers of two",
    .cost = "q = 2^L, the largest power of two <= p: 2L alpha + 2(q-1)/q n beta + (q-1)/q n gamma; "
            "p > q: 2 (alpha + n beta) + n gamma more",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005; Rabenseifner, 2004",
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .run = run,
    .closed_form = closed_form,
};
