/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/world/loader.h"

#include <simgrid/engine.h>
#include <stdio.h>

#include "net/world/events.h"

/* A stack with a guard page is two maps of a process, of which Linux lets it have 65530
 * (vm.max_map_count): these workers may have up to 7 actors each, more have stacks without guards.
 */
enum { MAX_GUARDED_WORKERS = 4096 };

/* What each model needs beyond its name. CM02 is made to charge exactly latency + bytes /
 * bandwidth: without cross-traffic (5 % of the reverse path) and without a TCP window. The others
 * are wanted with SimGrid's own factors. */
static const char *const model_options[][4] = {
    [EGC_NETWORK_CM02] = {"--cfg=network/model:CM02", "--cfg=network/crosstraffic:no",
                          "--cfg=network/TCP-gamma:0", NULL},
    [EGC_NETWORK_LV08] = {"--cfg=network/model:LV08", NULL},
    [EGC_NETWORK_SMPI] = {"--cfg=network/model:SMPI", NULL},
};

/* SimGrid 3.32's lazy updates, its default, overlook the links of a flow whose first link has been
 * looked at already at the same date: the second of two messages that leave a host together could
 * pass a link at several times its bandwidth. Full updates look at all links; where messages end at
 * different dates they take time in the square of those under way. So lazy ones are for worlds in
 * which no host has two messages on the way, and links that are a host's own. */
static const char *updates_of(const egc_world_config *config)
{
    const egc_cluster_common *common = config->cluster_params;
    bool lazy = config->one_message_each && common->background == 0 && !config->cluster->file;
    return lazy ? "--cfg=network/optim:Lazy" : "--cfg=network/optim:Full";
}

static void start_simgrid(const egc_world_config *config)
{
    /* Errors stay: they are what a SimGrid that aborts says last. Its reports of a deadlock, from
     * ker_engine, would go to stderr beside ours. */
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

/* simgrid_load_platform takes a path. A tmpfile has none in the file system, so nothing can read
 * or replace it and nothing is left behind; /proc gives it a name while it is open. */
egc_status egc_platform_file_load(const egc_buf *xml, egc_error *err)
{
    FILE *file = tmpfile();
    if (!file)
        return egc_fail_errno(err, "create", "platform file in " P_tmpdir);
    egc_status status = EGC_OK;
    if (fwrite(xml->data, 1, xml->len, file) != xml->len || fflush(file) != 0) {
        status = egc_fail_errno(err, "write", "platform file in " P_tmpdir);
    } else {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
        simgrid_load_platform(path);
    }
    fclose(file);
    return status;
}

/* Events need a platform that is written out, and files that are open while it is read. */
static egc_status load_profiled(const egc_world_config *config, double speed_flops, egc_error *err)
{
    egc_event_platform profiled;
    egc_status status = egc_event_platform_init(&profiled, config->cluster, config->cluster_params,
                                                speed_flops, err);
    if (!status) {
        start_simgrid(config);
        status = egc_platform_file_load(&profiled.xml, err);
    }
    egc_event_platform_fini(&profiled);
    return status;
}

egc_status egc_loader_load(const egc_world_config *config, double speed_flops, egc_error *err)
{
    const egc_cluster_type *type = config->cluster;
    egc_buf xml = {0};
    egc_status status = egc_cluster_check(type, config->cluster_params, err);
    if (!status && egc_events_any(config->cluster_params))
        return load_profiled(config, speed_flops, err);
    if (!status && !type->file)
        status = type->write_platform(config->cluster_params, speed_flops, &xml, err);
    if (!status) {
        start_simgrid(config);
        if (type->file) /* by its path: it may name others relative to itself */
            simgrid_load_platform(type->file(config->cluster_params));
        else
            status = egc_platform_file_load(&xml, err);
    }
    egc_buf_fini(&xml);
    return status;
}
