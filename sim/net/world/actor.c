/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Actors over SimGrid's actors, with the record of waits from which deadlocks are reported. */
#include "net/world/actor.h"

#include <assert.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/exec.h>

#include "base/mem.h"
#include "net/world/world_core.h"

/* SimGrid calls it at the end of an actor, for any cause. */
static void note_end(int failed, void *arg)
{
    egc_actor *actor = arg;
    actor->failed = failed && !actor->finished && !sg_host_is_on(actor->world->hosts[actor->rank]);
    actor->failed_s = simgrid_get_clock();
    actor->world->failed[actor->rank] |= actor->failed;
}

egc_actor *egc_actor_self(void)
{
    return sg_actor_self_get_data();
}

/* All stacks begin at the same offset of a page, so that the actors' data would compete for a few
 * cache sets. Therefore each actor leaves a gap longer than the one before it, modulo STAGGERS.
 * (512 actors on a ring: a tenth faster.) */
enum { STAGGERS = 16, STAGGER_BYTES = 256 };

/* A killed actor is unwound inside the call in which it waits: it stays unfinished. */
static void run_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    egc_actor *actor = egc_actor_self();
    volatile char gap[1 + STAGGER_BYTES * (actor->number % STAGGERS)];
    (void)gap[0];
    egc_error err = {0};
    sg_actor_on_exit(note_end, actor);
    egc_status status = actor->main(actor->arg, &err);
    actor->finished = true;
    if (status)
        egc_actor_fail_all(actor->world, &err);
}

egc_status egc_actor_spawn(egc_world *world, int rank, const char *name, egc_actor_main main,
                           void *arg, egc_error *err)
{
    if (rank < 0 || rank >= world->config.workers)
        return egc_fail(err, EGC_ERROR_RANGE, "rank of an actor must be in [0, %d], got %d",
                        world->config.workers - 1, rank);
    egc_actor *actor = egc_calloc(1, sizeof *actor);
    if (!actor)
        return egc_fail_memory(err, sizeof *actor);
    *actor = (egc_actor){.world = world,
                         .number = world->n_actors++,
                         .rank = rank,
                         .name = egc_strdup(name),
                         .main = main,
                         .arg = arg};
    *world->next_actor = actor;
    world->next_actor = &actor->next;
    if (!actor->name)
        return egc_fail_memory(err, 1);
    sg_actor_t started = sg_actor_init(name, world->hosts[rank]);
    sg_actor_set_data(started, actor);
    sg_actor_start(started, run_actor, 0, NULL);
    actor->pid = sg_actor_get_pid(started);
    return EGC_OK;
}

void egc_actor_waits(egc_actor *actor, egc_waiting waiting, int peer, int channel)
{
    actor->waiting = waiting;
    actor->peer = peer;
    actor->channel = channel;
    actor->world->progress += waiting == EGC_WAITING_NOT;
}

void egc_actor_end_if_late(egc_world *world)
{
    egc_error err = {0};
    if (egc_world_core_check(world, &err)) {
        egc_actor_fail_all(world, &err);
        sg_actor_exit();
    }
}

void egc_actor_begin_step(egc_world *world, int rank, uint64_t step)
{
    egc_speed_begin_step(&world->speeds[rank], &world->config, rank, step);
}

void egc_actor_compute(egc_world *world, int rank, double seconds)
{
    assert(seconds >= 0);
    if (seconds == 0)
        return;
    const egc_speed *speed = &world->speeds[rank];
    egc_actor *actor = egc_actor_self();
    sg_exec_t work = sg_actor_exec_init(seconds * speed->run * speed->step * world->speed_flops);
    sg_exec_set_host(work, world->hosts[rank]);
    egc_actor_waits(actor, EGC_WAITING_TIME, 0, 0);
    sg_exec_start(work);
    sg_exec_wait(work);
    egc_actor_waits(actor, EGC_WAITING_NOT, 0, 0);
    egc_actor_end_if_late(world);
}

void egc_actor_sleep(egc_world *world, double seconds)
{
    assert(seconds >= 0);
    if (seconds == 0)
        return;
    egc_actor *actor = egc_actor_self();
    egc_actor_waits(actor, EGC_WAITING_TIME, 0, 0);
    sg_actor_sleep_for(seconds);
    egc_actor_waits(actor, EGC_WAITING_NOT, 0, 0);
    egc_actor_end_if_late(world);
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* SimGrid drops a killed actor's pending actions, such as signalling a semaphore; at a wait it has
 * none. It reaches its wait without time passing, unless its host fails. */
static void let_wait(const egc_actor *actor)
{
    while (!actor->finished && !actor->failed && actor->waiting == EGC_WAITING_NOT &&
           sg_host_is_on(actor->world->hosts[actor->rank]))
        sg_actor_yield();
}

void egc_actor_end(egc_world *world, int rank, egc_actor_main main)
{
    for (egc_actor *actor = world->first_actor; actor; actor = actor->next) {
        bool meant = actor->rank == rank && !actor->finished && (!main || actor->main == main);
        if (!meant || actor->pid == sg_actor_self_get_pid())
            continue;
        let_wait(actor);
        sg_actor_t running = actor->finished ? NULL : sg_actor_by_pid(actor->pid);
        actor->finished = true;
        if (running)
            sg_actor_kill(running);
    }
}

void egc_actor_end_all(egc_world *world)
{
    for (egc_actor *actor = world->first_actor; actor; actor = actor->next)
        actor->finished = true;
    sg_actor_kill_all();
}

void egc_actor_fail_all(egc_world *world, const egc_error *failure)
{
    if (!world->failure.status)
        world->failure = *failure;
    sg_actor_kill_all();
}

void egc_actor_free_all(egc_world *world)
{
    for (egc_actor *actor = world->first_actor, *next; actor; actor = next) {
        next = actor->next;
        egc_free(actor->name);
        egc_free(actor);
    }
}
