/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members watch each other in a ring. The first of them that is up runs the recovery, as an
 * actor of its own, and is watched by the others meanwhile. */
#include "train/sync/failover.h"

#include "base/mem.h"
#include "train/sync/quorum.h"

/* Limit of failures in a row with no exchange between them: a link may go down and up again faster
 * than a message gets through. */
enum { MOST_BREAKS = 100 };

/* ---- watching -------------------------------------------------------------------------------- */

static egc_status recover(void *arg, egc_error *err);

static bool is_up(const egc_world *world, int rank)
{
    return egc_failure_reachable(world, rank, rank);
}

/* Called by a stream that fails, and by the watcher of a host that does. */
static void start_recovery(void *arg)
{
    egc_failover *failover = arg;
    const egc_engine *engine = failover->run->engine;
    egc_world *world = failover->run->world;
    egc_error err = {0};
    if (failover->recovering && is_up(world, failover->recoverer))
        return;
    size_t i = 0;
    while (i < engine->n_members && !is_up(world, engine->members[i]))
        i++;
    if (i == engine->n_members)
        return; /* no member is left */
    failover->recovering = true;
    failover->recoverer = engine->members[i];
    if (egc_actor_spawn(world, failover->recoverer, "recovery", recover, failover, &err))
        egc_actor_fail_all(world, &err);
}

static egc_status watch(egc_failover *failover, int rank, int from, egc_error *err)
{
    const egc_failure_watcher watch = {
        .world = failover->run->world,
        .rank = rank,
        .from = from,
        .failed = start_recovery,
        .arg = failover,
    };
    return egc_failure_watch(&watch, err);
}

/* Each member is watched by the next one in the ring, so that of members that fail at once at least
 * one is watched by a survivor. */
egc_status egc_failover_watch(egc_failover *failover, egc_error *err)
{
    const egc_engine *engine = failover->run->engine;
    size_t n = engine->n_members;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = watch(failover, engine->members[i], engine->members[(i + 1) % n], err);
    return status;
}

/* The member that failed may have been the one that watched the recoverer. */
static egc_status watch_recoverer(egc_failover *failover, egc_error *err)
{
    const egc_engine *engine = failover->run->engine;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < engine->n_members && !status; i++)
        if (is_up(failover->run->world, engine->members[i]))
            status = watch(failover, failover->recoverer, engine->members[i], err);
    return status;
}

/* ---- recovery -------------------------------------------------------------------------------- */

static egc_status end_streams(egc_failover *failover, egc_error *err)
{
    const egc_engine *engine = failover->run->engine;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < engine->n_members && !status; i++) {
        int rank = engine->members[i];
        egc_actor_end(failover->run->world, rank, failover->ops->stream);
        status = failover->ops->ended(failover->arg, (size_t)rank, err);
    }
    return status;
}

static void count_break(egc_failover *failover)
{
    bool again = failover->broken == failover->n_committed;
    failover->breaks = again ? failover->breaks + 1 : 1;
    failover->broken = failover->n_committed;
}

/* Ends the actors of members that are not chosen; both lists are ascending. */
static void end_others(egc_failover *failover, size_t n_chosen)
{
    const egc_engine *engine = failover->run->engine;
    size_t next = 0;
    for (size_t i = 0; i < engine->n_members; i++) {
        if (next < n_chosen && failover->chosen[next] == engine->members[i])
            next++;
        else
            egc_actor_end(failover->run->world, engine->members[i], NULL);
    }
}

/* Reports steps that only dropped members had yet to end. At most two are under way. */
static egc_status report_ended_steps(egc_sync_run *run, egc_error *err)
{
    uint64_t begun = run->steps_begun;
    egc_status status = EGC_OK;
    for (uint64_t step = begun > 2 ? begun - 2 : 0; step < run->steps_ended && !status; step++)
        status = egc_sync_run_report_step(run, step, err);
    return status;
}

static egc_status regroup(egc_failover *failover, egc_error *err)
{
    egc_sync_run *run = failover->run;
    egc_engine *engine = run->engine;
    size_t n = 0;
    egc_status status = egc_quorum_choose(run->world, engine->members, engine->n_members,
                                          failover->chosen, &n, err);
    if (status)
        return status;
    end_others(failover, n);
    egc_engine_regroup(engine, failover->chosen, n);
    egc_mailbox_forget_all(run->world);
    egc_barrier_free(failover->arrived);
    failover->arrived = egc_barrier_new((int)n);
    return failover->arrived ? report_ended_steps(run, err) : egc_fail_memory(err, 1);
}

static egc_status recover(void *arg, egc_error *err)
{
    egc_failover *failover = arg;
    egc_sync_run *run = failover->run;
    egc_status status = watch_recoverer(failover, err);
    if (!status)
        status = end_streams(failover, err);
    if (status)
        return status;
    count_break(failover);
    egc_actor_sleep(run->world, run->engine->config->options.failure_timeout_s);
    status = regroup(failover, err);
    failover->recovering = false;
    if (!status)
        status = failover->ops->begin(failover->arg, err);
    return status ? status : egc_failover_watch(failover, err);
}

/* ---- called by streams ----------------------------------------------------------------------- */

void egc_failover_commit(egc_failover *failover, uint64_t *n_through)
{
    egc_barrier_wait(failover->arrived);
    failover->n_committed = ++*n_through;
}

egc_status egc_failover_handle(egc_failover *failover, egc_status status)
{
    if (status != EGC_ERROR_SIMULATION || failover->breaks > MOST_BREAKS)
        return status;
    start_recovery(failover);
    return EGC_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

egc_status egc_failover_init(egc_failover *failover, egc_sync_run *run, const egc_failover_ops *ops,
                             void *arg, egc_error *err)
{
    size_t n = run->engine->n_workers;
    *failover = (egc_failover){
        .run = run,
        .ops = ops,
        .arg = arg,
        .broken = UINT64_MAX,
        .arrived = egc_barrier_new((int)n),
        .chosen = egc_calloc(n, sizeof *failover->chosen),
    };
    return failover->arrived && failover->chosen
               ? EGC_OK
               : egc_fail_memory(err, n * sizeof *failover->chosen);
}

void egc_failover_fini(egc_failover *failover)
{
    egc_barrier_free(failover->arrived);
    egc_free(failover->chosen);
}
