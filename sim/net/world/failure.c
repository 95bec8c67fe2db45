/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losing hosts and links, and going on without. */
#include <fnmatch.h>
#include <stddef.h>

#include <simgrid/actor.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <xbt/dynar.h>

#include "base/mem.h"
#include "net/world/world_core.h"

/* SimGrid's C interface does not say whether a link is up; its profile was made from the events. */
static bool is_link_up(const egc_world *world, const char *name)
{
    const egc_cluster_common *common = world->config.cluster_params;
    const egc_event *events = common->profiles.items;
    bool up = true;
    for (size_t i = 0; i < common->profiles.n; i++)
        if (events[i].at_s <= egc_world_now(world) && events[i].state != EGC_EVENT_SAME &&
            *events[i].link && fnmatch(events[i].link, name, 0) == 0)
            up = events[i].state == EGC_EVENT_UP;
    return up;
}

static bool is_way_up(const egc_world *world, sg_host_t from, sg_host_t to)
{
    bool up = sg_host_is_on(from) && sg_host_is_on(to);
    if (from == to) /* no event is of its loopback */
        return up;
    xbt_dynar_t route = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(from, to, route);
    for (unsigned long i = 0; i < xbt_dynar_length(route) && up; i++)
        up = is_link_up(world, sg_link_get_name(xbt_dynar_get_as(route, i, sg_link_t)));
    xbt_dynar_free(&route);
    return up;
}

bool egc_failure_reachable(const egc_world *world, int a, int b)
{
    return !world->lost[a] && !world->lost[b] &&
           is_way_up(world, world->hosts[a], world->hosts[b]) &&
           is_way_up(world, world->hosts[b], world->hosts[a]);
}

/* ---- watching -------------------------------------------------------------------------------- */

typedef struct egc_failure_watching {
    struct egc_failure_watching *next;
    egc_failure_watcher watch;
    sg_actor_t watched;
} watching;

static void watch_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    const watching *self = sg_actor_self_get_data();
    const egc_failure_watcher *watch = &self->watch;
    sg_actor_join(self->watched, -1);
    if (watch->world->lost[watch->rank])
        watch->lost(watch->arg);
}

static sg_actor_t first_actor(const egc_world *world, int rank)
{
    const egc_actor *actor = world->first_actor;
    while (actor && actor->rank != rank)
        actor = actor->next;
    return actor ? sg_actor_by_pid(actor->pid) : NULL;
}

egc_status egc_failure_watch(const egc_failure_watcher *watch, egc_error *err)
{
    egc_world *world = watch->world;
    sg_actor_t watched = first_actor(world, watch->rank);
    if (!watched || watch->rank == watch->from)
        return EGC_OK;
    watching *made = egc_calloc(1, sizeof *made);
    if (!made)
        return egc_fail_memory(err, sizeof *made);
    *made = (watching){.next = world->watches, .watch = *watch, .watched = watched};
    world->watches = made;
    sg_actor_ref(watched); /* which may end before it is joined */
    sg_actor_t actor = sg_actor_init("watch", world->hosts[watch->from]);
    sg_actor_set_data(actor, made);
    sg_actor_start(actor, watch_actor, 0, NULL);
    sg_actor_daemonize(actor);
    return EGC_OK;
}

void egc_failure_watches_free(egc_world *world)
{
    for (watching *watch = world->watches, *next; watch; watch = next) {
        next = watch->next;
        sg_actor_unref(watch->watched);
        egc_free(watch);
    }
}

/* ---- ending ---------------------------------------------------------------------------------- */

void egc_actor_end_all(egc_world *world)
{
    for (egc_actor *actor = world->first_actor; actor; actor = actor->next)
        actor->finished = true;
    sg_actor_kill_all();
}

/* SimGrid drops what a killed actor was about to do, as to signal a gate: where it waits, that is
 * nothing. It comes there without time passing, unless its host is lost. */
static void let_wait(const egc_actor *actor)
{
    while (!actor->finished && !actor->lost && actor->waiting == EGC_WAITING_NOT &&
           sg_host_is_on(actor->world->hosts[actor->rank]))
        sg_actor_yield();
}

static void end_actor(egc_actor *actor)
{
    if (actor->pid == sg_actor_self_get_pid())
        return;
    let_wait(actor);
    sg_actor_t running = actor->finished ? NULL : sg_actor_by_pid(actor->pid);
    actor->finished = true;
    if (running)
        sg_actor_kill(running);
}

void egc_actor_end(egc_world *world, int rank, egc_actor_main main)
{
    for (egc_actor *actor = world->first_actor; actor; actor = actor->next)
        if (actor->rank == rank && !actor->finished && (!main || actor->main == main))
            end_actor(actor);
}

void egc_mailbox_forget_all(egc_world *world)
{
    world->epoch++;
    for (int i = 0; i < world->config.workers * world->config.channels; i++)
        egc_mailbox_transport_fini(&world->transports[i]);
}
