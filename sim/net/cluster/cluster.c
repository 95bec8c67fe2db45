/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of cluster types, and the checks and figures that all types share. */
#include <math.h>
#include <stdio.h>

#include "base/registry.h"
#include "net/cluster/cluster.h"

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

/* ---- items of lists ------------------------------------------------------------------------- */

static const egc_param speed_params[] = {
    EGC_PARAM_VALUE(double, REAL, "speed", "", .def = 1, .min = 1 / EGC_SLOWDOWN_MAX,
                    .max = EGC_SLOWDOWN_MAX),
    EGC_PARAM_END,
};
const egc_param_item egc_cluster_speed_item = {speed_params, sizeof(double)};

static const egc_param size_params[] = {
    EGC_PARAM_VALUE(int64_t, INT, "size", "", .def = 1, .min = 1, .max = 65536),
    EGC_PARAM_END,
};

const egc_param_item egc_cluster_size_item = {size_params, sizeof(int64_t)};

/* ---- checks --------------------------------------------------------------------------------- */

egc_status egc_cluster_check_link(const egc_cluster_common *common, const char *name,
                                  double bandwidth_Bps, double latency_s, egc_error *err)
{
    double goodput_Bps = bandwidth_Bps * common->efficiency;
    if (!(goodput_Bps >= EGC_LINK_BPS_MIN && goodput_Bps <= EGC_LINK_BPS_MAX))
        return egc_fail(err, EGC_ERROR_RANGE,
                        "bandwidth of %s * efficiency must be in [%g, %g] B/s, got %g", name,
                        EGC_LINK_BPS_MIN, EGC_LINK_BPS_MAX, goodput_Bps);
    if (!(latency_s >= 0 && latency_s <= EGC_TIME_S_MAX))
        return egc_fail(err, EGC_ERROR_RANGE, "latency of %s must be in [0, %g] s, got %g", name,
                        EGC_TIME_S_MAX, latency_s);
    return EGC_OK;
}

egc_status egc_cluster_check_latencies(const char *near_name, double near_s, const char *far_name,
                                       double far_s, egc_error *err)
{
    if (near_s > 0 || far_s == 0)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_RANGE,
                    "%s must be > 0 when %s is, got 0 and %g s (SimGrid starves messages without "
                    "latency beside others)",
                    near_name, far_name, far_s);
}

size_t egc_cluster_product(size_t a, size_t b)
{
    return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/* The tables allow infinite values, and a product of two valid ones may underflow. */
static egc_status check_common(const egc_cluster_common *common, bool has_network, egc_error *err)
{
    double speed_flops = common->speed_flops;
    egc_status status = has_network
                            ? egc_cluster_check_link(common, "the cluster", common->bandwidth_Bps,
                                                     common->latency_s, err)
                            : EGC_OK;
    if (status)
        return status;
    if (has_network && (common->cores < 1 || common->cores > 1024))
        return egc_fail(err, EGC_ERROR_RANGE, "cores must be in [1, 1024], got %lld",
                        (long long)common->cores);
    if (speed_flops < EGC_HOST_FLOPS_MIN || speed_flops > EGC_HOST_FLOPS_MAX) /* false for NAN */
        return egc_fail(err, EGC_ERROR_RANGE, "speed must be in [%g, %g] flop/s, got %g",
                        EGC_HOST_FLOPS_MIN, EGC_HOST_FLOPS_MAX, speed_flops);
    return egc_events_check(&common->events, common->efficiency, err);
}

egc_status egc_cluster_check(const egc_cluster_type *type, const void *params, egc_error *err)
{
    size_t hosts = type->hosts(params);
    egc_status status = check_common(params, !type->file, err);
    if (!status && (hosts < 1 || hosts > EGC_CLUSTER_HOSTS_MAX))
        status = egc_fail(err, EGC_ERROR_RANGE, "hosts must be in [1, %d], got %zu",
                          EGC_CLUSTER_HOSTS_MAX, hosts);
    return !status && type->check ? type->check(params, err) : status;
}

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

/* ---- figures -------------------------------------------------------------------------------- */

double egc_cluster_host_flops(const egc_cluster_common *common, const egc_device *device)
{
    return isnan(common->speed_flops) ? device->flops * device->efficiency : common->speed_flops;
}

bool egc_cluster_is_steady(const egc_cluster_type *type, const void *params)
{
    const egc_cluster_common *common = params;
    return !type->file && common->events.n == 0 && common->jitter == 0 && common->background == 0;
}

egc_cluster_paths egc_cluster_paths_of(const egc_cluster_type *type, const void *params)
{
    const egc_cluster_common *common = params;
    const egc_event *events = common->events.items;
    double goodput_Bps = common->bandwidth_Bps * common->efficiency;
    egc_cluster_paths paths = {
        .latency_s = common->latency_s,
        .bandwidth_Bps = goodput_Bps,
        .contended_Bps = goodput_Bps,
        .local_hosts = 1,
        .host_Bps = goodput_Bps,
    };
    if (type->paths)
        type->paths(params, &paths);
    for (size_t i = 0; i < common->events.n; i++) /* events may make links faster */
        paths.host_Bps = fmax(paths.host_Bps, events[i].bandwidth_Bps * common->efficiency);
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
