/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cluster with events, written out as a platform with SimGrid's profiles. Private to sim/net.
 *
 * SimGrid accepts profiles only for hosts and links that are written out one by one, not for those
 * of a <cluster>. So the cluster is probed (net/topology/probe.h), and its hosts, links and routes
 * are written out with the same names, numbers and order. */
#ifndef EGC_NET_TOPOLOGY_EVENT_PLATFORM_H
#define EGC_NET_TOPOLOGY_EVENT_PLATFORM_H

#include "net/cluster/cluster.h"

/* The routes of more hosts, written one by one, take SimGrid seconds to read. */
#define EGC_EVENT_HOSTS_MAX 256

/* A platform and its profile files. The platform names them by their descriptors, so they must stay
 * open while it is loaded from /proc/self/fd. */
typedef struct egc_event_platform {
    egc_buf xml;
    egc_arena arena;
    egc_buf files; /* array of struct profile_file */
} egc_event_platform;

/* Writes out a cluster that egc_cluster_check has accepted, hosts computing at speed_flops. The
 * caller calls fini even after a failure. NAME when no host or link matches an event; RANGE when
 * the events of one are not in the order of time, or give a latency to a link without; UNSUPPORTED
 * for more than EGC_EVENT_HOSTS_MAX hosts; FORMAT when SimGrid refuses the cluster; IO; MEMORY. */
egc_status egc_event_platform_init(egc_event_platform *out, const egc_cluster_type *type,
                                   const void *params, double speed_flops,
                                   egc_error *err) EGC_MUST_CHECK;
void egc_event_platform_fini(egc_event_platform *platform);

/* The errors of egc_event_platform_init; EGC_OK for a cluster without events. */
egc_status egc_event_platform_check(const egc_cluster_type *type, const void *params,
                                    egc_error *err) EGC_MUST_CHECK;

#endif
