/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which point of an experiment is run next, and how it comes to what it learns.
 *
 * Points that differ only in what is about time (the cluster, the device, ...) learn the same. The
 * first of them to be run trains and writes a log; meanwhile the others wait and points of other
 * learning are run; then they replay the log. When the first ends without a log, because training
 * diverged or the log had no room, each trains for itself; when it failed, the next is the first.
 */
#ifndef EGC_EXPERIMENT_RUN_POINT_QUEUE_H
#define EGC_EXPERIMENT_RUN_POINT_QUEUE_H

#include "experiment/run/training_cache.h"
#include "experiment/spec/experiment.h"

/* A point's turn. */
typedef struct egc_queued_point {
    size_t point;
    const char *key; /* of what it learns */
    egc_training_role role;
} egc_queued_point;

typedef struct egc_point_queue egc_point_queue;

/* Of the points that is_pending says yes to. With share false, each learns alone. Logs that an
 * earlier run left in the spool are removed. experiment and spool must outlive it. IO, MEMORY. */
egc_status egc_point_queue_new(const egc_experiment *experiment, const bool *is_pending, bool share,
                               const char *spool, egc_point_queue **out,
                               egc_error *err) EGC_MUST_CHECK;

/* Removes what logs there are. Accepts NULL. */
void egc_point_queue_free(egc_point_queue *queue);

/* Takes the next turn. False when there is none, or none until a point under way has ended. */
bool egc_point_queue_next(egc_point_queue *queue, egc_queued_point *out);

/* A point has ended, after wall_s on the host. */
void egc_point_queue_end(egc_point_queue *queue, size_t point, bool failed, double wall_s);

/* Expects when the last will have ended, by what points have taken so far. NAN before the first.
 * elapsed_s: since the first was started. */
double egc_point_queue_left_s(const egc_point_queue *queue, double elapsed_s);

#endif
