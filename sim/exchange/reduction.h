/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of ALLREDUCE exchanges: slices of the vector that are sent, added and copied, and halves of
 * all-reduces that other exchanges are composed of. Private to sim/exchange. */
#ifndef EGC_EXCHANGE_REDUCTION_H
#define EGC_EXCHANGE_REDUCTION_H

#include "exchange/exchange.h"
#include "exchange/ranks.h"

/* A range of elements of call->data. */
typedef struct egc_slice {
    size_t first;
    size_t count;
} egc_slice;

/* Cuts n elements into `parts` parts whose lengths differ by at most one, longer ones first, and
 * returns the parts first ... end - 1. */
egc_slice egc_reduction_slice(size_t n, int first, int end, int parts);

/* The whole vector. */
egc_slice egc_reduction_whole(const egc_call *call);

/* The use of a slice that is received. Sums are kept in place: mine + theirs. */
typedef enum egc_arrival {
    EGC_ARRIVAL_ADD,
    EGC_ARRIVAL_COPY,
} egc_arrival;

/* Sends a slice; receives one; both at once. FORMAT when a message does not have the length of
 * `in`. `out` is sent as it was before `in` arrives. */
void egc_reduction_send(egc_call *call, int to, egc_slice out);
void egc_reduction_receive(egc_call *call, int from, egc_slice in, egc_arrival how);
void egc_reduction_swap(egc_call *call, int to, egc_slice out, int from, egc_slice in,
                        egc_arrival how);

/* Folding (exchange/ranks.h): the vectors of ranks without a seat are added to those of the next
 * ranks, and the result is copied back. */
void egc_reduction_fold_in(egc_call *call);
void egc_reduction_fold_out(egc_call *call);

/* Seconds of both; 0 for a power of two of ranks. */
double egc_reduction_fold_cost(int p, double n, double alpha, double beta, double gamma);

/* ---- halves of all-reduces ------------------------------------------------------------------ */

/* Each of p ranks owns one or more of `parts` parts, parts >= p: rank m those from
 * ceil(m parts / p) to ceil((m + 1) parts / p) - 1. */
egc_slice egc_reduction_owned(const egc_call *call, int rank, int parts);

/* The rank that owns `part`. */
int egc_reduction_owner(int part, int p, int parts);

/* allreduce_ring.c: sums the parts of rank r at rank r - 1, and copies all parts from there. */
void egc_allreduce_ring_scatter(egc_call *call, int parts);
void egc_allreduce_ring_gather(egc_call *call, int parts);

/* allreduce_binomial_tree.c: sums all at rank 0, and copies the sum from there. */
void egc_allreduce_binomial_tree_reduce(egc_call *call);
void egc_allreduce_binomial_tree_broadcast(egc_call *call);

/* allreduce_recursive_doubling.c: the all-reduce, and its closed form. */
void egc_allreduce_recursive_doubling_run(egc_call *call);
double egc_allreduce_recursive_doubling_cost(int p, double n, double alpha, double beta,
                                             double gamma);

#endif
