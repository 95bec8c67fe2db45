/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hosts by index, the energy of routes, and the check that ends late or failed runs. */
#include "net/world/world_core.h"

#include <math.h>
#include <simgrid/engine.h>
#include <simgrid/link.h>
#include <xbt/dynar.h>

sg_host_t egc_world_core_host(const egc_world_config *config, size_t index)
{
    char room[EGC_HOST_NAME];
    return sg_host_by_name(
        egc_cluster_host_name(config->cluster, config->cluster_params, index, room));
}

double egc_world_core_joules_per_byte(const egc_world *world, sg_host_t from, sg_host_t to)
{
    const egc_cluster_common *common = world->config.cluster_params;
    double joules = 0;
    if (!world->config.energy || from == to)
        return 0;
    xbt_dynar_t route = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(from, to, route);
    for (unsigned long i = 0; i < xbt_dynar_length(route); i++)
        joules += (common->link_busy_W - common->link_idle_W) /
                  sg_link_get_bandwidth(xbt_dynar_get_as(route, i, sg_link_t));
    xbt_dynar_free(&route);
    return joules;
}

static double limit_s(const egc_world *world)
{
    return fmin(world->config.max_sim_time_s, EGC_TIME_S_MAX);
}

egc_status egc_world_core_check(const egc_world *world, egc_error *err)
{
    if (world->failure.status)
        return egc_fail(err, world->failure.status, "%s", world->failure.message);
    if (simgrid_get_clock() > limit_s(world))
        return egc_fail(err, EGC_ERROR_TIMEOUT, "simulated time passed its limit of %g s",
                        limit_s(world));
    return EGC_OK;
}
