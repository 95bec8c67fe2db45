/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Neighbours in closed form, by rank. */
#include "train/gossip/graph.h"

#include <stdbool.h>

const char *const egc_gossip_graph_names[] = {"ring", "torus", "exponential", NULL};

/* The largest divisor of n not above its square root. */
static size_t rows_of(size_t n)
{
    size_t rows = 1;
    for (size_t d = 2; d * d <= n; d++)
        if (n % d == 0)
            rows = d;
    return rows;
}

static void add(egc_gossip_graph_neighbours *neighbours, size_t worker, size_t to, size_t from)
{
    for (size_t i = 0; i < neighbours->degree; i++)
        if (neighbours->to[i] == to)
            return;
    if (to == worker)
        return;
    neighbours->to[neighbours->degree] = to;
    neighbours->from[neighbours->degree++] = from;
}

static void add_both(egc_gossip_graph_neighbours *neighbours, size_t worker, size_t a, size_t b)
{
    add(neighbours, worker, a, a);
    add(neighbours, worker, b, b);
}

egc_gossip_graph_neighbours egc_gossip_graph_of(egc_gossip_graph_kind kind, size_t n, size_t worker)
{
    egc_gossip_graph_neighbours neighbours = {0};
    size_t rows = rows_of(n), columns = n / rows;
    size_t row = worker / columns * columns, column = worker % columns;
    switch (kind) {
    case EGC_GOSSIP_GRAPH_RING:
        add_both(&neighbours, worker, (worker + n - 1) % n, (worker + 1) % n);
        break;
    case EGC_GOSSIP_GRAPH_TORUS:
        add_both(&neighbours, worker, row + (column + columns - 1) % columns,
                 row + (column + 1) % columns);
        add_both(&neighbours, worker, (worker + n - columns) % n, (worker + columns) % n);
        break;
    case EGC_GOSSIP_GRAPH_EXPONENTIAL:
        for (size_t ahead = 1; ahead < n; ahead *= 2)
            add(&neighbours, worker, (worker + ahead) % n, (worker + n - ahead) % n);
        break;
    }
    return neighbours;
}

egc_status egc_gossip_graph_check(egc_gossip_graph_kind kind, size_t n_workers, egc_error *err)
{
    if (kind == EGC_GOSSIP_GRAPH_TORUS && rows_of(n_workers) == 1)
        return egc_fail(
            err, EGC_ERROR_RANGE,
            "workers: a torus needs rows and columns of two or more, got %zu; use graph "
            "= \"ring\"",
            n_workers);
    return EGC_OK;
}
