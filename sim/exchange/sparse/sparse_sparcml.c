/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SparCML's all-reduce by recursive doubling: in step d = 1, 2, 4, ... ranks r and r XOR d exchange
 * their sums so far and add. Messages grow as supports fill in; the caller's sum may switch to
 * dense. With p between powers of two, some ranks fold in first, as in recursive_doubling.c.
 *
 * Both partners add the sum of the lower seat and that of the higher in this order: all ranks hold
 * the same bytes. */
#include "exchange/sparse_steps.h"

static egc_status reduce(const egc_sparse_call *given, const egc_buf *mine, egc_error *err)
{
    egc_sparse_steps s = egc_sparse_steps_begin(given, "sparcml", err);
    egc_buf *sum = &given->results[0], *in = &given->scratch->in;
    int p = s.call.p, rank = s.call.rank, seat = egc_ranks_seat_of(rank, p);
    bool speaks_for_two = seat != EGC_NO_SEAT && egc_ranks_folds(rank, p);
    egc_call_copy(&s.call, sum, mine->data, mine->len);
    if (speaks_for_two) {
        egc_call_receive(&s.call, rank - 1, in);
        egc_sparse_steps_add(&s, sum, in, true);
    }
    for (int d = 1; d < egc_ranks_floor_power(p) && seat != EGC_NO_SEAT; d *= 2) {
        int partner = egc_ranks_at_seat(seat ^ d, p);
        egc_call_swap(&s.call, partner, sum->data, sum->len, partner, in);
        egc_sparse_steps_add(&s, sum, in, (seat & d) != 0);
    }
    if (speaks_for_two)
        egc_call_send(&s.call, rank - 1, sum->data, sum->len);
    if (seat == EGC_NO_SEAT) {
        egc_call_send(&s.call, rank + 1, mine->data, mine->len);
        egc_call_receive(&s.call, rank + 1, sum);
    }
    return s.call.status;
}

/* The path through seat 0, which speaks for two whenever any does. */
static double closed_form(int p, double n, bool disjoint, double alpha, double beta)
{
    int q = egc_ranks_floor_power(p), folded = p - q;
    double seconds = folded ? 2 * alpha + (n + (disjoint ? p : 1) * n) * beta : 0;
    for (int d = 1; d < q; d *= 2) {
        int covered = d + (folded < d ? folded : d); /* ranks in a sum of d seats, at most */
        seconds += alpha + (disjoint ? covered : 1) * n * beta;
    }
    return seconds;
}

const egc_sparse_type egc_sparse_sparcml = {
    .name = "sparcml",
    .summary = "sums by recursive doubling, of messages that grow as they fill in",
    .cost = "p = 2^L: L (alpha + n beta), disjoint L alpha + (p-1) n beta; otherwise, with e = p - "
            "2^L: 2 (alpha + n beta) more, disjoint (L+2) alpha + (p + 1 + sum over d = 1, 2, 4 "
            "... < 2^L of d + min(d, e)) n beta",
    .reference = "Renggli et al., SparCML: high-performance sparse communication for machine "
                 "learning, 2019, arXiv 1802.08021 (SSAR_Recursive_double)",
    .reduce = reduce,
    .closed_form = closed_form,
};
