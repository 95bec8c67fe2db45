/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A transport among some of the ranks of another, numbered anew: what is left when others are lost.
 */
#ifndef EGC_NET_SUBGROUP_H
#define EGC_NET_SUBGROUP_H

#include "net/transport.h"

typedef struct egc_subgroup {
    egc_transport common;
    egc_transport *whole;
    const int *members;
} egc_subgroup;

/* Member number `rank` of `members`, ranks of `whole` in ascending order, is the owner. Both are
 * borrowed. */
void egc_subgroup_init(egc_subgroup *group, egc_transport *whole, const int *members, int size,
                       int rank);

#endif
