/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SimGrid's C interface does not tell whether a link is up, so that is derived from the events of
 * which its profile was made. A host is watched by an actor that joins one of the host's. */
#include "net/world/failure.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/link.h>
#include <xbt/dynar.h>

#include "base/mem.h"
#include "net/world/actor.h"
#include "net/world/world_core.h"

static bool is_link_up(const egc_world *world, const char *name)
{
    const egc_cluster_common *common = world->config.cluster_params;
    const egc_event *events = common->events.items;
    bool up = true;
    for (size_t i = 0; i < common->events.n; i++)
        if (events[i].at_s <= simgrid_get_clock() && events[i].state != EGC_EVENT_SAME &&
            egc_events_match(&events[i], name, true))
            up = events[i].state == EGC_EVENT_UP;
    return up;
}

static bool is_route_up(const egc_world *world, sg_host_t from, sg_host_t to)
{
    bool up = sg_host_is_on(from) && sg_host_is_on(to);
    if (from == to) /* events do not change its loopback */
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
    return !world->failed[a] && !world->failed[b] &&
           is_route_up(world, world->hosts[a], world->hosts[b]) &&
           is_route_up(world, world->hosts[b], world->hosts[a]);
}

/* ---- watching -------------------------------------------------------------------------------- */

typedef struct egc_failure_watching {
    struct egc_failure_watching *next;
    egc_failure_watcher watcher;
    sg_actor_t watched;
} watching;

static void watch_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    const watching *self = sg_actor_self_get_data();
    const egc_failure_watcher *watcher = &self->watcher;
    sg_actor_join(self->watched, -1);
    if (watcher->world->failed[watcher->rank])
        watcher->failed(watcher->arg);
}

static sg_actor_t first_actor(const egc_world *world, int rank)
{
    const egc_actor *actor = world->first_actor;
    while (actor && actor->rank != rank)
        actor = actor->next;
    return actor ? sg_actor_by_pid(actor->pid) : NULL;
}

egc_status egc_failure_watch(const egc_failure_watcher *watcher, egc_error *err)
{
    egc_world *world = watcher->world;
    sg_actor_t watched = first_actor(world, watcher->rank);
    if (!watched || watcher->rank == watcher->from)
        return EGC_OK;
    watching *made = egc_calloc(1, sizeof *made);
    if (!made)
        return egc_fail_memory(err, sizeof *made);
    *made = (watching){.next = world->watches, .watcher = *watcher, .watched = watched};
    world->watches = made;
    sg_actor_ref(watched); /* it may end before it is joined */
    sg_actor_t actor = sg_actor_init("watch", world->hosts[watcher->from]);
    sg_actor_set_data(actor, made);
    sg_actor_start(actor, watch_actor, 0, NULL);
    sg_actor_daemonize(actor);
    return EGC_OK;
}

void egc_failure_free_all(egc_world *world)
{
    for (watching *watch = world->watches, *next; watch; watch = next) {
        next = watch->next;
        sg_actor_unref(watch->watched);
        egc_free(watch);
    }
}
