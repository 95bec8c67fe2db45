/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communication graphs of gossip.
 *
 *   ring         each worker with the one before and the one after
 *   torus        rows x columns, as close to a square as the number allows; four neighbours
 *   exponential  to the workers 1, 2, 4, ... ahead, from those behind: the static exponential graph
 *                (Ying et al. 2021, arXiv 2110.13363), which is directed
 *
 * All are regular, so the weight of each edge, and of a worker itself, is 1 / (degree + 1):
 * Metropolis weights. The mixing matrix is doubly stochastic. Neighbours that coincide, as in a
 * ring of two, count once. */
#ifndef EGC_TRAIN_GOSSIP_GRAPH_H
#define EGC_TRAIN_GOSSIP_GRAPH_H

#include <stddef.h>

#include "base/error.h"

typedef enum egc_gossip_graph_kind {
    EGC_GOSSIP_GRAPH_RING,
    EGC_GOSSIP_GRAPH_TORUS,
    EGC_GOSSIP_GRAPH_EXPONENTIAL,
} egc_gossip_graph_kind;

extern const char *const egc_gossip_graph_names[]; /* by kind, NULL-terminated */

enum { EGC_GOSSIP_GRAPH_DEGREE_MAX = 32 };

/* The neighbours of one worker, as ranks. */
typedef struct egc_gossip_graph_neighbours {
    size_t degree;
    size_t to[EGC_GOSSIP_GRAPH_DEGREE_MAX];   /* receivers of its messages */
    size_t from[EGC_GOSSIP_GRAPH_DEGREE_MAX]; /* senders to it */
} egc_gossip_graph_neighbours;

egc_gossip_graph_neighbours egc_gossip_graph_of(egc_gossip_graph_kind kind, size_t n_workers,
                                                size_t worker);

/* RANGE for a torus of one row, as of a prime number of workers. */
egc_status egc_gossip_graph_check(egc_gossip_graph_kind kind, size_t n_workers,
                                  egc_error *err) EGC_MUST_CHECK;

#endif
