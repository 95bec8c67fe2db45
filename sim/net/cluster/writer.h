/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the pieces of SimGrid platforms: hosts on switches, links, and routes.
 *
 * A cluster's network is either one group of hosts, whose topology SimGrid builds itself, or
 * several groups, each with a switch, and links between switches. Messages take the path of fewest
 * links, the same every time. Links are full-duplex: each direction has the bandwidth for itself.
 * Their written bandwidth is nominal * efficiency.
 *
 *     egc_writer w = egc_writer_begin(&params->common, speed_flops, xml, err);
 *     egc_writer_group(&w, &(egc_host_group){.n = 8, ...});
 *     return egc_writer_end(&w); */
#ifndef EGC_NET_CLUSTER_WRITER_H
#define EGC_NET_CLUSTER_WRITER_H

#include "base/text.h"
#include "net/cluster/cluster.h"

/* The number of a switch that has no hosts. */
#define EGC_SWITCH_CORE SIZE_MAX

/* The zone of all. */
#define EGC_ZONE_ALL SIZE_MAX

/* More groups than this in a zone and SimGrid's table of shortest paths, n^3, takes seconds to
 * make. */
#define EGC_GROUPS_MAX 1024

/* After a failure the functions do nothing, and egc_writer_end returns it. */
typedef struct egc_writer {
    const egc_cluster_common *common;
    double speed_flops;
    egc_buf *xml;
    egc_buf routes; /* SimGrid wants them after all links of a zone */
    egc_status status;
    egc_error *err;
} egc_writer;

/* Hosts on a switch of their own, each by a link. */
typedef struct egc_host_group {
    size_t number; /* the group's and its switch's */
    size_t first, n;
    double bandwidth_Bps, latency_s; /* each host's link; nominal */
    const char *topology;            /* NULL, or a topology of SimGrid's, with its own switches */
    const char *topo_parameters;
} egc_host_group;

/* Append formatted XML that no function here writes: in place, or among the routes of the zone. */
#define EGC_WRITE(w, ...) EGC_WRITE_TO(w, (w)->xml, __VA_ARGS__)
#define EGC_WRITE_ROUTE(w, ...) EGC_WRITE_TO(w, &(w)->routes, __VA_ARGS__)
#define EGC_WRITE_TO(w, buf, ...)                                                                  \
    ((w)->status = (w)->status ? (w)->status                                                       \
                               : (egc_text_put(buf, __VA_ARGS__), egc_buf_check(buf, (w)->err)))

egc_writer egc_writer_begin(const egc_cluster_common *common, double speed_flops, egc_buf *xml,
                            egc_error *err);
egc_status egc_writer_end(egc_writer *w) EGC_MUST_CHECK;

/* Around groups that links connect ("Floyd": by the shortest path), zones that links connect
 * ("Full": directly), or lone hosts ("Cluster": through one switch). Zones stand before links. */
void egc_writer_zone_begin(egc_writer *w, size_t zone, const char *routing);
void egc_writer_zone_end(egc_writer *w);

void egc_writer_group(egc_writer *w, const egc_host_group *group);

/* The switch EGC_SWITCH_CORE. */
void egc_writer_core(egc_writer *w);

/* A link between the switches of two groups. All groups of a zone come before all its links. */
void egc_writer_link(egc_writer *w, size_t from, size_t to, double bandwidth_Bps, double latency_s);

/* A link between two zones, by a switch of each. */
typedef struct egc_zone_end {
    size_t zone, switch_number;
} egc_zone_end;
void egc_writer_zone_link(egc_writer *w, egc_zone_end from, egc_zone_end to, double bandwidth_Bps,
                          double latency_s);

/* The way of a host's messages to itself, for hosts that stand alone; groups have it. */
void egc_writer_loopback(egc_writer *w, const char *host);

/* In a zone whose routing is "Cluster", one switch: a host with a link up and a link down. */
void egc_writer_host(egc_writer *w, size_t host, double up_Bps, double down_Bps, double latency_s);

#endif
