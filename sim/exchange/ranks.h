/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic of ranks: powers of two, and the folding that reduces p ranks to one. Private to
 * sim/exchange.
 *
 * Algorithms for a power of two of ranks use q, the largest one <= p: of the first 2(p - q) ranks,
 * each even one folds into the next, which takes part for both. The ranks that take part have seats
 * 0 ... q - 1 in the order of ranks. */
#ifndef EGC_EXCHANGE_RANKS_H
#define EGC_EXCHANGE_RANKS_H

#include <stdbool.h>

int egc_ranks_floor_power(int p);       /* the largest power of two <= p */
int egc_ranks_ceil_log2(int p);         /* ceil(log2 p) */
int egc_ranks_lowest_bit(int v, int p); /* v's; for v = 0 the first power of two >= p */

enum { EGC_NO_SEAT = -1 };
int egc_ranks_seat_of(int rank, int p); /* EGC_NO_SEAT for a rank that folds into the next */
int egc_ranks_at_seat(int seat, int p); /* the rank */
bool egc_ranks_folds(int rank, int p);  /* it folds into the next, or the one before into it */

#endif
