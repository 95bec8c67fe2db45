/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "net/cluster.h"

#define EGC_CLUSTER(name) extern const egc_cluster_type egc_cluster_##name;
#include "net/clusters/list.def"
#undef EGC_CLUSTER

static const egc_cluster_type *const types[] = {
#define EGC_CLUSTER(name) &egc_cluster_##name,
#include "net/clusters/list.def"
#undef EGC_CLUSTER
    NULL,
};

const egc_cluster_type *const *egc_cluster_types(void)
{
    return types;
}

egc_status egc_cluster_find(const char *name, const egc_cluster_type **out, egc_error *err)
{
    for (const egc_cluster_type *const *type = types; *type; type++)
        if (strcmp((*type)->name, name) == 0) {
            *out = *type;
            return EGC_OK;
        }
    return egc_fail_unknown(err, "cluster", name, (const void *const *)types);
}

/* Parameters may be infinite by their table, and a product may underflow; SimGrid would abort. */
static egc_status check_common(const egc_cluster_common *common, egc_error *err)
{
    double goodput_Bps = common->bandwidth_Bps * common->efficiency;
    if (!(isfinite(goodput_Bps) && goodput_Bps > 0))
        return egc_fail(err, EGC_ERROR_RANGE,
                        "bandwidth * efficiency must be > 0 and finite, got %g B/s", goodput_Bps);
    if (!(isfinite(common->latency_s) && common->latency_s >= 0))
        return egc_fail(err, EGC_ERROR_RANGE, "latency must be >= 0 and finite, got %g s",
                        common->latency_s);
    if (common->cores < 1 || common->cores > 1024)
        return egc_fail(err, EGC_ERROR_RANGE, "cores must be in [1, 1024], got %lld",
                        (long long)common->cores);
    return EGC_OK;
}

egc_status egc_cluster_check(const egc_cluster_type *type, const void *params, egc_error *err)
{
    size_t hosts = type->hosts(params);
    egc_status status = EGC_OK;
    if (egc_params_find(type->params, "bandwidth"))
        status = check_common(params, err);
    if (!status && (hosts < 1 || hosts > EGC_CLUSTER_HOSTS_MAX))
        status = egc_fail(err, EGC_ERROR_RANGE, "hosts must be in [1, %d], got %zu",
                          EGC_CLUSTER_HOSTS_MAX, hosts);
    return !status && type->check ? type->check(params, err) : status;
}

egc_status egc_cluster_prepare(const egc_cluster_type *type, void *params, egc_arena *arena,
                               egc_error *err)
{
    egc_status status = type->prepare ? type->prepare(params, arena, err) : EGC_OK;
    return status ? status : egc_cluster_check(type, params, err);
}

egc_cluster_paths egc_cluster_paths_of(const egc_cluster_type *type, const void *params)
{
    const egc_cluster_common *common = params;
    double goodput_Bps = common->bandwidth_Bps * common->efficiency;
    egc_cluster_paths paths = {
        .latency_s = common->latency_s,
        .bandwidth_Bps = goodput_Bps,
        .crowd_Bps = goodput_Bps,
        .near = 1,
        .host_Bps = goodput_Bps,
    };
    if (type->paths)
        type->paths(params, &paths);
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
