/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Actors: what they run, how they end, and how they spend simulated time. */
#include <assert.h>
#include <simgrid/exec.h>

#include "base/mem.h"
#include "net/world/world_core.h"

/* When an actor ends, whatever ends it. */
static void note_loss(int failed, void *arg)
{
    egc_actor *actor = arg;
    actor->lost = failed && !actor->finished && !sg_host_is_on(actor->world->hosts[actor->rank]);
    actor->lost_s = egc_world_now(actor->world);
    actor->world->lost[actor->rank] |= actor->lost;
}

egc_actor *egc_actor_self(void)
{
    return sg_actor_self_get_data();
}

/* All stacks begin at the same place of a page: what actors touch between two waits would meet in
 * the same few sets of a cache. So each leaves a gap, longer than that of the one before it. (512
 * actors on a ring: a tenth faster.) */
enum { STAGGERS = 16, STAGGER_BYTES = 256 };

/* An actor that is killed is unwound from within whatever call it waits in: it comes here no more
 * and stays unfinished. */
static void run_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    egc_actor *actor = egc_actor_self();
    volatile char gap[1 + STAGGER_BYTES * (actor->number % STAGGERS)];
    (void)gap[0];
    egc_error err = {0};
    sg_actor_on_exit(note_loss, actor);
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
                         .number = world->n_actors,
                         .rank = rank,
                         .name = egc_strdup(name),
                         .main = main,
                         .arg = arg};
    if (!actor->name) {
        egc_free(actor);
        return egc_fail_memory(err, 1);
    }
    *world->next_actor = actor;
    world->next_actor = &actor->next;
    world->n_actors++;
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
    egc_speed_begin_step(&world->worker_speeds[rank], &world->config, rank, step);
}

void egc_actor_compute(egc_world *world, int rank, double seconds)
{
    assert(seconds >= 0);
    if (seconds == 0)
        return;
    const egc_speed *speed = &world->worker_speeds[rank];
    sg_exec_t work = sg_actor_exec_init(seconds * speed->lasting * speed->now * world->speed_flops);
    sg_exec_set_host(work, world->hosts[rank]);
    egc_actor *actor = egc_actor_self();
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
