/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who goes on when workers are lost: the largest group whose members all reach each other. */
#ifndef EGC_TRAIN_SYNC_QUORUM_H
#define EGC_TRAIN_SYNC_QUORUM_H

#include "net/world/world.h"

/* Of n ranks, ascending, those that go on: into chosen (room for n), ascending. SIMULATION when
 * they are not more than half of those whose hosts are up: two halves of a network that is cut must
 * not both go on, while a host that is down goes nowhere. MEMORY. */
egc_status egc_quorum_choose(const egc_world *world, const int *ranks, size_t n, int *chosen,
                             size_t *n_chosen, egc_error *err) EGC_MUST_CHECK;

#endif
