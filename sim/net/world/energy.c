/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/world/energy.h"

#include <math.h>
#include <simgrid/link.h>
#include <simgrid/plugins/energy.h>
#include <stdlib.h>
#include <string.h>
#include <xbt/dynar.h>

#include "base/mem.h"
#include "base/text.h"

#define HOST_POWER "wattage_per_state"
#define HOST_POWER_OFF "wattage_off"

/* ---- what a platform file says --------------------------------------------------------------- */

/* Moves text past "IDLE:EPSILON:ALLCORES", or "IDLE:ALLCORES". */
static bool read_watts(const char **text)
{
    double last_W = 0;
    int n = 0;
    do {
        const char *number = *text + (n > 0);
        char *end;
        double watts = strtod(number, &end);
        if (end == number || !(watts >= last_W && isfinite(watts)))
            return false;
        last_W = watts;
        *text = end;
        n++;
    } while (**text == ':');
    return n == 2 || n == 3;
}

static bool are_watts(const char *text, int pstates)
{
    for (int i = 1; i <= pstates; i++)
        if (!read_watts(&text) || *text++ != (i < pstates ? ',' : '\0'))
            return false;
    return true;
}

egc_status egc_host_power_check(sg_host_t host, egc_error *err)
{
    const char *power = sg_host_get_property_value(host, HOST_POWER);
    const char *off = sg_host_get_property_value(host, HOST_POWER_OFF);
    int pstates = sg_host_get_nb_pstates(host);
    char *end = NULL;
    if (power && !are_watts(power, pstates))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "host %s: " HOST_POWER " must be IDLE:EPSILON:ALLCORES in watts, 0 <= IDLE "
                        "<= EPSILON <= ALLCORES, of each of its speeds, %d, with commas between, "
                        "got \"%s\"",
                        sg_host_get_name(host), pstates, power);
    double off_W = off ? strtod(off, &end) : 0;
    if (off && (end == off || *end || !(off_W >= 0 && isfinite(off_W))))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "host %s: " HOST_POWER_OFF " must be watts >= 0, got \"%s\"",
                        sg_host_get_name(host), off);
    return EGC_OK;
}

/* ---- starting -------------------------------------------------------------------------------- */

egc_status egc_cluster_check_power(const egc_cluster_common *common, const egc_device *device,
                                   egc_error *err)
{
    if (device->busy_W == 0)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "cluster.device: energy = true needs idle_power and busy_power of the "
                        "device, got no busy_power");
    if (device->busy_W < device->idle_W)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "cluster.device.busy_power: must be >= idle_power, %g W, got %g W",
                        device->idle_W, device->busy_W);
    if (common->link_busy_W < common->link_idle_W)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "cluster.link_busy_power: must be >= link_idle_power, %g W, got %g W",
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

/* Idle, with the least load, and with all cores busy, in proportion: the same at each speed that a
 * host has. A platform file may say what its hosts draw. */
static egc_status set_host_power(egc_world *world, egc_error *err)
{
    const egc_device *device = &world->config.device;
    egc_real_text idle = egc_text_of_real(device->idle_W), busy = egc_text_of_real(device->busy_W);
    egc_buf all = {0};
    egc_status status = EGC_OK;
    for (size_t i = 0; i < world->n_powered && !status; i++) {
        sg_host_t host = world->powered[i];
        if (sg_host_get_property_value(host, HOST_POWER))
            continue;
        egc_buf_clear(&all);
        for (unsigned long p = 0; p < sg_host_get_nb_pstates(host) && !status; p++)
            status = egc_buf_printf(&all, err, "%s%s:%s:%s", p ? "," : "", idle.text, idle.text,
                                    busy.text);
        if (!status)
            sg_host_set_property_value(host, HOST_POWER, (const char *)all.data);
    }
    egc_buf_fini(&all);
    return status;
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

/* ---- running --------------------------------------------------------------------------------- */

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

egc_energy egc_energy_used(const egc_world *world)
{
    const egc_cluster_common *common = world->config.cluster_params;
    egc_energy sum = {.link_J = world->carried_J};
    sg_host_energy_update_all();
    for (size_t i = 0; i < world->n_powered; i++)
        sum.host_J += sg_host_get_consumed_energy(world->powered[i]);
    sum.link_J += common->link_idle_W * egc_world_now(world) * (double)world->n_links;
    return sum;
}
