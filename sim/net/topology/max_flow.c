/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dinic, Algorithm for solution of a problem of maximum flow in networks with power estimation,
 * 1970: blocking flows on layered graphs. Each edge is a pair of arcs, at 2 i and 2 i + 1. */
#include "net/topology/max_flow.h"

#include <math.h>
#include <string.h>

egc_status egc_max_flow_init(egc_max_flow *flow, size_t n_nodes, size_t n_edges, egc_arena *arena,
                             egc_error *err)
{
    *flow = (egc_max_flow){.n_nodes = n_nodes};
    flow->arcs = egc_arena_alloc(arena, (2 * n_edges + 1) * sizeof *flow->arcs);
    flow->first = egc_arena_alloc(arena, 4 * n_nodes * sizeof *flow->first);
    if (!flow->arcs || !flow->first)
        return egc_fail_memory(err, n_edges * sizeof *flow->arcs);
    flow->current = flow->first + n_nodes;
    flow->level = flow->first + 2 * n_nodes;
    flow->queue = flow->first + 3 * n_nodes;
    return EGC_OK;
}

static void add_arc(egc_max_flow *flow, size_t from, size_t to, double room)
{
    flow->arcs[flow->n_arcs] = (egc_max_flow_arc){(uint32_t)to, flow->first[from], room};
    flow->first[from] = (uint32_t)++flow->n_arcs;
}

void egc_max_flow_add_edge(egc_max_flow *flow, size_t from, size_t to, double capacity)
{
    add_arc(flow, from, to, capacity);
    add_arc(flow, to, from, 0);
}

/* Numbers the nodes by their distance from the source, from 1, over arcs with room. */
static int find_levels(egc_max_flow *flow, size_t source, size_t sink)
{
    size_t head = 0, tail = 0;
    memset(flow->level, 0, flow->n_nodes * sizeof *flow->level);
    flow->level[source] = 1;
    flow->queue[tail++] = (uint32_t)source;
    while (head < tail) {
        uint32_t node = flow->queue[head++];
        for (uint32_t a = flow->first[node]; a; a = flow->arcs[a - 1].next) {
            const egc_max_flow_arc *arc = &flow->arcs[a - 1];
            if (arc->room > 0 && !flow->level[arc->to]) {
                flow->level[arc->to] = flow->level[node] + 1;
                flow->queue[tail++] = arc->to;
            }
        }
    }
    return flow->level[sink] != 0;
}

/* Sends up to `most` from node to sink, one level at a time. Infinity minus infinity is no number:
 * arcs without a limit stay so. */
static double push(egc_max_flow *flow, uint32_t node, uint32_t sink, double most)
{
    if (node == sink)
        return most;
    for (uint32_t *a = &flow->current[node]; *a; *a = flow->arcs[*a - 1].next) {
        egc_max_flow_arc *arc = &flow->arcs[*a - 1], *back = &flow->arcs[(*a - 1) ^ 1];
        if (arc->room <= 0 || flow->level[arc->to] != flow->level[node] + 1)
            continue;
        double sent = push(flow, arc->to, sink, fmin(most, arc->room));
        if (sent > 0) {
            arc->room -= isinf(arc->room) ? 0 : sent;
            back->room += sent;
            return sent;
        }
    }
    return 0;
}

double egc_max_flow_find(egc_max_flow *flow, size_t source, size_t sink)
{
    double total = 0;
    while (!isinf(total) && find_levels(flow, source, sink)) {
        memcpy(flow->current, flow->first, flow->n_nodes * sizeof *flow->current);
        for (double sent; !isinf(total); total += sent)
            if ((sent = push(flow, (uint32_t)source, (uint32_t)sink, INFINITY)) <= 0)
                break;
    }
    return total;
}
