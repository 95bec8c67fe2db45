/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SimGrid's options, each with the reason for its value. */
#include "net/world/loader.h"

#include <simgrid/engine.h>

#include "net/topology/event_platform.h"
#include "net/topology/platform_file.h"

/* A stack with a guard page takes two of the 65530 memory maps that Linux allows a process
 * (vm.max_map_count): up to this number, workers may have 7 actors each. With more workers, stacks
 * have no guards. */
enum { MAX_GUARDED_WORKERS = 4096 };

/* CM02 charges exactly latency + bytes / bandwidth: without cross-traffic (5 % of the reverse path)
 * and without a TCP window. The others keep SimGrid's own factors. */
static const char *const model_options[][4] = {
    [EGC_NETWORK_CM02] = {"--cfg=network/model:CM02", "--cfg=network/crosstraffic:no",
                          "--cfg=network/TCP-gamma:0", NULL},
    [EGC_NETWORK_LV08] = {"--cfg=network/model:LV08", NULL},
    [EGC_NETWORK_SMPI] = {"--cfg=network/model:SMPI", NULL},
};

/* SimGrid 3.32's default, lazy updates, skips the links of a flow whose first link was updated at
 * the same date: the second of two messages that leave a host together could pass a link at several
 * times its bandwidth. Full updates are correct, but where messages end at different dates their
 * time grows with the square of the messages under way. So lazy updates are used only where no host
 * has two messages under way, on platforms whose first links belong to one host. */
static const char *updates_of(const egc_world_config *config)
{
    const egc_cluster_common *common = config->cluster_params;
    bool lazy = config->one_message_each && common->background == 0 && !config->cluster->file;
    return lazy ? "--cfg=network/optim:Lazy" : "--cfg=network/optim:Full";
}

static void start_simgrid(const egc_world_config *config)
{
    /* Errors are logged, for the reason of an abort; deadlocks (ker_engine) are reported by us. */
    const char *options[12] = {"egc-sim", "--log=root.thres:error",
                               "--log=ker_engine.app:file:/dev/null"};
    int count = 3;
    options[count++] = updates_of(config);
    for (const char *const *option = model_options[config->network_model]; *option; option++)
        options[count++] = *option;
    if (config->thread_contexts)
        options[count++] = "--cfg=contexts/factory:thread";
    if (config->workers > MAX_GUARDED_WORKERS)
        options[count++] = "--cfg=contexts/guard-size:0";
    simgrid_init(&count, (char **)options);
}

/* SimGrid reads profiles while it loads the platform, so their files stay open until then. */
static egc_status load_with_events(const egc_world_config *config, double speed_flops,
                                   egc_error *err)
{
    egc_event_platform platform;
    egc_status status = egc_event_platform_init(&platform, config->cluster, config->cluster_params,
                                                speed_flops, err);
    if (!status) {
        start_simgrid(config);
        status = egc_platform_file_load(&platform.xml, err);
    }
    egc_event_platform_fini(&platform);
    return status;
}

egc_status egc_loader_load(const egc_world_config *config, double speed_flops, egc_error *err)
{
    const egc_cluster_type *type = config->cluster;
    const egc_cluster_common *common = config->cluster_params;
    egc_buf xml = {0};
    egc_status status = egc_cluster_check(type, common, err);
    if (!status && common->events.n)
        return load_with_events(config, speed_flops, err);
    if (!status && type->file) {
        start_simgrid(config);
        simgrid_load_platform(type->file(common)); /* it may name files relative to its own path */
        return EGC_OK;
    }
    if (!status)
        status = type->write_platform(common, speed_flops, &xml, err);
    if (!status) {
        start_simgrid(config);
        status = egc_platform_file_load(&xml, err);
    }
    egc_buf_fini(&xml);
    return status;
}
