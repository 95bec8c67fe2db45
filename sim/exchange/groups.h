/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks in groups of near ones, for exchanges of two levels. Private to sim/exchange. */
#ifndef EGC_EXCHANGE_GROUPS_H
#define EGC_EXCHANGE_GROUPS_H

#include "exchange/exchange.h"
#include "net/transport/subgroup.h"

/* Group G is the ranks from G * group on: `group` of them, or what is left for the last. */
typedef struct egc_groups {
    int p;
    int group;
    int count;
    struct {
        int index;  /* which group the rank is in */
        int member; /* which of its ranks it is */
        int size;
    } mine;
} egc_groups;

/* group: as in egc_groups_choose. */
egc_groups egc_groups_of(const egc_transport *transport, int group);

int egc_groups_size(const egc_groups *groups, int index);

/* The ranks of the own group. */
egc_subgroup egc_groups_own(egc_transport *whole, const egc_groups *groups);

/* A network without near ranks, in groups of the usual size. */
egc_exchange_network egc_groups_flat_network(int p, double alpha, double beta, double gamma);

/* Seconds a byte when all ranks send far at once. */
double egc_groups_contended_beta(const egc_exchange_network *network);

#endif
