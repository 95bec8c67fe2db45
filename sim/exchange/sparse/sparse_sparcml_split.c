/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SparCML's all-reduce by splitting: each rank sums one part of p, to which all others send theirs
 * directly, and the sums are all-gathered. Where a summed part is shorter dense, the caller's sum
 * makes it so: SSAR_Split_allgather becomes DSAR_Split_allgather.
 *
 * A part is summed at one rank: all ranks hold the same bytes. */
#include "exchange/sparse_steps.h"

static egc_status reduce(const egc_sparse_call *given, const egc_buf *mine, egc_error *err)
{
    egc_sparse_steps s = egc_sparse_steps_begin(given, "sparcml-split", err);
    egc_sparse_steps_split(&s, mine);
    egc_sparse_steps_gather(&s, given->scratch->sum.data, given->scratch->sum.len);
    return s.call.status;
}

static double closed_form(int p, double n, bool disjoint, double alpha, double beta)
{
    double share = (p - 1.0) / p;
    return (p - 1 + egc_ranks_ceil_log2(p)) * alpha +
           (share + (disjoint ? p - 1 : share)) * n * beta;
}

const egc_sparse_type egc_sparse_sparcml_split = {
    .name = "sparcml-split",
    .summary = "sums one part at each rank, and gathers the parts",
    .cost = "(p-1+L) alpha + 2(p-1)/p n beta, disjoint (p-1)(p+1)/p n beta",
    .reference = "Renggli et al., SparCML: high-performance sparse communication for machine "
                 "learning, 2019, arXiv 1802.08021 (SSAR_ and DSAR_Split_allgather)",
    .cuts = true,
    .many = true,
    .reduce = reduce,
    .closed_form = closed_form,
};
