/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exchanges that sum sparse messages on the way.
 *
 * Each rank has a message that encodes a vector, most of whose elements are zeros. Only the caller
 * knows the encoding: it supplies the operations on messages, charges their simulated time, and may
 * keep statistics, such as the lengths of partial sums. An exchange decides when, where and in
 * which order operations happen, and moves the bytes.
 *
 * A type is one const descriptor in one file, named by one line of sparse.def. */
#ifndef EGC_EXCHANGE_SPARSE_H
#define EGC_EXCHANGE_SPARSE_H

#include "exchange/exchange.h"

/* Operations on messages. Each appends one message to out, which is none of the others. */
typedef struct egc_sparse_ops {
    /* Encodes the sum of two vectors, maybe as a dense message where that is shorter (SparCML's
     * switch to dense). */
    egc_status (*sum)(void *self, const egc_buf *a, const egc_buf *b, egc_buf *out, egc_error *err);

    /* Encodes the elements of a vector that the method keeps: the k largest, or those above a
     * threshold. */
    egc_status (*keep)(void *self, const egc_buf *message, egc_buf *out, egc_error *err);

    /* Encodes the elements of a vector in the part-th of `parts` index ranges. The ranges must be
     * the same on all ranks; they may depend on data known to all, so that parts are equally full.
     */
    egc_status (*cut)(void *self, const egc_buf *message, int part, int parts, egc_buf *out,
                      egc_error *err);
} egc_sparse_ops;

/* One rank's part in an exchange. All pointers are borrowed. */
typedef struct egc_sparse_call {
    egc_transport *transport;
    const egc_sparse_ops *ops;
    void *self;       /* first argument of the ops */
    egc_buf *results; /* room for as many messages as there are ranks */
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

    /* results[0], or results[0 ... p - 1], become messages whose vectors add up to the sum over
     * all ranks, or to the part of it that was kept: the same bytes on all ranks. Errors of the
     * transport and of the ops; FORMAT. */
    egc_status (*reduce)(const egc_sparse_call *call, const egc_buf *mine, egc_error *err);

    /* Seconds of a call without contention, by the formula in `cost`: types that keep elements keep
     * n bytes, and parts are equally long. */
    double (*closed_form)(int p, double n, bool disjoint, double alpha, double beta);
} egc_sparse_type;

/* Every registered type, NULL-terminated, in the order of sparse.def. */
const egc_sparse_type *const *egc_sparse_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_sparse_find(const char *name, const egc_sparse_type **out,
                           egc_error *err) EGC_MUST_CHECK;

#endif
