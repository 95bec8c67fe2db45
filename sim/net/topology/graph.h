/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of a cluster: who is linked to whom, how far apart hosts are, and how much gets from
 * one half of them to the other. Made from the routes that SimGrid takes (net/topology/probe.h): a
 * link begins where the links before it on a route end.
 *
 * Nodes 0, 1, ... are the hosts in the order of ranks; then come switches, and shared links, which
 * both ways of a route cross and which therefore are nodes with a capacity of their own. */
#ifndef EGC_NET_TOPOLOGY_GRAPH_H
#define EGC_NET_TOPOLOGY_GRAPH_H

#include "net/topology/probe.h"

typedef enum egc_topology_graph_node_kind {
    EGC_NODE_HOST,
    EGC_NODE_SWITCH,
    EGC_NODE_SHARED
} egc_topology_graph_node_kind;

typedef struct egc_topology_graph_node {
    egc_topology_graph_node_kind kind;
    const char *name;     /* hosts and shared links have one */
    double bandwidth_Bps; /* shared links only; INFINITY when messages do not share it */
    double latency_s;
} egc_topology_graph_node;

typedef struct egc_topology_graph_edge {
    uint32_t from, to;    /* nodes */
    bool joint;           /* no link: it only joins a shared link to its neighbours */
    bool back;            /* the way back of a full-duplex link whose way there is an edge before */
    bool duplex;          /* either way of one */
    double bandwidth_Bps; /* INFINITY when messages do not share it, and for joints */
    double latency_s;
} egc_topology_graph_edge;

typedef struct egc_topology_graph {
    size_t n_hosts, n_nodes, n_edges;
    const egc_topology_graph_node *nodes;
    const egc_topology_graph_edge *edges;
    size_t n_links;
    const char *const *links; /* names in SimGrid and in events */
    bool sampled;             /* some routes were not looked at: there may be longer ones */
    size_t diameter_links;    /* links on the longest route */
    double diameter_s;        /* the largest latency between two hosts */
    double bisection_Bps;     /* maximum flow from one half of the hosts to the other, in the
                                 slower direction; NAN for a single host */
} egc_topology_graph;

/* The graph of a cluster that egc_prepare_cluster has accepted. */
egc_status egc_topology_graph_of(const egc_cluster_type *type, const void *params, egc_arena *arena,
                                 egc_topology_graph *out, egc_error *err) EGC_MUST_CHECK;

#endif
