/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exchanges that sum sparse messages on the way.
 *
 * Each rank has a message that stands for a vector, most of whose elements are zeros. What the
 * bytes mean only the caller knows: it gives the few things that can be done with messages, and an
 * exchange says when, where and in which order they are done, and moves the bytes. The caller
 * charges the time they take, and counts what it wants to know of them, such as how the supports
 * fill in as messages are summed.
 *
 * A type is one const descriptor in one file, named by one line of sparse.def. */
#ifndef EGC_EXCHANGE_SPARSE_H
#define EGC_EXCHANGE_SPARSE_H

#include "exchange/exchange.h"

/* What can be done with messages. Each appends one message to out, which is none of the others. */
typedef struct egc_sparse_ops {
    /* Of the sum of two vectors. Where that is shorter, it may be a message that lists all
     * elements: this is SparCML's switch to dense. */
    egc_status (*sum)(void *self, const egc_buf *a, const egc_buf *b, egc_buf *out, egc_error *err);

    /* Of what a method keeps of a vector, zeros elsewhere: the k largest, or those above a
     * threshold. */
    egc_status (*keep)(void *self, const egc_buf *message, egc_buf *out, egc_error *err);

    /* Of the part-th of `parts` ranges of elements, zeros elsewhere. Where ranges begin must be the
     * same on all ranks and may depend on what all know, so that parts are equally full. */
    egc_status (*cut)(void *self, const egc_buf *message, int part, int parts, egc_buf *out,
                      egc_error *err);
} egc_sparse_ops;

/* One rank's part in an exchange. */
typedef struct egc_sparse_call {
    egc_transport *transport;
    const egc_sparse_ops *ops;
    void *self; /* for ops */
    egc_buf *results;
    egc_exchange_scratch *scratch;
} egc_sparse_call;

typedef struct egc_sparse_type {
    const char *name;
    const char *summary;
    const char *cost; /* in p ranks, messages of n bytes that do not grow as they are summed,
                         L = ceil(log2 p); "disjoint": of messages that do not overlap */
    const char *reference;
    bool keeps; /* calls ops->keep: the result is not all of the sum */
    bool cuts;  /* calls ops->cut */
    bool many;  /* gives transport->size results; otherwise one */

    /* results[0], or results[0 ... p - 1], become messages whose vectors add up to the sum of all
     * ranks', or to what was kept of it: the same bytes on all ranks. call->results has room for p
     * messages, whatever comes of them. */
    egc_status (*reduce)(const egc_sparse_call *call, const egc_buf *mine, egc_error *err);

    /* The closed form of a call without contention, as `cost` says; types that keep keep n bytes,
     * and parts are equal. */
    double (*closed_form)(int p, double n, bool disjoint, double alpha, double beta);
} egc_sparse_type;

/* Every registered type, NULL-terminated, in the order of sparse.def. */
const egc_sparse_type *const *egc_sparse_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_sparse_find(const char *name, const egc_sparse_type **out,
                           egc_error *err) EGC_MUST_CHECK;

#endif
