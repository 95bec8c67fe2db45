/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A platform as SimGrid sees it: hosts, links, and the links on the route from host to host.
 *
 * The answers come from SimGrid itself, so that descriptions of a cluster match its simulation. A
 * child process asks, because SimGrid aborts on bad platforms and a process can load only one: an
 * error that would abort a run is found here and becomes one line. */
#ifndef EGC_NET_TOPOLOGY_PROBE_H
#define EGC_NET_TOPOLOGY_PROBE_H

#include "net/cluster/cluster.h"

/* Largest number of routes that are asked for, those of 1024 hosts. Of larger clusters each host's
 * routes to some others are a sample. */
#define EGC_PROBE_ROUTES (1u << 20)

typedef struct egc_probe_link {
    double bandwidth_Bps;
    double latency_s;
    uint32_t name;  /* offset in `text` */
    uint32_t alone; /* 1: messages do not share its bandwidth (FATPIPE) */
} egc_probe_link;

typedef struct egc_probe_route {
    uint32_t from, to; /* hosts */
    uint32_t first, n; /* its links are steps[first .. first + n) */
    double latency_s;
} egc_probe_route;

typedef struct egc_probe_host {
    double speed_flops;
    uint32_t name, unused;
} egc_probe_host;

/* Borrows from the arena in which it was made. */
typedef struct egc_probe {
    size_t n_hosts, n_links, n_routes; /* n_hosts * (n_hosts - 1) routes exist */
    size_t n_steps;
    const egc_probe_host *hosts; /* in the order of ranks */
    const egc_probe_link *links; /* between different hosts */
    const egc_probe_route *routes;
    const uint32_t *steps; /* indices of links */
    const char *text;      /* names, each with its terminator */
} egc_probe;

/* Probes the file of a cluster whose type has one, on the hosts that the type's choose_hosts
 * selects. FORMAT, with SimGrid's reason, when SimGrid refuses the file, has no route between two
 * of the hosts, or would starve some messages, and when a host or a link exceeds the limits of
 * net/cluster/limits.h; errors of choose_hosts; IO; MEMORY. */
egc_status egc_probe_file(const egc_cluster_type *type, const void *params, egc_arena *arena,
                          egc_probe *out, egc_error *err) EGC_MUST_CHECK;

/* Probes a cluster that egc_prepare_cluster has accepted. Errors as egc_probe_file. */
egc_status egc_probe_cluster(const egc_cluster_type *type, const void *params, egc_arena *arena,
                             egc_probe *out, egc_error *err) EGC_MUST_CHECK;

#endif
