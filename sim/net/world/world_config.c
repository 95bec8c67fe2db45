/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks each number of a configuration against the limits of SimGrid and of the cluster. */
#include "net/world/world_config.h"

#include <math.h>

egc_status egc_world_config_check(const egc_world_config *config, egc_error *err)
{
    size_t hosts = config->cluster->hosts(config->cluster_params);
    double speed_flops = egc_cluster_host_flops(config->cluster_params, &config->device);
    if (config->workers < 1 || (!config->seats && (size_t)config->workers > hosts))
        return egc_fail(err, EGC_ERROR_RANGE,
                        "workers must be in [1, %zu], the hosts of cluster %s, got %d", hosts,
                        config->cluster->name, config->workers);
    if (config->servers < 0 || config->servers > config->workers)
        return egc_fail(err, EGC_ERROR_RANGE, "servers must be in [0, %d], the ranks, got %d",
                        config->workers, config->servers);
    if (config->channels < 1)
        return egc_fail(err, EGC_ERROR_RANGE, "channels must be >= 1, got %d", config->channels);
    if (!(config->max_sim_time_s > 0))
        return egc_fail(err, EGC_ERROR_RANGE, "max_sim_time must be > 0, got %g",
                        config->max_sim_time_s);
    if (!(speed_flops >= EGC_HOST_FLOPS_MIN && speed_flops <= EGC_HOST_FLOPS_MAX))
        return egc_fail(err, EGC_ERROR_RANGE,
                        "speed of a host, or flops * efficiency of its device, must be in [%g, %g] "
                        "flop/s, got %g",
                        EGC_HOST_FLOPS_MIN, EGC_HOST_FLOPS_MAX, speed_flops);
    if (config->charge_reduction && !(config->device.memory_Bps > 0))
        return egc_fail(err, EGC_ERROR_RANGE,
                        "memory of the device must be > 0 to charge reductions, got %g B/s",
                        config->device.memory_Bps);
    if (config->charge_reduction &&
        !(config->device.launch_s >= 0 && isfinite(config->device.launch_s)))
        return egc_fail(err, EGC_ERROR_RANGE, "launch of the device must be >= 0, got %g s",
                        config->device.launch_s);
    return EGC_OK;
}

size_t egc_world_config_seat(const egc_world_config *config, int rank)
{
    return (size_t)(config->seats ? config->seats[rank] : rank);
}
