/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A format of sparse messages for tests of the exchanges that sum them, and one call to time. */
#ifndef EGC_TESTS_NET_SPARSE_FORMAT_H
#define EGC_TESTS_NET_SPARSE_FORMAT_H

#include "exchange/sparse.h"
#include "simulate.h"

/* Pairs of an index and a value in ascending order; or all n values, where that is not longer. */
typedef struct entry {
    uint32_t index;
    float value;
} entry;

#define SPARSE_ENTRY_BYTES ((double)sizeof(entry))

typedef struct format {
    size_t n;
    bool may_be_dense;
    size_t kept;     /* the largest so many, ties by index; or, if 0, */
    float threshold; /* those at least so large */
} format;

/* Whose self is a format. */
extern const egc_sparse_ops format_ops;

egc_status format_add(const format *f, const egc_buf *message, float *vector, egc_error *err);
egc_status format_append(const format *f, const float *vector, egc_buf *out, egc_error *err);

/* Zeroes what is not kept of a vector. `order` has room for n. */
void format_keep(const format *f, float *vector, entry *order);

/* One call of p ranks. Message r has elements r, p + r, 2p + r ... if they are disjoint, and 0, p,
 * 2p ... otherwise, all equal to 1: parts are equally full. */
typedef struct sparse_timing {
    const egc_sparse_type *type;
    size_t count; /* elements of a message; p divides it */
    bool disjoint;
} sparse_timing;

/* A worker_main whose arg is a sparse_timing. */
egc_status sparse_timing_main(worker *self, egc_error *err);

#endif
