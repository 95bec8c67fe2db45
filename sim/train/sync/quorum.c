/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Largest clique of the reachability graph, by a greedy search from each rank; exact for a network
 * that falls into parts within which all reach each other. */
#include "train/sync/quorum.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Adds ranks to a group in ring order from `first`, if they reach all in it. Returns its size. */
static size_t gather_around(const bool *reach, size_t n, size_t first, size_t *group)
{
    size_t size = 0;
    for (size_t k = 0; k < n; k++) {
        size_t candidate = (first + k) % n;
        bool fits = reach[candidate * n + candidate];
        for (size_t i = 0; i < size && fits; i++)
            fits = reach[candidate * n + group[i]];
        if (fits)
            group[size++] = candidate;
    }
    return size;
}

static int compare_ranks(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Writes the largest group to chosen, ascending, and returns its size. */
static size_t choose(const bool *reach, const int *ranks, size_t n, size_t *group, int *chosen)
{
    size_t best = 0;
    for (size_t first = 0; first < n; first++) {
        size_t size = reach[first * n + first] ? gather_around(reach, n, first, group) : 0;
        for (size_t i = 0; i < size && size > best; i++)
            chosen[i] = ranks[group[i]];
        best = size > best ? size : best;
    }
    qsort(chosen, best, sizeof *chosen, compare_ranks);
    return best;
}

egc_status egc_quorum_choose(const egc_world *world, const int *ranks, size_t n, int *chosen,
                             size_t *n_chosen, egc_error *err)
{
    bool *reach = egc_calloc(n * n, sizeof *reach);
    size_t *group = egc_calloc(n, sizeof *group), up = 0;
    egc_status status = EGC_OK;
    if (!reach || !group) {
        status = egc_fail_memory(err, n * n);
        goto done;
    }
    for (size_t i = 0; i < n * n; i++)
        reach[i] = egc_failure_reachable(world, ranks[i / n], ranks[i % n]);
    for (size_t i = 0; i < n; i++)
        up += reach[i * n + i];
    *n_chosen = choose(reach, ranks, n, group, chosen);
    if (2 * *n_chosen <= up)
        status = egc_fail(err, EGC_ERROR_SIMULATION,
                          "no group of workers that reach each other at %g s is more than half of "
                          "the %zu whose hosts are up",
                          egc_world_now(world), up);
done:
    egc_free(reach);
    egc_free(group);
    return status;
}
