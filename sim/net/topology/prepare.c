/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cheap checks come first: of the text of a platform file, of parameters, and then, in child
 * processes that load the platform, of routes, and of the names in events. */
#include "net/topology/prepare.h"

#include <math.h>
#include <string.h>

#include "net/topology/event_platform.h"
#include "net/topology/probe.h"

static egc_status set_network(const egc_cluster_type *type, void *params, const egc_probe *probe,
                              egc_arena *arena, egc_error *err)
{
    const char **names = egc_arena_alloc(arena, probe->n_hosts * sizeof *names);
    double latency_s = 0, bandwidth_Bps = INFINITY;
    if (!names)
        return egc_fail_memory(err, probe->n_hosts * sizeof *names);
    for (size_t i = 0; i < probe->n_hosts; i++)
        names[i] = probe->text + probe->hosts[i].name;
    for (size_t r = 0; r < probe->n_routes; r++)
        latency_s = fmax(latency_s, probe->routes[r].latency_s);
    for (size_t l = 0; l < probe->n_links; l++)
        bandwidth_Bps = fmin(bandwidth_Bps, probe->links[l].bandwidth_Bps);
    type->set_network(params, names, probe->n_hosts, latency_s, bandwidth_Bps);
    return EGC_OK;
}

static egc_status read_file(const egc_cluster_type *type, void *params, egc_arena *arena,
                            egc_error *err)
{
    const char *file = type->file(params);
    egc_probe probe;
    egc_status status = type->read(params, err);
    if (status)
        return status;
    status = egc_probe_file(type, params, arena, &probe, err);
    if (status && strncmp(err ? err->message : "", file, strlen(file)) != 0)
        return egc_error_prefix(err, "%s", file); /* SimGrid's own messages may begin with it */
    return status ? status : set_network(type, params, &probe, arena, err);
}

egc_status egc_prepare_cluster(const egc_cluster_type *type, void *params, egc_arena *arena,
                               egc_error *err)
{
    egc_status status = type->file ? read_file(type, params, arena, err) : EGC_OK;
    if (!status)
        status = egc_cluster_check(type, params, err);
    return status ? status : egc_event_platform_check(type, params, err);
}
