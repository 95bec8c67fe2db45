/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/world/world.h"

#include <math.h>
#include <simgrid/engine.h>
#include <stdio.h>

#include "base/mem.h"
#include "net/world/background.h"
#include "net/world/energy.h"
#include "net/world/loader.h"
#include "net/world/world_core.h"

/* ---- making -------------------------------------------------------------------------------- */

static egc_status check_config(const egc_world_config *config, egc_error *err)
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

sg_host_t egc_world_core_host(const egc_world_config *config, size_t number)
{
    char room[EGC_HOST_NAME];
    return sg_host_by_name(
        egc_cluster_host_name(config->cluster, config->cluster_params, number, room));
}

static egc_status seat_workers(egc_world *world, egc_error *err)
{
    for (int rank = 0; rank < world->config.workers; rank++) {
        size_t seat = egc_world_config_seat(&world->config, rank);
        world->hosts[rank] = egc_world_core_host(&world->config, seat);
        if (!world->hosts[rank])
            return egc_fail(err, EGC_ERROR_FORMAT, "platform of cluster %s has no host %zu",
                            world->config.cluster->name, seat);
    }
    world->config.seats = NULL; /* borrowed until here */
    /* A second of work is one of host 0: the others take as much longer as they are slower. */
    const egc_cluster_type *cluster = world->config.cluster;
    if (cluster->own_speeds && cluster->own_speeds(world->config.cluster_params))
        world->speed_flops = sg_host_get_speed(world->hosts[0]);
    return EGC_OK;
}

static void open_transports(egc_world *world)
{
    const egc_world_config *config = &world->config;
    egc_mailbox_transport *transport = world->transports;
    for (int rank = 0; rank < config->workers; rank++)
        for (int channel = 0; channel < config->channels; channel++)
            *transport++ = (egc_mailbox_transport){
                .common = {.ops = &egc_mailbox_transport_ops,
                           .rank = rank,
                           .size = config->workers,
                           .size_only = config->size_only},
                .world = world,
                .channel = channel,
            };
}

egc_status egc_world_new(const egc_world_config *config, egc_world **out, egc_error *err)
{
    static bool made;
    egc_status status = check_config(config, err);
    if (status)
        return status;
    if (made)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "a process can simulate one world only, and has made one before");

    size_t workers = (size_t)config->workers, channels = (size_t)config->channels;
    egc_world *world = egc_calloc(1, sizeof *world);
    if (!world)
        return egc_fail_memory(err, sizeof *world);
    world->config = *config;
    world->speed_flops = egc_cluster_host_flops(config->cluster_params, &config->device);
    world->next_actor = &world->first_actor;
    world->hosts = egc_calloc(workers, sizeof *world->hosts);
    world->worker_speeds = egc_calloc(workers, sizeof *world->worker_speeds);
    world->lost = egc_calloc(workers, sizeof *world->lost);
    world->transports = egc_calloc(workers, channels * sizeof *world->transports);
    if (!world->hosts || !world->worker_speeds || !world->lost || !world->transports) {
        status = egc_fail_memory(err, workers * channels * sizeof *world->transports);
        goto done;
    }
    open_transports(world);
    status = egc_speed_init(world->worker_speeds, config, err);
    if (status)
        goto done;
    made = true;
    status = egc_loader_load(config, world->speed_flops, err);
    if (!status)
        status = seat_workers(world, err);
    if (!status)
        status = egc_energy_start(world, err);
done:
    if (status)
        egc_world_free(world);
    else
        *out = world;
    return status;
}

static void free_actors(egc_world *world)
{
    for (egc_actor *actor = world->first_actor, *next; actor; actor = next) {
        next = actor->next;
        egc_free(actor->name);
        egc_free(actor);
    }
}

void egc_world_free(egc_world *world)
{
    if (!world)
        return;
    int transports = world->transports ? world->config.workers * world->config.channels : 0;
    for (int i = 0; i < transports; i++)
        egc_mailbox_transport_fini(&world->transports[i]);
    free_actors(world);
    egc_mailbox_requests_free(world);
    egc_free(world->transports);
    egc_background_free(world);
    egc_failure_watches_free(world);
    egc_free(world->powered);
    egc_free(world->lost);
    egc_free(world->worker_speeds);
    egc_free(world->hosts);
    egc_free(world);
}

/* ---- running ------------------------------------------------------------------------------- */

static void describe_waiting(const egc_actor *actor, char *out, size_t room)
{
    if (actor->lost) {
        snprintf(out, room, "%s was lost with its host at %g s", actor->name, actor->lost_s);
        return;
    }
    switch (actor->waiting) {
    case EGC_WAITING_SEND:
        snprintf(out, room, "%s waits for rank %d to take a message on channel %d", actor->name,
                 actor->peer, actor->channel);
        break;
    case EGC_WAITING_RECEIVE:
        snprintf(out, room, "%s waits for a message from rank %d on channel %d", actor->name,
                 actor->peer, actor->channel);
        break;
    case EGC_WAITING_SEMAPHORE:
        snprintf(out, room, "%s waits at a gate", actor->name);
        break;
    case EGC_WAITING_BARRIER:
        snprintf(out, room, "%s waits at a barrier", actor->name);
        break;
    case EGC_WAITING_TIME:
    case EGC_WAITING_NOT:
        snprintf(out, room, "%s never finished", actor->name);
        break;
    }
}

enum { NAMED = 4, SENTENCE = 160 };

/* Appends a sentence for each actor that never finished, those lost with their host or the others,
 * as long as there are fewer than NAMED in all. How many there are. */
static int describe_unfinished(const egc_world *world, bool lost, int named, char *report)
{
    int count = 0;
    for (const egc_actor *actor = world->first_actor; actor; actor = actor->next) {
        if (actor->finished || actor->lost != lost || named + count++ >= NAMED)
            continue;
        char sentence[SENTENCE];
        describe_waiting(actor, sentence, sizeof sentence);
        strcat(strcat(report, *report ? "; " : ""), sentence);
    }
    return count;
}

static double limit_s(const egc_world *world)
{
    return fmin(world->config.max_sim_time_s, EGC_TIME_S_MAX);
}

static egc_status fail_late(const egc_world *world, egc_error *err)
{
    return egc_fail(err, EGC_ERROR_TIMEOUT, "simulated time passed its limit of %g s",
                    limit_s(world));
}

/* SimGrid ends a deadlocked run as if nothing had happened: actors that never finished tell. */
static egc_status check_deadlock(const egc_world *world, egc_error *err)
{
    char report[NAMED * (SENTENCE + 2) + 32] = "";
    int lost = describe_unfinished(world, true, 0, report);
    int all = lost + describe_unfinished(world, false, lost, report);
    if (all == 0)
        return EGC_OK;
    if (egc_world_now(world) > limit_s(world)) /* it may stand still, at infinity */
        return fail_late(world, err);
    if (all > NAMED)
        snprintf(report + strlen(report), 32, "; and %d more wait", all - NAMED);
    return egc_fail(err, EGC_ERROR_SIMULATION, "%s at %g s: %s",
                    lost ? "the run cannot go on" : "deadlock", egc_world_now(world), report);
}

egc_status egc_world_run(egc_world *world, egc_error *err)
{
    if (world->ran)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "a world can run once only");
    world->ran = true;
    egc_status status = egc_background_start(world, err);
    if (status)
        return status;
    simgrid_run();
    if (world->failure.status)
        return egc_fail(err, world->failure.status, "%s", world->failure.message);
    return check_deadlock(world, err);
}

static bool waits_for_others(const egc_actor *actor)
{
    switch (actor->waiting) {
    case EGC_WAITING_SEMAPHORE:
    case EGC_WAITING_BARRIER:
        return true;
    case EGC_WAITING_SEND:
    case EGC_WAITING_RECEIVE:
        return !egc_mailbox_is_matched(actor->request);
    case EGC_WAITING_TIME:
    case EGC_WAITING_NOT:
        break;
    }
    return false;
}

bool egc_world_is_stuck(const egc_world *world)
{
    for (const egc_actor *actor = world->first_actor; actor; actor = actor->next)
        if (!actor->finished && !actor->lost && !waits_for_others(actor))
            return false;
    return true;
}

egc_status egc_world_core_check(const egc_world *world, egc_error *err)
{
    if (world->failure.status)
        return egc_fail(err, world->failure.status, "%s", world->failure.message);
    return egc_world_now(world) > limit_s(world) ? fail_late(world, err) : EGC_OK;
}

void egc_actor_fail_all(egc_world *world, const egc_error *failure)
{
    if (!world->failure.status)
        world->failure = *failure;
    sg_actor_kill_all();
}

/* ---- asking -------------------------------------------------------------------------------- */

double egc_world_now(const egc_world *world)
{
    (void)world;
    return simgrid_get_clock();
}

double egc_world_network_bytes(const egc_world *world)
{
    double bytes = 0;
    for (int i = 0; i < world->config.workers * world->config.channels; i++)
        bytes += world->transports[i].common.sent_bytes;
    return bytes;
}

egc_transport *egc_world_transport(egc_world *world, int rank, int channel)
{
    return &world->transports[rank * world->config.channels + channel].common;
}
