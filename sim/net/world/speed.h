/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast each worker computes, beside the device: host_speeds, stragglers and jitter of a
 * cluster. Private to sim/net.
 *
 * Host i computes at host_speeds[i], beginning again after the last. `stragglers` of the workers,
 * rounded, drawn once a run, take straggler_slowdown times as long. With `jitter` j the time of
 * each step of each worker is multiplied by a number of its own, gamma-distributed with mean 1 and
 * standard deviation j. All is drawn from the run's seed, and servers, the last ranks, are not
 * drawn. */
#ifndef EGC_NET_WORLD_SPEED_H
#define EGC_NET_WORLD_SPEED_H

#include "net/world/world.h"

/* What seconds on the device are multiplied by; egc_actor_compute does. */
typedef struct egc_speed {
    double lasting; /* for the whole run */
    double now;     /* in this step */
} egc_speed;

/* Fills in that of config->workers ranks. MEMORY. */
egc_status egc_speed_init(egc_speed *worker_speeds, const egc_world_config *config,
                          egc_error *err) EGC_MUST_CHECK;

/* Draws that of a step. */
void egc_speed_begin_step(egc_speed *speed, const egc_world_config *config, int rank,
                          uint64_t step);

#endif
