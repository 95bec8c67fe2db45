/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The largest flow from one node of a graph to another: Dinic's algorithm (1970). Private to
 * sim/net. */
#ifndef EGC_NET_TOPOLOGY_MAX_FLOW_H
#define EGC_NET_TOPOLOGY_MAX_FLOW_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct egc_max_flow_arc {
    uint32_t to, next; /* the next arc of the same node, one too large; 0 ends the list */
    double room;       /* residual capacity */
} egc_max_flow_arc;

typedef struct egc_max_flow {
    size_t n_nodes, n_arcs;
    egc_max_flow_arc *arcs; /* an arc and its way back are neighbours */
    uint32_t *first, *current, *level, *queue;
} egc_max_flow;

/* Room for n_edges edges. Memory is arena's. MEMORY. */
egc_status egc_max_flow_init(egc_max_flow *flow, size_t n_nodes, size_t n_edges, egc_arena *arena,
                             egc_error *err) EGC_MUST_CHECK;

/* capacity may be INFINITY. */
void egc_max_flow_add_edge(egc_max_flow *flow, size_t from, size_t to, double capacity);

/* Uses the flow up. INFINITY when a way has no limit. */
double egc_max_flow_find(egc_max_flow *flow, size_t source, size_t sink);

#endif
