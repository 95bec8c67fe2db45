/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of consecutive ranks, as those of a node or a rack, for exchanges of two levels. */
#ifndef EGC_EXCHANGE_GROUPS_H
#define EGC_EXCHANGE_GROUPS_H

#include "exchange/exchange.h"
#include "net/transport/subgroup.h"

/* The number of ranks in a group, in [1, p]: `requested`, at most p; for 0, the largest divisor of
 * p up to its square root, which keeps the steps few. */
int egc_groups_choose(int p, int requested);

/* ---- private to sim/exchange ---------------------------------------------------------------- */

/* Group G is the ranks from G * group on: `group` of them, the last group maybe fewer. */
typedef struct egc_groups {
    int p;
    int group;
    int count;
    struct {
        int index;  /* the calling rank's group */
        int member; /* the calling rank's number in it */
        int size;
    } mine;
} egc_groups;

/* The groups of call->scratch->group ranks. */
egc_groups egc_groups_of(const egc_call *call);

int egc_groups_size(const egc_groups *groups, int index);

/* The transport of the calling rank's group. */
egc_subgroup egc_groups_own(egc_transport *whole, const egc_groups *groups);

/* Seconds for each byte when all ranks send far at once. */
double egc_groups_contended_beta(const egc_exchange_network *network);

#endif
