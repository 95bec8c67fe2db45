/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places are joined to nodes with a union-find forest, from the order of links on routes; links
 * that a route and its way back have in common become nodes. The bisection is a maximum flow. */
#include "net/topology/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/topology/max_flow.h"

/* ---- from routes to a graph ---------------------------------------------------------------- */

/* Places: each host, and the start and the end of each link. Those that are one are joined, by a
 * forest of parents. */
typedef struct graph {
    const egc_probe *probe;
    egc_arena *arena;
    uint32_t *parent;
    bool *shared;                   /* by link */
    const egc_probe_route **sorted; /* by from, then to */
    egc_buf joints;                 /* pairs of places, then of nodes, beside a shared link */
    uint32_t *node_of;              /* by place: the node of a root, one too large; 0 is none yet */
    egc_topology_graph_node *nodes;
    egc_topology_graph_edge *edges;
    size_t n_nodes, n_edges;
} graph;

static uint32_t root(const graph *g, uint32_t place)
{
    while (g->parent[place] != place)
        place = g->parent[place] = g->parent[g->parent[place]];
    return place;
}

static void join(graph *g, uint32_t a, uint32_t b)
{
    a = root(g, a);
    b = root(g, b);
    if (a < b)
        g->parent[b] = a;
    else
        g->parent[a] = b;
}

static uint32_t start_of(const graph *g, uint32_t link)
{
    return (uint32_t)g->probe->n_hosts + 2 * link;
}

/* A shared link is one place. */
static uint32_t end_of(const graph *g, uint32_t link)
{
    return start_of(g, link) + !g->shared[link];
}

static int compare_routes(const void *a, const void *b)
{
    const egc_probe_route *x = *(const egc_probe_route *const *)a;
    const egc_probe_route *y = *(const egc_probe_route *const *)b;
    int by_from = (x->from > y->from) - (x->from < y->from);
    return by_from ? by_from : (x->to > y->to) - (x->to < y->to);
}

static egc_status sort_routes(graph *g, egc_error *err)
{
    size_t n = g->probe->n_routes;
    g->sorted = egc_arena_alloc(g->arena, (n + 1) * sizeof(egc_probe_route *));
    if (!g->sorted)
        return egc_fail_memory(err, n * sizeof *g->sorted);
    for (size_t i = 0; i < n; i++)
        g->sorted[i] = &g->probe->routes[i];
    qsort(g->sorted, n, sizeof *g->sorted, compare_routes);
    return EGC_OK;
}

/* Marks the links that a route and its way back have in common. */
static egc_status find_shared(graph *g, egc_error *err)
{
    const egc_probe *s = g->probe;
    uint32_t *seen = egc_arena_alloc(g->arena, (s->n_links + 1) * sizeof *seen);
    egc_status status = seen ? sort_routes(g, err) : egc_fail_memory(err, s->n_links);
    for (size_t i = 0; i < s->n_routes && !status; i++) {
        const egc_probe_route *there = &s->routes[i];
        const egc_probe_route wanted = {.from = there->to, .to = there->from}, *key = &wanted;
        const egc_probe_route **back =
            bsearch(&key, g->sorted, s->n_routes, sizeof *g->sorted, compare_routes);
        for (uint32_t k = 0; k < there->n; k++)
            seen[s->steps[there->first + k]] = (uint32_t)i + 1;
        for (uint32_t k = 0; back && k < (*back)->n; k++)
            if (seen[s->steps[(*back)->first + k]] == i + 1)
                g->shared[s->steps[(*back)->first + k]] = true;
    }
    return status;
}

/* Consecutive links, or a host and a link, meet at one place. A shared link is a place of its own,
 * beside which the others stand. */
static void follow_route(graph *g, const egc_probe_route *route)
{
    uint32_t here = route->from;
    bool beside = false; /* `here` is a shared link */
    for (uint32_t k = 0; k <= route->n; k++) {
        bool last = k == route->n;
        uint32_t link = last ? 0 : g->probe->steps[route->first + k];
        uint32_t next = last ? route->to : start_of(g, link);
        bool shared = !last && g->shared[link];
        if (beside || shared)
            egc_buf_put(&g->joints, (uint32_t[]){here, next}, 2 * sizeof next);
        else
            join(g, here, next);
        here = last ? next : end_of(g, link);
        beside = shared;
    }
}

static void follow_routes(graph *g)
{
    const egc_probe *s = g->probe;
    egc_buf_clear(&g->joints);
    for (size_t i = 0; i < s->n_hosts + 2 * s->n_links; i++)
        g->parent[i] = (uint32_t)i;
    for (size_t i = 0; i < s->n_routes; i++)
        follow_route(g, &s->routes[i]);
}

static const char *name_of(const graph *g, uint32_t offset)
{
    return g->probe->text + offset;
}

/* By name. */
static int compare_named(const void *a, const void *b, void *text)
{
    const egc_probe_link *const *x = a, *const *y = b;
    return strcmp((const char *)text + (*x)->name, (const char *)text + (*y)->name);
}

/* The link called as the i-th is, but _DOWN instead of _UP; SIZE_MAX for none. */
static size_t find_way_back(const graph *g, const egc_probe_link *const *by_name, size_t i)
{
    const egc_probe *s = g->probe;
    const char *name = name_of(g, s->links[i].name);
    size_t length = strlen(name), low = 0, high = s->n_links;
    char wanted[EGC_TEXT_LENGTH];
    if (length < 3 || length + 3 > sizeof wanted || strcmp(name + length - 3, "_UP") != 0)
        return SIZE_MAX;
    snprintf(wanted, sizeof wanted, "%.*s_DOWN", (int)(length - 3), name);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name_of(g, by_name[middle]->name), wanted);
        if (order == 0)
            return (size_t)(by_name[middle] - s->links);
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return SIZE_MAX;
}

/* The two ways of a full-duplex link run between the same places, which routes alone do not tell
 * where no more than two links meet. */
static egc_status join_ways(graph *g, egc_error *err)
{
    const egc_probe *s = g->probe;
    const egc_probe_link **by_name =
        egc_arena_alloc(g->arena, (s->n_links + 1) * sizeof(egc_probe_link *));
    if (!by_name)
        return egc_fail_memory(err, s->n_links * sizeof *by_name);
    for (size_t i = 0; i < s->n_links; i++)
        by_name[i] = &s->links[i];
    qsort_r(by_name, s->n_links, sizeof *by_name, compare_named, (void *)s->text);
    for (uint32_t i = 0; i < s->n_links; i++) {
        size_t back = find_way_back(g, by_name, i);
        if (back == SIZE_MAX || g->shared[i] || g->shared[back])
            continue;
        join(g, start_of(g, i), end_of(g, (uint32_t)back));
        join(g, end_of(g, i), start_of(g, (uint32_t)back));
    }
    return EGC_OK;
}

/* A place where links meet one shared link and nothing else is on that link. */
static egc_status join_to_shared(graph *g, egc_error *err)
{
    const egc_probe *s = g->probe;
    size_t places = s->n_hosts + 2 * s->n_links;
    uint32_t *beside =
        egc_arena_alloc(g->arena, (places + 1) * sizeof *beside); /* too large by 1 */
    bool *more = egc_arena_alloc(g->arena, places + 1);
    if (!beside || !more)
        return egc_fail_memory(err, places * sizeof *beside);
    for (uint32_t host = 0; host < s->n_hosts; host++)
        more[root(g, host)] = true;
    for (size_t i = 0; i < s->n_routes; i++)
        for (uint32_t k = 1; k < s->routes[i].n; k++) {
            const uint32_t *link = &s->steps[s->routes[i].first + k - 1];
            bool first = g->shared[link[0]], second = g->shared[link[1]];
            uint32_t here = root(g, end_of(g, link[0])), next = root(g, start_of(g, link[1]));
            uint32_t place = first ? next : here, medium = first ? here : next;
            if (first && second)
                continue;
            more[place] |= !first && !second;
            more[place] |= beside[place] && beside[place] != medium + 1;
            beside[place] = medium + 1;
        }
    for (uint32_t place = 0; place < places; place++)
        if (beside[place] && !more[place])
            join(g, place, beside[place] - 1);
    return EGC_OK;
}

/* False when two hosts fell together: some link begins or ends at two places. */
static bool makes_sense(const graph *g)
{
    for (uint32_t host = 0; host < g->probe->n_hosts; host++)
        if (root(g, host) != host)
            return false;
    return true;
}

static uint32_t node_at(graph *g, uint32_t place)
{
    uint32_t *known = &g->node_of[root(g, place)];
    if (!*known) {
        g->nodes[g->n_nodes] = (egc_topology_graph_node){.kind = EGC_NODE_SWITCH};
        *known = (uint32_t)++g->n_nodes;
    }
    return *known - 1;
}

static void add_hosts(graph *g)
{
    for (uint32_t host = 0; host < g->probe->n_hosts; host++)
        g->nodes[node_at(g, host)] = (egc_topology_graph_node){
            .kind = EGC_NODE_HOST, .name = name_of(g, g->probe->hosts[host].name)};
}

static void add_links(graph *g)
{
    for (uint32_t i = 0; i < g->probe->n_links; i++) {
        const egc_probe_link *link = &g->probe->links[i];
        double bandwidth_Bps = link->alone ? INFINITY : link->bandwidth_Bps;
        uint32_t from = node_at(g, start_of(g, i)), to = node_at(g, end_of(g, i));
        if (g->shared[i])
            g->nodes[from] = (egc_topology_graph_node){EGC_NODE_SHARED, name_of(g, link->name),
                                                       bandwidth_Bps, link->latency_s};
        else
            g->edges[g->n_edges++] = (egc_topology_graph_edge){.from = from,
                                                               .to = to,
                                                               .bandwidth_Bps = bandwidth_Bps,
                                                               .latency_s = link->latency_s};
    }
}

static int compare_pairs(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    int first = (x[0] > y[0]) - (x[0] < y[0]);
    return first ? first : (x[1] > y[1]) - (x[1] < y[1]);
}

static void add_joints(graph *g)
{
    uint32_t *joints = (uint32_t *)(void *)g->joints.data;
    size_t n = g->joints.len / (2 * sizeof *joints);
    for (size_t i = 0; i < 2 * n; i++)
        joints[i] = node_at(g, joints[i]);
    if (n)
        qsort(joints, n, 2 * sizeof *joints, compare_pairs);
    for (size_t i = 0; i < n; i++) {
        const uint32_t *pair = &joints[2 * i];
        if (pair[0] != pair[1] && (i == 0 || compare_pairs(pair, pair - 2) != 0))
            g->edges[g->n_edges++] = (egc_topology_graph_edge){
                .from = pair[0], .to = pair[1], .joint = true, .bandwidth_Bps = INFINITY};
    }
}

/* ---- full-duplex links --------------------------------------------------------------------- */

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

/* Equal but for their direction. */
static int compare_links(const egc_topology_graph_edge *x, const egc_topology_graph_edge *y)
{
    int by[] = {
        order(x->joint, y->joint),
        order(fmin(x->from, x->to), fmin(y->from, y->to)),
        order(fmax(x->from, x->to), fmax(y->from, y->to)),
        order(x->bandwidth_Bps, y->bandwidth_Bps),
        order(x->latency_s, y->latency_s),
    };
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i])
            return by[i];
    return 0;
}

static int compare_edges(const void *a, const void *b)
{
    const egc_topology_graph_edge *x = a, *y = b;
    int by_link = compare_links(x, y);
    return by_link ? by_link : order(x->from, y->from);
}

/* Two equal links between the same nodes, one each way, are one full-duplex link. */
static void pair_edges(graph *g)
{
    qsort(g->edges, g->n_edges, sizeof *g->edges, compare_edges);
    for (size_t first = 0, after; first < g->n_edges; first = after) {
        size_t turn = first;
        for (after = first; after < g->n_edges; after++) {
            if (compare_links(&g->edges[first], &g->edges[after]) != 0)
                break;
            turn += g->edges[after].from == g->edges[first].from;
        }
        for (size_t i = 0; first + i < turn && turn + i < after && !g->edges[first].joint; i++) {
            g->edges[first + i].duplex = g->edges[turn + i].duplex = true;
            g->edges[turn + i].back = true;
        }
    }
}

static egc_status allocate(graph *g, egc_error *err)
{
    const egc_probe *s = g->probe;
    size_t places = s->n_hosts + 2 * s->n_links;
    g->parent = egc_arena_alloc(g->arena, (places + 1) * sizeof *g->parent);
    g->node_of = egc_arena_alloc(g->arena, (places + 1) * sizeof *g->node_of);
    g->nodes = egc_arena_alloc(g->arena, (places + 1) * sizeof *g->nodes);
    g->shared = egc_arena_alloc(g->arena, (s->n_links + 1) * sizeof *g->shared);
    return g->parent && g->node_of && g->nodes && g->shared ? EGC_OK : egc_fail_memory(err, places);
}

static egc_status make_graph(graph *g, egc_error *err)
{
    egc_status status = allocate(g, err);
    if (!status)
        status = find_shared(g, err);
    if (status)
        return status;
    follow_routes(g);
    status = join_ways(g, err);
    if (!status)
        status = join_to_shared(g, err);
    if (!status && !makes_sense(g)) {
        memset(g->shared, true, g->probe->n_links);
        follow_routes(g);
    }
    if (!status)
        status = egc_buf_check(&g->joints, err);
    if (status)
        return status;
    size_t room = g->probe->n_links + g->joints.len / (2 * sizeof(uint32_t)) + 1;
    g->edges = egc_arena_alloc(g->arena, room * sizeof *g->edges);
    if (!g->edges)
        return egc_fail_memory(err, room * sizeof *g->edges);
    add_hosts(g);
    add_links(g);
    add_joints(g);
    pair_edges(g);
    return EGC_OK;
}

/* ---- figures of the graph ------------------------------------------------------------------- */

/* A node that is a shared link passes only so much: it is an edge between two nodes of the flow. */
static egc_status flow_across(const egc_topology_graph *network, const bool *far, bool back,
                              egc_arena *arena, double *out, egc_error *err)
{
    size_t n = network->n_nodes;
    egc_max_flow flow;
    egc_status status = egc_max_flow_init(&flow, 2 * n + 2, n + network->n_edges, arena, err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        const egc_topology_graph_node *node = &network->nodes[i];
        if (node->kind == EGC_NODE_SHARED)
            egc_max_flow_add_edge(&flow, i, n + i, node->bandwidth_Bps);
        else if (node->kind == EGC_NODE_HOST && far[i] != back)
            egc_max_flow_add_edge(&flow, i, 2 * n + 1, INFINITY);
        else if (node->kind == EGC_NODE_HOST)
            egc_max_flow_add_edge(&flow, 2 * n, i, INFINITY);
    }
    for (size_t i = 0; i < network->n_edges; i++) {
        const egc_topology_graph_edge *edge = &network->edges[i];
        bool from_shared = network->nodes[edge->from].kind == EGC_NODE_SHARED;
        egc_max_flow_add_edge(&flow, edge->from + (from_shared ? n : 0), edge->to,
                              edge->bandwidth_Bps);
    }
    *out = egc_max_flow_find(&flow, 2 * n, 2 * n + 1);
    return EGC_OK;
}

static egc_status find_bisection(const egc_cluster_type *type, const void *params,
                                 egc_topology_graph *network, egc_arena *arena, egc_error *err)
{
    double there, back;
    network->bisection_Bps = NAN;
    if (network->n_hosts < 2)
        return EGC_OK;
    bool *far = egc_arena_alloc(arena, network->n_hosts);
    if (!far)
        return egc_fail_memory(err, network->n_hosts);
    for (size_t host = 0; host < network->n_hosts; host++)
        far[host] = type->far_half ? type->far_half(params, host) : host >= network->n_hosts / 2;
    egc_status status = flow_across(network, far, false, arena, &there, err);
    if (!status)
        status = flow_across(network, far, true, arena, &back, err);
    if (!status)
        network->bisection_Bps = fmin(there, back);
    return status;
}

static void find_diameter(const egc_probe *probe, egc_topology_graph *network)
{
    for (size_t i = 0; i < probe->n_routes; i++) {
        const egc_probe_route *route = &probe->routes[i];
        if (route->n > network->diameter_links)
            network->diameter_links = route->n;
        network->diameter_s = fmax(network->diameter_s, route->latency_s);
    }
}

static egc_status list_links(const egc_probe *probe, egc_topology_graph *out, egc_arena *arena,
                             egc_error *err)
{
    const char **names = egc_arena_alloc(arena, (probe->n_links + 1) * sizeof *names);
    if (!names)
        return egc_fail_memory(err, probe->n_links * sizeof *names);
    for (size_t i = 0; i < probe->n_links; i++)
        names[i] = probe->text + probe->links[i].name;
    out->n_links = probe->n_links;
    out->links = names;
    return EGC_OK;
}

egc_status egc_topology_graph_of(const egc_cluster_type *type, const void *params, egc_arena *arena,
                                 egc_topology_graph *out, egc_error *err)
{
    egc_probe probe;
    egc_status status = egc_probe_cluster(type, params, arena, &probe, err);
    if (status)
        return status;
    graph g = {.probe = &probe, .arena = arena};
    status = make_graph(&g, err);
    egc_buf_fini(&g.joints);
    if (status)
        return status;
    *out = (egc_topology_graph){.n_hosts = probe.n_hosts,
                                .n_nodes = g.n_nodes,
                                .n_edges = g.n_edges,
                                .nodes = g.nodes,
                                .edges = g.edges,
                                .sampled = probe.n_routes < probe.n_hosts * (probe.n_hosts - 1)};
    find_diameter(&probe, out);
    status = list_links(&probe, out, arena, err);
    return status ? status : find_bisection(type, params, out, arena, err);
}
