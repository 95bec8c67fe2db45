/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links are grouped by kind, bandwidth and latency, and names that differ in numbers by pattern, so
 * that a cluster of thousands of links has a short page. The drawing is a graph for graphviz.
 */
#include "cli/describe/cluster_page.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"

/* ---- quantities ---------------------------------------------------------------------------- */

typedef struct text {
    char chars[48];
} text;

typedef struct scale {
    double least;
    const char *symbol;
} scale;

/* Formats value in the largest unit that is not larger than it. */
static text scaled(double value, const scale *scales)
{
    text out;
    while (scales[1].symbol && value < scales->least)
        scales++;
    snprintf(out.chars, sizeof out.chars, "%.4g %s", value / scales->least, scales->symbol);
    return out;
}

static text bandwidth(double Bps)
{
    static const scale scales[] = {{1e12, "Tbps"}, {1e9, "Gbps"}, {1e6, "Mbps"},
                                   {1e3, "Kbps"},  {1, "bps"},    {0, NULL}};
    return scaled(8 * Bps, scales);
}

static text latency(double s)
{
    static const scale scales[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {0, NULL}};
    return scaled(s, scales);
}

/* Prints "1 Gbps", or "1 Mbps to 1 Gbps". */
static void print_span(double low, double high, text (*format)(double))
{
    if (low == high)
        printf("%s", format(low).chars);
    else
        printf("%s to %s", format(low).chars, format(high).chars);
}

/* ---- links --------------------------------------------------------------------------------- */

/* Links with one bandwidth and latency, or all links of one kind. */
typedef struct kind {
    const char *name;
    double low_Bps, high_Bps, low_s, high_s;
    size_t n;
} kind;

enum { MOST_KINDS = 6 };

static const char full_duplex[] = "full-duplex", one_way[] = "one-way", shared[] = "shared";

static int compare_kinds(const void *a, const void *b)
{
    const kind *x = a, *y = b;
    if (x->name != y->name)
        return x->name == full_duplex || y->name == shared ? -1 : 1;
    int by_bandwidth = (x->low_Bps < y->low_Bps) - (x->low_Bps > y->low_Bps);
    return by_bandwidth ? by_bandwidth : (x->low_s > y->low_s) - (x->low_s < y->low_s);
}

static void add_link(kind *kinds, size_t *n, const char *name, double Bps, double s)
{
    kinds[(*n)++] = (kind){name, Bps, Bps, s, s, 1};
}

/* Merges equal neighbours, or without only_alike all neighbours of one name. Returns the new
 * number.
 */
static size_t merge(kind *kinds, size_t n, bool only_alike)
{
    size_t last = 0;
    for (size_t i = 1; i < n; i++) {
        kind *into = &kinds[last], *from = &kinds[i];
        bool alike = into->low_Bps == from->low_Bps && into->low_s == from->low_s;
        if (into->name != from->name || (only_alike && !alike)) {
            kinds[++last] = *from;
            continue;
        }
        into->n += from->n;
        into->low_Bps = fmin(into->low_Bps, from->low_Bps);
        into->high_Bps = fmax(into->high_Bps, from->high_Bps);
        into->low_s = fmin(into->low_s, from->low_s);
        into->high_s = fmax(into->high_s, from->high_s);
    }
    return n ? last + 1 : 0;
}

static egc_status print_links(const egc_topology_graph *network, egc_error *err)
{
    size_t room = network->n_edges + network->n_nodes + 1, n = 0;
    kind *kinds = egc_calloc(room, sizeof *kinds);
    if (!kinds)
        return egc_fail_memory(err, room * sizeof *kinds);
    for (size_t i = 0; i < network->n_edges; i++) {
        const egc_topology_graph_edge *edge = &network->edges[i];
        if (!edge->back && !edge->joint)
            add_link(kinds, &n, edge->duplex ? full_duplex : one_way, edge->bandwidth_Bps,
                     edge->latency_s);
    }
    for (size_t i = 0; i < network->n_nodes; i++)
        if (network->nodes[i].kind == EGC_NODE_SHARED)
            add_link(kinds, &n, shared, network->nodes[i].bandwidth_Bps,
                     network->nodes[i].latency_s);
    qsort(kinds, n, sizeof *kinds, compare_kinds);
    n = merge(kinds, n, true);
    if (n > MOST_KINDS)
        n = merge(kinds, n, false);
    for (size_t i = 0; i < n; i++) {
        printf("  %-11s %zu %s, ", i ? "" : "links", kinds[i].n, kinds[i].name);
        print_span(kinds[i].low_Bps, kinds[i].high_Bps, bandwidth);
        printf(", ");
        print_span(kinds[i].low_s, kinds[i].high_s, latency);
        printf("\n");
    }
    egc_free(kinds);
    return EGC_OK;
}

/* The name of a link with * for each number, as events of links accept it. */
static void pattern_of(const char *name, char *out, size_t room)
{
    size_t used = 0;
    for (const char *c = name; *c && used + 1 < room; c++) {
        bool number = isdigit((unsigned char)*c);
        if (number && used && out[used - 1] == '*')
            continue;
        out[used++] = number ? '*' : *c;
    }
    out[used] = '\0';
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const text *)a)->chars, ((const text *)b)->chars);
}

/* Prints the patterns of the names of links, at most MOST_NAMES. */
static egc_status print_names(const egc_topology_graph *network, egc_error *err)
{
    enum { MOST_NAMES = 6 };
    size_t shown = 0, n = network->n_links;
    text *patterns = egc_calloc(n + 1, sizeof *patterns);
    if (!patterns)
        return egc_fail_memory(err, n * sizeof *patterns);
    for (size_t i = 0; i < n; i++)
        pattern_of(network->links[i], patterns[i].chars, sizeof patterns[i].chars);
    qsort(patterns, n, sizeof *patterns, compare_texts);
    for (size_t i = 0; i < n && shown <= MOST_NAMES; i++) {
        if (i && compare_texts(&patterns[i - 1], &patterns[i]) == 0)
            continue;
        if (shown < MOST_NAMES)
            printf("%s%s", shown ? ", " : "  names       ", patterns[i].chars);
        else
            printf(", ...");
        shown++;
    }
    if (n)
        printf("\n");
    egc_free(patterns);
    return EGC_OK;
}

egc_status egc_cluster_page_print(const egc_topology_graph *network, egc_error *err)
{
    size_t switches = 0;
    for (size_t i = 0; i < network->n_nodes; i++)
        switches += network->nodes[i].kind == EGC_NODE_SWITCH;
    printf("  %-11s %zu\n", "hosts", network->n_hosts);
    printf("  %-11s %zu\n", "switches", switches);
    egc_status status = print_links(network, err);
    if (!status)
        status = print_names(network, err);
    if (network->n_hosts < 2)
        return status;
    printf("  %-11s %s from one half of the hosts to the other, each way\n", "bisection",
           bandwidth(network->bisection_Bps).chars);
    printf("  %-11s %s%zu link%s, %s\n", "diameter", network->sampled ? "at least " : "",
           network->diameter_links, network->diameter_links == 1 ? "" : "s",
           latency(network->diameter_s).chars);
    return status;
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* The width of a line grows with the logarithm of the bandwidth. */
static double width(double Bps, double least_Bps)
{
    return isfinite(Bps) ? fmin(1 + 1.5 * log10(Bps / least_Bps), 6) : 6;
}

static double least_bandwidth(const egc_topology_graph *network)
{
    double least = INFINITY;
    for (size_t i = 0; i < network->n_edges; i++)
        least = fmin(least, network->edges[i].bandwidth_Bps);
    return isfinite(least) ? least : 1;
}

static void draw_node(const egc_topology_graph *network, size_t i, egc_buf *out)
{
    const egc_topology_graph_node *node = &network->nodes[i];
    switch (node->kind) {
    case EGC_NODE_HOST:
        egc_text_put(out,
                     "  n%zu [label=\"%zu\", tooltip=\"%s\", shape=circle, style=filled, "
                     "fillcolor=\"#56B4E9\"]\n",
                     i, i, node->name);
        break;
    case EGC_NODE_SWITCH:
        egc_text_put(out,
                     "  n%zu [label=\"\", shape=box, width=0.3, height=0.2, style=filled, "
                     "fillcolor=\"#000000\"]\n",
                     i);
        break;
    case EGC_NODE_SHARED:
        egc_text_put(out,
                     "  n%zu [label=\"%s\\n%s\", shape=box, style=filled, "
                     "fillcolor=\"#E69F00\"]\n",
                     i, node->name, bandwidth(node->bandwidth_Bps).chars);
    }
}

/* Fills *out with the number of links from each node to the nearest host. */
static egc_status find_levels(const egc_topology_graph *network, egc_arena *arena, size_t **out,
                              egc_error *err)
{
    size_t *level = *out = egc_arena_alloc(arena, (network->n_nodes + 1) * sizeof *level);
    if (!level)
        return egc_fail_memory(err, network->n_nodes * sizeof *level);
    for (size_t i = 0; i < network->n_nodes; i++)
        level[i] = network->nodes[i].kind == EGC_NODE_HOST ? 0 : network->n_nodes;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < network->n_edges; i++) {
            const egc_topology_graph_edge *edge = &network->edges[i];
            if (level[edge->to] > level[edge->from] + 1) {
                level[edge->to] = level[edge->from] + 1;
                changed = true;
            }
        }
    }
    return EGC_OK;
}

/* Edges point downwards, so that layouts by rank put hosts below switches. The two joints beside a
 * shared link are drawn as one edge. */
static void draw_edge(const egc_topology_graph_edge *edge, const size_t *level, double least_Bps,
                      egc_buf *out)
{
    bool downwards = level[edge->from] != level[edge->to] ? level[edge->from] > level[edge->to]
                                                          : edge->from > edge->to;
    uint32_t upper = downwards ? edge->from : edge->to, lower = downwards ? edge->to : edge->from;
    const char *dir = edge->duplex ? "none" : downwards ? "forward" : "back";
    if (edge->back || (edge->joint && !downwards))
        return;
    if (edge->joint)
        egc_text_put(out, "  n%u -> n%u [dir=none, color=\"#E69F00\"]\n", upper, lower);
    else
        egc_text_put(out, "  n%u -> n%u [dir=%s, penwidth=%.2f, tooltip=\"%s, %s\"]\n", upper,
                     lower, dir, width(edge->bandwidth_Bps, least_Bps),
                     bandwidth(edge->bandwidth_Bps).chars, latency(edge->latency_s).chars);
}

egc_status egc_cluster_page_draw(const egc_topology_graph *network, const char *title, egc_buf *out,
                                 egc_error *err)
{
    double least_Bps = least_bandwidth(network);
    egc_arena arena = {0};
    size_t *level;
    egc_status status = find_levels(network, &arena, &level, err);
    if (status)
        return status;
    egc_text_put(
        out,
        "digraph cluster {\n"
        "  graph [label=\"%s\", labelloc=t, fontname=\"sans-serif\", overlap=false, start=1,\n"
        "         outputorder=edgesfirst, ranksep=0.9, bgcolor=white]\n"
        "  node [fontname=\"sans-serif\", fontsize=10, width=0.35, height=0.35, margin=0.03]\n"
        "  edge [color=\"#555555\", arrowsize=0.6]\n",
        title);
    for (size_t i = 0; i < network->n_nodes; i++)
        draw_node(network, i, out);
    for (size_t i = 0; i < network->n_edges; i++)
        draw_edge(&network->edges[i], level, least_Bps, out);
    egc_text_put(out, "}\n");
    egc_arena_fini(&arena);
    return egc_buf_check(out, err);
}
