/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points with one training key are a group; a group's state decides the role of its next
 * point. The estimate of the time left knows the mean times of training and of replaying. */
#include "experiment/run/point_queue.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "experiment/spec/identity.h"
#include "experiment/spec/index.h"

/* The points with one training key. */
typedef struct group {
    char key[EGC_TRAINING_LOG_KEY_LENGTH];
    size_t n_left; /* points that have not ended */
    enum {
        UNTRAINED,
        TRAINING, /* its first point runs */
        LOGGED,
        SEPARATE, /* each point trains alone */
    } state;
} group;

typedef struct entry {
    group *group;
    enum { NOT_PENDING, PENDING, RUNNING } state;
    egc_training_role role;
} entry;

/* The total time of the points that ended. */
typedef struct timing {
    size_t n;
    double wall_s;
} timing;

struct egc_point_queue {
    const egc_experiment *experiment;
    const char *spool;
    entry *entries; /* one a point */
    group *groups;
    size_t n_groups;
    size_t next; /* no point before this one is pending */
    timing training, replaying;
};

/* ---- life ------------------------------------------------------------------------------------ */

/* Measured points cannot replay: a replay does not compress. Their keys differ from those of
 * others.
 */
static bool is_measured(const egc_point *point)
{
    return point->config.options.cost == EGC_COST_MEASURED;
}

static egc_status make_groups(egc_point_queue *queue, const bool *is_pending, bool share,
                              egc_error *err)
{
    egc_index keys = {0};
    egc_status status = EGC_OK;
    for (size_t i = 0; i < queue->experiment->n_points && !status; i++) {
        const egc_point *point = &queue->experiment->points[i];
        group *new = &queue->groups[queue->n_groups];
        if (!is_pending[i])
            continue;
        status = egc_identity_training_key(&point->config, new->key, err);
        group *own = &queue->groups[egc_index_add(&keys, new->key, queue->n_groups)];
        if (own == new) {
            own->state = share && !is_measured(point) ? UNTRAINED : SEPARATE;
            queue->n_groups++;
        }
        own->n_left++;
        queue->entries[i] = (entry){.group = own, .state = PENDING};
    }
    if (!status)
        status = egc_index_check(&keys, err);
    egc_index_fini(&keys);
    return status;
}

egc_status egc_point_queue_new(const egc_experiment *experiment, const bool *is_pending, bool share,
                               const char *spool, egc_point_queue **out, egc_error *err)
{
    size_t n = experiment->n_points;
    egc_point_queue *queue = *out = egc_calloc(1, sizeof *queue);
    if (!queue)
        return egc_fail_memory(err, sizeof *queue);
    queue->experiment = experiment;
    queue->spool = spool;
    queue->entries = egc_calloc(n, sizeof *queue->entries);
    queue->groups = egc_calloc(n + 1, sizeof *queue->groups);
    egc_status status = queue->entries && queue->groups
                            ? make_groups(queue, is_pending, share, err)
                            : egc_fail_memory(err, n * sizeof *queue->groups);
    if (!status)
        status = egc_training_cache_clear(spool, err);
    if (status) {
        egc_point_queue_free(queue);
        *out = NULL;
    }
    return status;
}

void egc_point_queue_free(egc_point_queue *queue)
{
    if (!queue)
        return;
    egc_error leftover; /* the next run into the folder removes it */
    egc_status removed = egc_training_cache_clear(queue->spool, &leftover);
    (void)removed;
    egc_free(queue->entries);
    egc_free(queue->groups);
    egc_free(queue);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* False if the points of the group must wait. */
static bool choose_role(const group *own, egc_training_role *out)
{
    *out = own->state == LOGGED ? EGC_TRAINING_REPLAYED : EGC_TRAINING_ALONE;
    if (own->state == UNTRAINED && own->n_left > 1)
        *out = EGC_TRAINING_LOGGED;
    return own->state != TRAINING;
}

/* The first point that need not wait, or NULL. */
static entry *find_ready(egc_point_queue *queue, bool by_log)
{
    for (size_t i = queue->next; i < queue->experiment->n_points; i++) {
        entry *one = &queue->entries[i];
        if (one->state == PENDING && choose_role(one->group, &one->role) &&
            (!by_log || one->role == EGC_TRAINING_REPLAYED))
            return one;
    }
    return NULL;
}

/* Points that replay come first: so there are at most as many logs as running points, and least
 * must be trained again after an interruption. */
bool egc_point_queue_next(egc_point_queue *queue, egc_queued_point *out)
{
    while (queue->next < queue->experiment->n_points &&
           queue->entries[queue->next].state != PENDING)
        queue->next++;
    entry *one = find_ready(queue, true);
    if (!one)
        one = find_ready(queue, false);
    if (!one)
        return false;
    one->state = RUNNING;
    if (one->role == EGC_TRAINING_LOGGED)
        one->group->state = TRAINING;
    *out = (egc_queued_point){
        .point = (size_t)(one - queue->entries), .key = one->group->key, .role = one->role};
    return true;
}

static void end_first(egc_point_queue *queue, group *own, bool failed)
{
    if (egc_training_cache_has(queue->spool, own->key))
        own->state = LOGGED;
    else
        own->state = failed ? UNTRAINED : SEPARATE;
}

void egc_point_queue_end(egc_point_queue *queue, size_t point, bool failed, double wall_s)
{
    entry *one = &queue->entries[point];
    timing *own = one->role == EGC_TRAINING_REPLAYED ? &queue->replaying : &queue->training;
    one->state = NOT_PENDING;
    own->n++;
    own->wall_s += wall_s;
    one->group->n_left--;
    if (one->role == EGC_TRAINING_LOGGED)
        end_first(queue, one->group, failed);
    if (one->group->n_left == 0)
        egc_training_cache_remove(queue->spool, one->group->key);
}

/* ---- time left ------------------------------------------------------------------------------- */

/* The number of points left in a group that will train if none fails. */
static size_t n_to_train(const group *own)
{
    if (own->state == SEPARATE)
        return own->n_left;
    return own->state != LOGGED && own->n_left > 0;
}

/* Before a replay has ended, replaying counts as much as training. */
double egc_point_queue_left_s(const egc_point_queue *queue, double elapsed_s)
{
    const timing *training = &queue->training, *replaying = &queue->replaying;
    if (training->n == 0)
        return NAN;
    double train_s = training->wall_s / (double)training->n;
    double replay_s = replaying->n ? replaying->wall_s / (double)replaying->n : train_s;
    double left_s = 0;
    for (size_t i = 0; i < queue->n_groups; i++) {
        const group *one = &queue->groups[i];
        double n_train = (double)n_to_train(one);
        left_s += n_train * train_s + ((double)one->n_left - n_train) * replay_s;
    }
    return elapsed_s * left_s / (training->wall_s + replaying->wall_s);
}
