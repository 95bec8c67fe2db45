/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-reduce by recursive doubling: in step d = 1, 2, 4, ... ranks r and r XOR d exchange all of
 * their sums so far and add, so that what a sum covers doubles. With p between powers of two, some
 * ranks fold in first: egc_reduction_fold_in.
 *
 * Both partners add the same two numbers, mine + theirs at one and theirs + mine at the other,
 * which IEEE arithmetic rounds alike: all ranks hold the same bits (of a NaN, maybe other ones).
 * Of four ranks: (x0 + x1) + (x2 + x3) everywhere. */
#include "exchange/reduction.h"

static egc_status double_up(const egc_reduction *r, egc_error *err)
{
    int p = r->transport->size, seats = egc_ranks_floor_power(p);
    int seat = egc_ranks_seat_of(r->transport->rank, p);
    egc_status status = EGC_OK;
    for (int d = 1; d < seats && !status; d *= 2) {
        int partner = egc_ranks_at_seat(seat ^ d, p);
        status = egc_reduction_swap(r, partner, egc_reduction_whole(r), partner,
                                    egc_reduction_whole(r), EGC_ARRIVAL_ADD, err);
    }
    return status;
}

egc_status egc_allreduce_recursive_doubling_run(const egc_reduction *r, egc_error *err)
{
    egc_status status = egc_reduction_fold_in(r, err);
    if (!status && egc_ranks_seat_of(r->transport->rank, r->transport->size) != EGC_NO_SEAT)
        status = double_up(r, err);
    return status ? status : egc_reduction_fold_out(r, err);
}

static egc_status reduce(egc_transport *transport, egc_element element, void *data, size_t n,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    egc_reduction r = {"recursive-doubling", transport, element, data, n, scratch};
    return n == 0 ? EGC_OK : egc_allreduce_recursive_doubling_run(&r, err);
}

double egc_allreduce_recursive_doubling_cost(int p, double n, double alpha, double beta,
                                             double gamma)
{
    int rounds = egc_ranks_ceil_log2(egc_ranks_floor_power(p));
    return rounds * (alpha + n * (beta + gamma)) + egc_ranks_fold_cost(p, n, alpha, beta, gamma);
}

static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    return n > 0 ? egc_allreduce_recursive_doubling_cost(p, n, alpha, beta, gamma) : 0;
}

const egc_exchange_type egc_exchange_allreduce_recursive_doubling = {
    .name = "recursive-doubling",
    .summary = "all-reduce of whole vectors in log2 p steps: best for short vectors",
    .cost = "q = 2^L, the largest power of two <= p: L (alpha + n beta + n gamma); "
            "p > q: 2 (alpha + n beta) + n gamma more",
    .reference = "Thakur, Rabenseifner, Gropp, Optimization of collective communication "
                 "operations in MPICH, 2005",
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .reduce = reduce,
    .closed_form = closed_form,
};
