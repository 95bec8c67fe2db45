/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/energy.h"

#include <math.h>
#include <simgrid/link.h>
#include <simgrid/plugins/energy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xbt/dynar.h>

#include "base/mem.h"

#define HOST_POWER "wattage_per_state"

static egc_status check_power(const egc_world_config *config, egc_error *err)
{
    const egc_device *device = &config->device;
    const egc_cluster_common *common = config->cluster_params;
    if (!(device->busy_W > 0 && device->busy_W >= device->idle_W && isfinite(device->busy_W)))
        return egc_fail(err, EGC_ERROR_RANGE,
                        "energy: busy_power of the device must be > 0 and >= its idle_power, %g W, "
                        "got %g W",
                        device->idle_W, device->busy_W);
    if (!(common->link_busy_W >= common->link_idle_W && isfinite(common->link_busy_W)))
        return egc_fail(err, EGC_ERROR_RANGE,
                        "energy: link_busy_power must be >= link_idle_power, %g W, got %g W",
                        common->link_idle_W, common->link_busy_W);
    return EGC_OK;
}

/* Ranks may share hosts: each of those counts once, and is marked in its user data. */
static egc_status list_hosts(egc_world *world, egc_error *err)
{
    size_t ranks = (size_t)world->config.workers;
    world->powered = egc_calloc(ranks, sizeof *world->powered);
    if (!world->powered)
        return egc_fail_memory(err, ranks * sizeof *world->powered);
    for (size_t rank = 0; rank < ranks; rank++) {
        sg_host_t host = world->hosts[rank];
        if (sg_host_get_data(host))
            continue;
        sg_host_set_data(host, world);
        world->powered[world->n_powered++] = host;
    }
    return EGC_OK;
}

/* Idle, with the least load, and with all cores busy: in proportion. A platform file may say what
 * its hosts draw. */
static void set_host_power(egc_world *world)
{
    char idle[32], busy[32], all[128];
    egc_real_format(world->config.device.idle_W, idle, sizeof idle);
    egc_real_format(world->config.device.busy_W, busy, sizeof busy);
    snprintf(all, sizeof all, "%s:%s:%s", idle, idle, busy);
    for (size_t i = 0; i < world->n_powered; i++)
        if (!sg_host_get_property_value(world->powered[i], HOST_POWER))
            sg_host_set_property_value(world->powered[i], HOST_POWER, all);
}

/* A host's messages to itself cross no link. */
static size_t count_links(void)
{
    size_t n = sg_link_count(), crossed = 0;
    sg_link_t *links = sg_link_list();
    for (size_t i = 0; i < n; i++)
        crossed += !strstr(sg_link_get_name(links[i]), "loopback");
    free(links); /* SimGrid's */
    return crossed;
}

egc_status egc_energy_start(egc_world *world, egc_error *err)
{
    if (!world->config.energy)
        return EGC_OK;
    egc_status status = check_power(&world->config, err);
    if (!status)
        status = list_hosts(world, err);
    if (status)
        return status;
    set_host_power(world);
    sg_host_energy_plugin_init();
    world->n_links = count_links();
    return EGC_OK;
}

double egc_energy_per_byte(const egc_world *world, sg_host_t from, sg_host_t to)
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

egc_energy egc_world_energy(const egc_world *world)
{
    const egc_cluster_common *common = world->config.cluster_params;
    egc_energy sum = {.link_J = world->carried_J};
    sg_host_energy_update_all();
    for (size_t i = 0; i < world->n_powered; i++)
        sum.host_J += sg_host_get_consumed_energy(world->powered[i]);
    sum.link_J += common->link_idle_W * egc_world_now(world) * (double)world->n_links;
    return sum;
}
