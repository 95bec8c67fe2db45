/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gTop-k: sparse messages are merged up a binomial tree, and after each merge only the k largest
 * elements of the sum are kept; the root broadcasts the result. With b the lowest set bit of rank
 * r (rank 0: the first power of two >= p):
 *
 *     d = 1, 2, ... b/2:  m = keep(m + message of r + d), if there is such a rank
 *     r > 0:              send m to r - b
 *
 * and then broadcast_tree.c, down the same tree.
 *
 * The kept elements depend on the order of merging: this tree is part of the definition. The
 * authors' code needs a power of two of ranks, and sends an index as a float, which is not exact
 * above 2^24; here p may be any number, and the caller encodes indices.
 *
 * Known answer, two kept of x0 = {0: 4, 1: 3}, x1 = {1: -3, 2: 2}, x2 = {2: 2, 3: 1}: rank 0 first
 * keeps {0: 4, 2: 2}, with x2 then {0: 4, 2: 4}. */
#include "exchange/sparse_steps.h"

extern const egc_exchange_type egc_exchange_broadcast_tree;

static egc_status reduce(const egc_sparse_call *given, const egc_buf *mine, egc_error *err)
{
    egc_sparse_steps s = egc_sparse_steps_begin(given, "gtopk", err);
    egc_exchange_scratch *scratch = given->scratch;
    egc_buf *kept = &given->results[0];
    int rank = s.call.rank, bit = egc_ranks_lowest_bit(rank, s.call.p);
    egc_call_copy(&s.call, kept, mine->data, mine->len);
    for (int d = 1; d < bit; d *= 2) {
        if (rank + d >= s.call.p)
            continue;
        egc_call_receive(&s.call, rank + d, &scratch->in);
        egc_sparse_steps_sum(&s, kept, &scratch->in, &scratch->sum);
        egc_sparse_steps_keep(&s, &scratch->sum, kept);
    }
    if (rank > 0)
        egc_call_send(&s.call, rank - bit, kept->data, kept->len);
    if (s.call.status)
        return s.call.status;
    return egc_exchange_broadcast(&egc_exchange_broadcast_tree, given->transport, 0, kept, scratch,
                                  err);
}

static double closed_form(int p, double n, bool disjoint, double alpha, double beta)
{
    (void)disjoint;
    return 2 * egc_ranks_ceil_log2(p) * (alpha + n * beta);
}

const egc_sparse_type egc_sparse_gtopk = {
    .name = "gtopk",
    .summary = "sums up a binomial tree, keeping the largest elements after each sum",
    .cost = "2L (alpha + n beta)",
    .reference = "Shi et al., A distributed synchronous SGD algorithm with global top-k "
                 "sparsification for low bandwidth networks, 2019, arXiv 1901.04359",
    .keeps = true,
    .reduce = reduce,
    .closed_form = closed_form,
};
