/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/sync/failover.h"

#include "base/mem.h"
#include "train/sync/quorum.h"

/* Breaks without an exchange between them that are borne with: a link may go up and down faster
 * than anything gets through. */
enum { MOST_BREAKS = 100 };

/* ---- watching over each other ---------------------------------------------------------------- */

static egc_status recover(void *arg, egc_error *err);

static bool is_up(const egc_world *world, int rank)
{
    return egc_world_reaches(world, rank, rank);
}

/* Called by streams that fail, and by who watches a host that does. The first member whose host is
 * up sees to it. */
static void start_recovery(void *arg)
{
    egc_survivors *survivors = arg;
    const egc_learning *learning = survivors->run->learning;
    egc_world *world = survivors->run->world;
    egc_error err = {0};
    if (survivors->recovering && is_up(world, survivors->recoverer))
        return;
    size_t i = 0;
    while (i < learning->n_members && !is_up(world, learning->members[i]))
        i++;
    if (i == learning->n_members)
        return; /* nobody is left */
    survivors->recovering = true;
    survivors->recoverer = learning->members[i];
    if (egc_world_spawn(world, survivors->recoverer, "recovery", recover, survivors, &err))
        egc_world_fail(world, &err);
}

static egc_status watch(egc_survivors *survivors, int rank, int from, egc_error *err)
{
    const egc_watch watch = {
        .world = survivors->run->world,
        .rank = rank,
        .from = from,
        .lost = start_recovery,
        .arg = survivors,
    };
    return egc_world_watch(&watch, err);
}

/* Each member watches the one before it: of those that fail at once, one is watched by a survivor.
 */
egc_status egc_survivors_watch(egc_survivors *survivors, egc_error *err)
{
    const egc_learning *learning = survivors->run->learning;
    size_t n = learning->n_members;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = watch(survivors, learning->members[i], learning->members[(i + 1) % n], err);
    return status;
}

/* Whoever failed may have been the one that watched it. */
static egc_status watch_recoverer(egc_survivors *survivors, egc_error *err)
{
    const egc_learning *learning = survivors->run->learning;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < learning->n_members && !status; i++)
        if (is_up(survivors->run->world, learning->members[i]))
            status = watch(survivors, survivors->recoverer, learning->members[i], err);
    return status;
}

/* ---- ending and beginning anew --------------------------------------------------------------- */

static egc_status end_streams(egc_survivors *survivors, egc_error *err)
{
    const egc_learning *learning = survivors->run->learning;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < learning->n_members && !status; i++) {
        int rank = learning->members[i];
        egc_world_end_actors(survivors->run->world, rank, survivors->ops->stream);
        status = survivors->ops->ended(survivors->arg, (size_t)rank, err);
    }
    return status;
}

static void count_break(egc_survivors *survivors)
{
    bool again = survivors->broken == survivors->n_committed;
    survivors->breaks = again ? survivors->breaks + 1 : 1;
    survivors->broken = survivors->n_committed;
}

/* Both lists are ascending. */
static void leave_out(egc_survivors *survivors, size_t n_chosen)
{
    const egc_learning *learning = survivors->run->learning;
    size_t next = 0;
    for (size_t i = 0; i < learning->n_members; i++) {
        if (next < n_chosen && survivors->chosen[next] == learning->members[i])
            next++;
        else
            egc_world_end_actors(survivors->run->world, learning->members[i], NULL);
    }
}

/* Steps that nobody but those who are left out had yet to end. At most two are under way. */
static egc_status report_ended_steps(egc_run *run, egc_error *err)
{
    uint64_t begun = run->steps_begun;
    egc_status status = EGC_OK;
    for (uint64_t step = begun > 2 ? begun - 2 : 0; step < run->steps_ended && !status; step++)
        status = egc_run_report_step(run, step, err);
    return status;
}

static egc_status regroup(egc_survivors *survivors, egc_error *err)
{
    egc_run *run = survivors->run;
    egc_learning *learning = run->learning;
    size_t n = 0;
    egc_status status = egc_members_choose(run->world, learning->members, learning->n_members,
                                           survivors->chosen, &n, err);
    if (status)
        return status;
    leave_out(survivors, n);
    egc_learning_regroup(learning, survivors->chosen, n);
    egc_world_forget_messages(run->world);
    egc_barrier_free(survivors->arrived);
    survivors->arrived = egc_barrier_new((int)n);
    return survivors->arrived ? report_ended_steps(run, err) : egc_fail_memory(err, 1);
}

static egc_status recover(void *arg, egc_error *err)
{
    egc_survivors *survivors = arg;
    egc_run *run = survivors->run;
    egc_status status = watch_recoverer(survivors, err);
    if (!status)
        status = end_streams(survivors, err);
    if (status)
        return status;
    count_break(survivors);
    egc_world_sleep(run->world, run->learning->config->options.failure_timeout_s);
    status = regroup(survivors, err);
    survivors->recovering = false;
    if (!status)
        status = survivors->ops->begin(survivors->arg, err);
    return status ? status : egc_survivors_watch(survivors, err);
}

/* ---- what streams call ----------------------------------------------------------------------- */

void egc_survivors_commit(egc_survivors *survivors, uint64_t *n_through)
{
    egc_barrier_wait(survivors->arrived);
    survivors->n_committed = ++*n_through;
}

egc_status egc_survivors_judge(egc_survivors *survivors, egc_status status)
{
    if (status != EGC_ERROR_SIMULATION || survivors->breaks > MOST_BREAKS)
        return status;
    start_recovery(survivors);
    return EGC_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

egc_status egc_survivors_init(egc_survivors *survivors, egc_run *run, const egc_survivors_ops *ops,
                              void *arg, egc_error *err)
{
    size_t n = run->learning->n_workers;
    *survivors = (egc_survivors){
        .run = run,
        .ops = ops,
        .arg = arg,
        .broken = UINT64_MAX,
        .arrived = egc_barrier_new((int)n),
        .chosen = egc_calloc(n, sizeof *survivors->chosen),
    };
    return survivors->arrived && survivors->chosen
               ? EGC_OK
               : egc_fail_memory(err, n * sizeof *survivors->chosen);
}

void egc_survivors_fini(egc_survivors *survivors)
{
    egc_barrier_free(survivors->arrived);
    egc_free(survivors->chosen);
}
