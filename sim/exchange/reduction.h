/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ALLREDUCE exchanges are made of: slices of a vector that are sent, added and copied, and the
 * halves of all-reduces that others are composed of. Private to sim/exchange. */
#ifndef EGC_EXCHANGE_REDUCTION_H
#define EGC_EXCHANGE_REDUCTION_H

#include "exchange/exchange.h"

/* One call: the arguments of `reduce`, and whose they are, for messages. */
typedef struct egc_reduction {
    const char *name;
    egc_transport *transport;
    egc_element element;
    char *data;
    size_t n;
    egc_exchange_scratch *scratch;
} egc_reduction;

/* A range of elements. */
typedef struct egc_slice {
    size_t first;
    size_t count;
} egc_slice;

/* Of n elements in `parts` parts whose lengths differ by at most one, longer ones first: the parts
 * from `first` to before `end`. */
egc_slice egc_reduction_slice(size_t n, int first, int end, int parts);

/* All of them. */
egc_slice egc_reduction_whole(const egc_reduction *r);

/* What to do with the slice that comes in. Sums are kept in place: mine + theirs. */
typedef enum egc_arrival {
    EGC_ARRIVAL_ADD,
    EGC_ARRIVAL_COPY,
} egc_arrival;

egc_status egc_reduction_send(const egc_reduction *r, int to, egc_slice out,
                              egc_error *err) EGC_MUST_CHECK;

/* FORMAT when what comes is not as long as `in`. */
egc_status egc_reduction_receive(const egc_reduction *r, int from, egc_slice in, egc_arrival how,
                                 egc_error *err) EGC_MUST_CHECK;

/* Both at once. `out` is not changed before it has left. */
egc_status egc_reduction_swap(const egc_reduction *r, int to, egc_slice out, int from, egc_slice in,
                              egc_arrival how, egc_error *err) EGC_MUST_CHECK;

/* ---- ranks ---------------------------------------------------------------------------------- */

int egc_ranks_floor_power(int p);       /* the largest power of two <= p */
int egc_ranks_ceil_log2(int p);         /* ceil(log2 p) */
int egc_ranks_lowest_bit(int v, int p); /* of v; of 0: the first power of two >= p */

/* For algorithms that need a power of two of ranks, q: of the first 2(p - q) ranks, each even one
 * gives its vector to the next one, takes no further part, and gets the result. The others have
 * seats 0 ... q - 1 in the order of ranks. */
enum { EGC_NO_SEAT = -1 };
int egc_ranks_seat_of(int rank, int p); /* EGC_NO_SEAT for the ranks that give theirs away */
int egc_ranks_at_seat(int seat, int p);
bool egc_ranks_folds(int rank, int p); /* gives its vector away, or is given one */
egc_status egc_reduction_fold_in(const egc_reduction *r, egc_error *err) EGC_MUST_CHECK;
egc_status egc_reduction_fold_out(const egc_reduction *r, egc_error *err) EGC_MUST_CHECK;

/* What folding adds to a closed form: nothing for powers of two. */
double egc_ranks_fold_cost(int p, double n, double alpha, double beta, double gamma);

/* ---- halves of all-reduces ------------------------------------------------------------------ */

/* Rank m of the transport owns some of `parts` parts, as many as there are ranks or more: those
 * from ceil(m parts / p) to before ceil((m + 1) parts / p). */
egc_slice egc_reduction_owned(const egc_reduction *r, int rank, int parts);

/* Which of p ranks owns `part`. */
int egc_reduction_owner(int part, int p, int parts);

/* ring.c: sums what rank r owns at rank r - 1, and copies all from there. */
egc_status egc_allreduce_ring_scatter(const egc_reduction *r, int parts,
                                      egc_error *err) EGC_MUST_CHECK;
egc_status egc_allreduce_ring_gather(const egc_reduction *r, int parts,
                                     egc_error *err) EGC_MUST_CHECK;

/* binomial_tree.c: sums all at rank 0, and copies all from there. */
egc_status egc_allreduce_binomial_tree_reduce(const egc_reduction *r,
                                              egc_error *err) EGC_MUST_CHECK;
egc_status egc_allreduce_binomial_tree_broadcast(const egc_reduction *r,
                                                 egc_error *err) EGC_MUST_CHECK;

/* recursive_doubling.c: the all-reduce. */
egc_status egc_allreduce_recursive_doubling_run(const egc_reduction *r,
                                                egc_error *err) EGC_MUST_CHECK;
double egc_allreduce_recursive_doubling_cost(int p, double n, double alpha, double beta,
                                             double gamma);

#endif
