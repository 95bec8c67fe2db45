/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-reduce by recursive doubling: in step d = 1, 2, 4, ... ranks r and r XOR d exchange all of
 * their sums so far and add, so that a sum covers twice as many ranks afterwards. With p between
 * powers of two, some ranks fold in first: exchange/ranks.h.
 *
 * Both partners add the same two numbers, mine + theirs at one and theirs + mine at the other,
 * which IEEE arithmetic rounds alike: all ranks hold the same bits (of a NaN, maybe other ones).
 * Of four ranks: (x0 + x1) + (x2 + x3) everywhere. */
#include "exchange/reduction.h"

void egc_allreduce_recursive_doubling_run(egc_call *call)
{
    int p = call->p, seats = egc_ranks_floor_power(p), seat = egc_ranks_seat_of(call->rank, p);
    egc_slice whole = egc_reduction_whole(call);
    egc_reduction_fold_in(call);
    for (int d = 1; d < seats && seat != EGC_NO_SEAT; d *= 2) {
        int partner = egc_ranks_at_seat(seat ^ d, p);
        egc_reduction_swap(call, partner, whole, partner, whole, EGC_ARRIVAL_ADD);
    }
    egc_reduction_fold_out(call);
}

double egc_allreduce_recursive_doubling_cost(int p, double n, double alpha, double beta,
                                             double gamma)
{
    int steps = egc_ranks_ceil_log2(egc_ranks_floor_power(p));
    return steps * (alpha + n * (beta + gamma)) + egc_reduction_fold_cost(p, n, alpha, beta, gamma);
}

static double closed_form(int p, double n, const egc_exchange_network *network)
{
    return egc_allreduce_recursive_doubling_cost(p, n, network->alpha_s, network->beta_s,
                                                 network->gamma_s);
}

const egc_exchange_type egc_exchange_allreduce_recursive_doubling = {
    .name = "recursive-doubling",
    .summary = "all-reduce of whole vectors in log2 p steps: best for short vectors",
    .cost = "q = 2^L, the largest power of two <= p: L (alpha + n beta + n gamma); "
            "p > q: 2 (alpha + n beta) + n gamma more",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .run = egc_allreduce_recursive_doubling_run,
    .closed_form = closed_form,
};
