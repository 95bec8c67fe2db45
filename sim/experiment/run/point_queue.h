/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which the points of an experiment run, and the training that they share.
 *
 * Points with the same training key learn the same; they differ only in time (cluster, device,
 * ...). The first of them trains and writes a log while the others wait and points with other keys
 * run; then the others replay the log. If the first ends without a log, because training diverged
 * or the disk had no room, each trains alone; if it failed, the next one is the first. */
#ifndef EGC_EXPERIMENT_RUN_POINT_QUEUE_H
#define EGC_EXPERIMENT_RUN_POINT_QUEUE_H

#include "experiment/run/training_cache.h"
#include "experiment/spec/experiment.h"

typedef struct egc_queued_point {
    size_t point;
    const char *key; /* its training key; lives as long as the queue */
    egc_training_role role;
} egc_queued_point;

typedef struct egc_point_queue egc_point_queue;

/* Makes a queue of the points for which is_pending is true. Without share, each trains alone.
 * Removes the logs of earlier runs from the spool. experiment and spool are borrowed. IO, MEMORY.
 */
egc_status egc_point_queue_new(const egc_experiment *experiment, const bool *is_pending, bool share,
                               const char *spool, egc_point_queue **out,
                               egc_error *err) EGC_MUST_CHECK;

/* Removes all logs. Accepts NULL. */
void egc_point_queue_free(egc_point_queue *queue);

/* Takes the next point to run. False if there is none, or none before a running point ends. */
bool egc_point_queue_next(egc_point_queue *queue, egc_queued_point *out);

/* Reports the end of a point after wall_s seconds on the host. */
void egc_point_queue_end(egc_point_queue *queue, size_t point, bool failed, double wall_s);

/* Estimates the seconds until the last point ends, from the mean times of the ended ones; NAN if
 * none has ended. elapsed_s: seconds since the first start. */
double egc_point_queue_left_s(const egc_point_queue *queue, double elapsed_s);

#endif
