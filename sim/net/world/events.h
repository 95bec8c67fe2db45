/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of a cluster as SimGrid's profiles: links and hosts that fail, come back, or become
 * slower while a run is under way. Private to sim/net.
 *
 * SimGrid takes profiles only of hosts and links that are written out, not of those that a
 * <cluster> makes. So the cluster is asked for its hosts, links and routes (survey.h), and these
 * are written out: the same names, numbers and ways, whatever made them. */
#ifndef EGC_NET_WORLD_EVENTS_H
#define EGC_NET_WORLD_EVENTS_H

#include "net/cluster/cluster.h"

/* More hosts than this and their routes, one by one, take seconds to read. */
#define EGC_EVENT_HOSTS_MAX 256

/* A platform, and the files that it names: by their descriptors, which must be open while it is
 * loaded from /proc/self/fd. */
typedef struct egc_event_platform {
    egc_buf xml;
    egc_arena arena;
    struct egc_event_file *files;
    size_t n_files, room;
} egc_event_platform;

/* Writes out the cluster, which egc_cluster_check found good, with profiles of what happens to it.
 * NAME when an event's hosts or links do not exist, RANGE when those of one are not in the order of
 * time, UNSUPPORTED with more than EGC_EVENT_HOSTS_MAX hosts, FORMAT when SimGrid refuses the
 * cluster; IO; MEMORY. */
egc_status egc_event_platform_init(egc_event_platform *out, const egc_cluster_type *type,
                                   const void *params, double speed_flops,
                                   egc_error *err) EGC_MUST_CHECK;
void egc_event_platform_fini(egc_event_platform *profiled);

/* Whether a cluster has events, of which egc_event_platform_init would find nothing wrong. */
bool egc_events_any(const void *params);
egc_status egc_event_platform_check(const egc_cluster_type *type, const void *params,
                                    egc_error *err) EGC_MUST_CHECK;

#endif
