/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "base/registry.h"
#include "net/cluster/cluster.h"
#include "net/cluster/writer.h"
#include "net/world/events.h"

#define EGC_CLUSTER(name) extern const egc_cluster_type egc_cluster_##name;
#include "net/cluster/list.def"
#undef EGC_CLUSTER

static const egc_cluster_type *const types[] = {
#define EGC_CLUSTER(name) &egc_cluster_##name,
#include "net/cluster/list.def"
#undef EGC_CLUSTER
    NULL,
};

const egc_cluster_type *const *egc_cluster_types(void)
{
    return types;
}

egc_status egc_cluster_find(const char *name, const egc_cluster_type **out, egc_error *err)
{
    return egc_registry_find("cluster", name, (const void *const *)types, out, err);
}

/* Parameters may be infinite by their table, and a product may underflow; SimGrid would abort. */
static egc_status check_common(const egc_cluster_common *common, egc_error *err)
{
    egc_status status = egc_cluster_check_link(common, "the cluster", common->bandwidth_Bps,
                                               common->latency_s, err);
    if (!status && (common->cores < 1 || common->cores > 1024))
        status = egc_fail(err, EGC_ERROR_RANGE, "cores must be in [1, 1024], got %lld",
                          (long long)common->cores);
    return status;
}

/* ---- events -------------------------------------------------------------------------------- */

static const char *const states[] = {"same", "down", "up", NULL};

static const egc_param event_params[] = {
    EGC_PARAM(egc_event, at_s, REAL, "at", "when", .quantity = EGC_QUANTITY_TIME,
              .max = EGC_TIME_S_MAX),
    EGC_PARAM(egc_event, host, TEXT, "host", "hosts: a name or a pattern", .def_text = ""),
    EGC_PARAM(egc_event, link, TEXT, "link", "links: a name or a pattern", .def_text = ""),
    EGC_PARAM(egc_event, bandwidth_Bps, REAL, "bandwidth", "of the links from then on",
              .quantity = EGC_QUANTITY_BANDWIDTH, .def = NAN, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN | EGC_PARAM_OPEN_MAX),
    EGC_PARAM(egc_event, latency_s, REAL, "latency", "of the links from then on",
              .quantity = EGC_QUANTITY_TIME, .def = NAN, .max = EGC_TIME_S_MAX,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_event, speed, REAL, "speed", "of the hosts from then on, share of their own",
              .def = NAN, .min = 1 / EGC_SLOWDOWN_MAX, .max = 1),
    EGC_PARAM(egc_event, state, CHOICE, "state", "whether they work from then on",
              .def = EGC_EVENT_SAME, .choices = states),
    EGC_PARAM_END,
};
const egc_param_item egc_events_item = {event_params, sizeof(egc_event)};

static const egc_param speed_params[] = {
    EGC_PARAM_VALUE(double, REAL, "speed", "", .def = 1, .min = 1 / EGC_SLOWDOWN_MAX,
                    .max = EGC_SLOWDOWN_MAX),
    EGC_PARAM_END,
};
const egc_param_item egc_cluster_speed_item = {speed_params, sizeof(double)};

/* Whether an event happens to something, and something happens. */
static egc_status check_event(const egc_event *event, size_t number, egc_error *err)
{
    bool links = *event->link, hosts = *event->host;
    bool of_links = !isnan(event->bandwidth_Bps) || !isnan(event->latency_s);
    bool of_hosts = !isnan(event->speed), changes = event->state != EGC_EVENT_SAME;
    if (links == hosts)
        return egc_fail(err, EGC_ERROR_RANGE, "profiles[%zu]: must name either a host or a link",
                        number);
    if (links ? of_hosts : of_links)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "profiles[%zu]: a link has bandwidth, latency and state, a host speed and "
                        "state; got %s of a %s",
                        number,
                        of_hosts                      ? "speed"
                        : isnan(event->bandwidth_Bps) ? "latency"
                                                      : "bandwidth",
                        links ? "link" : "host");
    if (hosts && event->state == EGC_EVENT_DOWN && event->at_s == 0)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "profiles[%zu]: at must be > 0 for a host that goes down, got 0: workers "
                        "begin on hosts that are up",
                        number);
    if (!of_links && !of_hosts && !changes)
        return egc_fail(
            err, EGC_ERROR_RANGE,
            "profiles[%zu]: must change bandwidth, latency, speed or state, got none of "
            "them",
            number);
    return EGC_OK;
}

/* NaN: it stays. */
static egc_status check_event_bandwidth(const egc_cluster_common *common, const egc_event *event,
                                        size_t number, egc_error *err)
{
    double goodput_Bps = event->bandwidth_Bps * common->efficiency;
    if (!(goodput_Bps < EGC_LINK_BPS_MIN || goodput_Bps > EGC_LINK_BPS_MAX))
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_RANGE,
                    "profiles[%zu]: bandwidth * efficiency must be in [%g, %g] B/s, got %g", number,
                    EGC_LINK_BPS_MIN, EGC_LINK_BPS_MAX, goodput_Bps);
}

static egc_status check_events(const egc_cluster_common *common, egc_error *err)
{
    const egc_event *events = common->profiles.items;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < common->profiles.n && !status; i++) {
        status = check_event(&events[i], i + 1, err);
        if (!status)
            status = check_event_bandwidth(common, &events[i], i + 1, err);
    }
    return status;
}

static egc_status check_speed(const egc_cluster_common *common, egc_error *err)
{
    double speed_flops = common->speed_flops;
    if (!(speed_flops < EGC_HOST_FLOPS_MIN || speed_flops > EGC_HOST_FLOPS_MAX))
        return EGC_OK; /* NaN: the device says it */
    return egc_fail(err, EGC_ERROR_RANGE, "speed must be in [%g, %g] flop/s, got %g",
                    EGC_HOST_FLOPS_MIN, EGC_HOST_FLOPS_MAX, speed_flops);
}

egc_status egc_cluster_check(const egc_cluster_type *type, const void *params, egc_error *err)
{
    size_t hosts = type->hosts(params);
    egc_status status = EGC_OK;
    if (egc_param_find(type->params, "bandwidth"))
        status = check_common(params, err);
    if (!status)
        status = check_speed(params, err);
    if (!status)
        status = check_events(params, err);
    if (!status && (hosts < 1 || hosts > EGC_CLUSTER_HOSTS_MAX))
        status = egc_fail(err, EGC_ERROR_RANGE, "hosts must be in [1, %d], got %zu",
                          EGC_CLUSTER_HOSTS_MAX, hosts);
    return !status && type->check ? type->check(params, err) : status;
}

egc_status egc_cluster_prepare(const egc_cluster_type *type, void *params, egc_arena *arena,
                               egc_error *err)
{
    egc_status status = type->prepare ? type->prepare(params, arena, err) : EGC_OK;
    if (!status)
        status = egc_cluster_check(type, params, err);
    return status ? status : egc_event_platform_check(type, params, err);
}

double egc_cluster_host_flops(const egc_cluster_common *common, const egc_device *device)
{
    return isnan(common->speed_flops) ? device->flops * device->efficiency : common->speed_flops;
}

/* Nobody has looked for profiles in a file. */
bool egc_cluster_is_steady(const egc_cluster_type *type, const void *params)
{
    const egc_cluster_common *common = params;
    return !type->file && common->profiles.n == 0 && common->jitter == 0 && common->background == 0;
}

/* Events may make links faster, too. */
static double fastest_event_Bps(const egc_cluster_common *common)
{
    const egc_event *events = common->profiles.items;
    double fastest_Bps = 0;
    for (size_t i = 0; i < common->profiles.n; i++)
        fastest_Bps = fmax(fastest_Bps, events[i].bandwidth_Bps * common->efficiency);
    return fastest_Bps;
}

egc_cluster_paths egc_cluster_paths_of(const egc_cluster_type *type, const void *params)
{
    const egc_cluster_common *common = params;
    double goodput_Bps = common->bandwidth_Bps * common->efficiency;
    egc_cluster_paths paths = {
        .latency_s = common->latency_s,
        .bandwidth_Bps = goodput_Bps,
        .contended_Bps = goodput_Bps,
        .near = 1,
        .host_Bps = goodput_Bps,
    };
    if (type->paths)
        type->paths(params, &paths);
    paths.host_Bps = fmax(paths.host_Bps, fastest_event_Bps(common));
    return paths;
}

const char *egc_cluster_host_name(const egc_cluster_type *type, const void *params, size_t host,
                                  char out[EGC_HOST_NAME])
{
    if (type->host_name)
        return type->host_name(params, host);
    snprintf(out, EGC_HOST_NAME, "host-%zu", host);
    return out;
}
