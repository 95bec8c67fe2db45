/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What exchanges of sparse sums are made of: steps that several of them take, and exchanges of
 * bytes that end them. Private to sim/exchange. */
#ifndef EGC_EXCHANGE_SPARSE_STEPS_H
#define EGC_EXCHANGE_SPARSE_STEPS_H

#include "exchange/sparse.h"

/* Makes `sum` the message of sum + addend, or of addend + sum; uses scratch->spare. */
egc_status egc_sparse_steps_add(const egc_sparse_call *call, egc_buf *sum, const egc_buf *addend,
                                bool addend_first, egc_error *err) EGC_MUST_CHECK;

/* Each rank sums one part: rank r leaves the message of the r-th part of all in scratch->sum. The
 * parts go to their ranks one after the other, in an order in which no two ranks send to one. */
egc_status egc_sparse_steps_split(const egc_sparse_call *call, const egc_buf *mine,
                                  egc_error *err) EGC_MUST_CHECK;

/* What gathers the parts: its steps are few, and it is paced by the mean of unequal lengths rather
 * than the longest. */
extern const egc_exchange_type egc_exchange_allgather_bruck;

/* What gives all ranks the one result of a tree. */
extern const egc_exchange_type egc_exchange_broadcast_tree;

#endif
