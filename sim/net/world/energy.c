/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hosts are accounted for by SimGrid's plugin, links here: their idle power, and the energy of the
 * bytes that mailbox.c and background.c add to carried_J. */
#include "net/world/energy.h"

#include <simgrid/engine.h>
#include <simgrid/link.h>
#include <simgrid/plugins/energy.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/topology/host_power.h"
#include "net/world/world_core.h"

/* Lists each host once, however many ranks share it: user data marks the listed ones. */
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

/* Gives hosts without powers of their own (a platform file may set them) those of the device, equal
 * at each of a host's speeds: idle, with the least load, and with all cores busy. */
static egc_status set_host_power(egc_world *world, egc_error *err)
{
    const egc_device *device = &world->config.device;
    egc_real_text idle = egc_text_of_real(device->idle_W), busy = egc_text_of_real(device->busy_W);
    egc_buf all = {0};
    egc_status status = EGC_OK;
    for (size_t i = 0; i < world->n_powered && !status; i++) {
        sg_host_t host = world->powered[i];
        if (sg_host_get_property_value(host, EGC_HOST_POWER))
            continue;
        egc_buf_clear(&all);
        for (unsigned long p = 0; p < sg_host_get_nb_pstates(host); p++)
            egc_text_put(&all, "%s%s:%s:%s", p ? "," : "", idle.text, idle.text, busy.text);
        status = egc_buf_check(&all, err);
        if (!status)
            sg_host_set_property_value(host, EGC_HOST_POWER, egc_text_get(&all));
    }
    egc_buf_fini(&all);
    return status;
}

/* Counts the links between hosts. Loopbacks carry a host's messages to itself. */
static size_t count_links(void)
{
    size_t n = sg_link_count(), crossed = 0;
    sg_link_t *links = sg_link_list();
    for (size_t i = 0; i < n; i++)
        crossed += !strstr(sg_link_get_name(links[i]), "loopback");
    free(links); /* SimGrid allocates it with malloc */
    return crossed;
}

egc_status egc_energy_start(egc_world *world, egc_error *err)
{
    if (!world->config.energy)
        return EGC_OK;
    const egc_world_config *config = &world->config;
    egc_status status = egc_cluster_check_power(config->cluster_params, &config->device, err);
    if (!status)
        status = list_hosts(world, err);
    if (!status)
        status = set_host_power(world, err);
    if (status)
        return status;
    sg_host_energy_plugin_init();
    world->n_links = count_links();
    return EGC_OK;
}

egc_energy egc_energy_used(const egc_world *world)
{
    const egc_cluster_common *common = world->config.cluster_params;
    egc_energy sum = {.link_J = world->carried_J};
    sg_host_energy_update_all();
    for (size_t i = 0; i < world->n_powered; i++)
        sum.host_J += sg_host_get_consumed_energy(world->powered[i]);
    sum.link_J += common->link_idle_W * simgrid_get_clock() * (double)world->n_links;
    return sum;
}
