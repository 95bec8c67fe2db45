/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers that continue after a failure: the largest group that all reach each other. */
#ifndef EGC_TRAIN_SYNC_QUORUM_H
#define EGC_TRAIN_SYNC_QUORUM_H

#include "net/world/world.h"

/* Chooses among n ascending ranks. Writes the group to chosen (room for n), ascending, and its
 * size. SIMULATION if it is not more than half of the ranks whose hosts are up, since both halves
 * of a divided network must not continue; hosts that are down do not count. MEMORY. */
egc_status egc_quorum_choose(const egc_world *world, const int *ranks, size_t n, int *chosen,
                             size_t *n_chosen, egc_error *err) EGC_MUST_CHECK;

#endif
