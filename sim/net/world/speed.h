/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences in speed between workers on equal devices: host_speeds, stragglers and jitter of a
 * cluster. Private to sim/net.
 *
 * Host i computes at host_speeds[i mod n]. round(stragglers * workers) workers, drawn once a run,
 * take straggler_slowdown times as long. With `jitter` j the time of each step of each worker is
 * multiplied by its own gamma-distributed number of mean 1 and standard deviation j. All draws
 * come from the run's seed. Servers, the last ranks, are neither stragglers nor jittered. */
#ifndef EGC_NET_WORLD_SPEED_H
#define EGC_NET_WORLD_SPEED_H

#include "net/world/world_config.h"

/* Factors of the time that a rank computes, applied by egc_actor_compute. */
typedef struct egc_speed {
    double run;  /* during the whole run */
    double step; /* in the current step */
} egc_speed;

/* Fills in one entry for each of config->workers ranks. MEMORY. */
egc_status egc_speed_init(egc_speed *speeds, const egc_world_config *config,
                          egc_error *err) EGC_MUST_CHECK;

/* Draws the factor of a rank's step. */
void egc_speed_begin_step(egc_speed *speed, const egc_world_config *config, int rank,
                          uint64_t step);

#endif
