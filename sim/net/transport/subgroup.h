/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Some ranks of a transport as a transport of their own, numbered from 0: a group of an exchange of
 * two levels, or the ranks that remain after a failure. Bytes are counted in the whole transport
 * too. */
#ifndef EGC_NET_TRANSPORT_SUBGROUP_H
#define EGC_NET_TRANSPORT_SUBGROUP_H

#include "net/transport/transport.h"

typedef struct egc_subgroup {
    egc_transport common;
    egc_transport *whole;
    const int *members; /* NULL: they are spaced */
    int first, stride, last;
} egc_subgroup;

/* Member i is rank members[i] of the whole; the owner of `whole` is member `rank`. Both are
 * borrowed. */
egc_subgroup egc_subgroup_of(egc_transport *whole, const int *members, int size, int rank);

/* Member i is rank first + i stride of the whole, but the last member is rank `last`. */
egc_subgroup egc_subgroup_spaced(egc_transport *whole, int first, int stride, int last, int size,
                                 int rank);

#endif
