/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that exchanges of sparse sums share. Private to sim/exchange. As those of exchange/call.h,
 * they do nothing after the first error, which stays in call.status. */
#ifndef EGC_EXCHANGE_SPARSE_STEPS_H
#define EGC_EXCHANGE_SPARSE_STEPS_H

#include "exchange/ranks.h"
#include "exchange/sparse.h"

typedef struct egc_sparse_steps {
    egc_call call;
    const egc_sparse_call *given;
} egc_sparse_steps;

egc_sparse_steps egc_sparse_steps_begin(const egc_sparse_call *given, const char *name,
                                        egc_error *err);

/* Make *out the message of the caller's operation (egc_sparse_ops). */
void egc_sparse_steps_sum(egc_sparse_steps *s, const egc_buf *a, const egc_buf *b, egc_buf *out);
void egc_sparse_steps_keep(egc_sparse_steps *s, const egc_buf *message, egc_buf *out);

/* Makes `sum` the message of sum + addend, or of addend + sum; uses scratch->spare. */
void egc_sparse_steps_add(egc_sparse_steps *s, egc_buf *sum, const egc_buf *addend,
                          bool addend_first);

/* Each rank sums one part: rank r leaves the sum of all r-th parts in scratch->sum. Parts are sent
 * directly, in an order in which no two ranks send to the same one at once. */
void egc_sparse_steps_split(egc_sparse_steps *s, const egc_buf *mine);

/* All-gathers the messages of all ranks into given->results, by Bruck's algorithm: it has few
 * steps, and the mean of unequal lengths determines its time rather than the longest. */
void egc_sparse_steps_gather(egc_sparse_steps *s, const void *mine, size_t bytes);

void egc_sparse_steps_exchange(egc_buf *a, egc_buf *b); /* swaps two buffers */

#endif
