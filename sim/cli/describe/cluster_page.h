/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page and the drawing of a cluster's network. */
#ifndef EGC_CLI_DESCRIBE_CLUSTER_PAGE_H
#define EGC_CLI_DESCRIBE_CLUSTER_PAGE_H

#include "net/topology/graph.h"

/* Prints hosts, links, bisection bandwidth and diameter to stdout. MEMORY. */
egc_status egc_cluster_page_print(const egc_topology_graph *network, egc_error *err) EGC_MUST_CHECK;

/* Appends the network as a graph in graphviz's language. MEMORY. */
egc_status egc_cluster_page_draw(const egc_topology_graph *network, const char *title, egc_buf *out,
                                 egc_error *err) EGC_MUST_CHECK;

#endif
