/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a platform is once SimGrid has it: hosts, links, and the links from host to host.
 *
 * SimGrid itself is asked, so that what is said of a cluster is what is simulated. It is asked in a
 * child process, because it aborts on bad platforms, and a process can load only one: what would
 * abort a run is found here and comes back as one line. */
#ifndef EGC_NET_TOPOLOGY_PROBE_H
#define EGC_NET_TOPOLOGY_PROBE_H

#include "net/cluster/cluster.h"

/* Up to so many routes, all are looked at (1024 hosts); of more, those to some peers of each host.
 */
#define EGC_PROBE_ROUTES (1u << 20)

typedef struct egc_probe_link {
    double bandwidth_Bps;
    double latency_s;
    uint32_t name;  /* its offset in `text` */
    uint32_t alone; /* 1: messages do not share it (FATPIPE) */
} egc_probe_link;

typedef struct egc_probe_route {
    uint32_t from, to; /* hosts */
    uint32_t first, n; /* steps[first], ... are its links */
    double latency_s;
} egc_probe_route;

typedef struct egc_probe_host {
    double speed_flops;
    uint32_t name, unused;
} egc_probe_host;

/* Borrows from the arena it was made in. */
typedef struct egc_probe {
    size_t n_hosts, n_links, n_steps;
    size_t n_routes;             /* of n_hosts * (n_hosts - 1) that there are */
    const egc_probe_host *hosts; /* in the order of ranks */
    const egc_probe_link *links; /* that lie between different hosts */
    const egc_probe_route *routes;
    const uint32_t *steps;
    const char *text;
} egc_probe;

/* Picks the hosts to survey from those the platform has: fills chosen, which has room for n. Runs
 * in the child. */
typedef egc_status (*egc_probe_choose)(const void *arg, const char *const *names, size_t n,
                                       const char **chosen, size_t *n_chosen, egc_error *err);

/* Surveys the platform in `file`. FORMAT with SimGrid's reason when it refuses the platform, has no
 * route between two of the hosts, or would starve some messages, and when a host or a link of
 * theirs is out of its bounds (net/cluster/cluster.h). */
egc_status egc_probe_file(const char *file, egc_probe_choose choose, const void *arg,
                          egc_arena *arena, egc_probe *out, egc_error *err) EGC_MUST_CHECK;

/* Surveys a cluster that egc_cluster_prepare found good. */
egc_status egc_probe_cluster(const egc_cluster_type *type, const void *params, egc_arena *arena,
                             egc_probe *out, egc_error *err) EGC_MUST_CHECK;

#endif
