/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assembles the parts of a world, runs it, and reports why a run stopped. */
#include "net/world/world.h"

#include <simgrid/engine.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "net/world/background.h"
#include "net/world/loader.h"
#include "net/world/world_core.h"

/* ---- making -------------------------------------------------------------------------------- */

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
    /* One second of work is one of host 0. On hosts with speeds of their own it takes longer. */
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

static egc_status allocate(egc_world *world, egc_error *err)
{
    size_t workers = (size_t)world->config.workers, channels = (size_t)world->config.channels;
    world->hosts = egc_calloc(workers, sizeof *world->hosts);
    world->speeds = egc_calloc(workers, sizeof *world->speeds);
    world->failed = egc_calloc(workers, sizeof *world->failed);
    world->transports = egc_calloc(workers, channels * sizeof *world->transports);
    if (!world->hosts || !world->speeds || !world->failed || !world->transports)
        return egc_fail_memory(err, workers * channels * sizeof *world->transports);
    return EGC_OK;
}

egc_status egc_world_new(const egc_world_config *config, egc_world **out, egc_error *err)
{
    static bool made;
    egc_status status = egc_world_config_check(config, err);
    if (status)
        return status;
    if (made)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "a process can simulate one world only, and has made one before");
    egc_world *world = egc_calloc(1, sizeof *world);
    if (!world)
        return egc_fail_memory(err, sizeof *world);
    world->config = *config;
    world->speed_flops = egc_cluster_host_flops(config->cluster_params, &config->device);
    world->next_actor = &world->first_actor;
    status = allocate(world, err);
    if (!status)
        open_transports(world);
    if (!status)
        status = egc_speed_init(world->speeds, config, err);
    if (!status) {
        made = true;
        status = egc_loader_load(config, world->speed_flops, err);
    }
    if (!status)
        status = seat_workers(world, err);
    if (!status)
        status = egc_energy_start(world, err);
    if (status)
        egc_world_free(world);
    else
        *out = world;
    return status;
}

void egc_world_free(egc_world *world)
{
    if (!world)
        return;
    egc_mailbox_free_all(world);
    egc_actor_free_all(world);
    egc_background_free(world);
    egc_failure_free_all(world);
    egc_free(world->powered);
    egc_free(world->failed);
    egc_free(world->speeds);
    egc_free(world->hosts);
    egc_free(world);
}

/* ---- running ------------------------------------------------------------------------------- */

static void describe_waiting(const egc_actor *actor, char *out, size_t room)
{
    if (actor->failed) {
        snprintf(out, room, "%s was lost with its host at %g s", actor->name, actor->failed_s);
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
        snprintf(out, room, "%s waits for a semaphore", actor->name);
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

/* Appends a sentence for each unfinished actor, those whose host failed or the others, up to NAMED
 * in all, of which `named` are there already. Returns the number of such actors. */
static int describe_unfinished(const egc_world *world, bool failed, int named, char *report)
{
    int count = 0;
    for (const egc_actor *actor = world->first_actor; actor; actor = actor->next) {
        if (actor->finished || actor->failed != failed || named + count++ >= NAMED)
            continue;
        char sentence[SENTENCE];
        describe_waiting(actor, sentence, sizeof sentence);
        strcat(strcat(report, *report ? "; " : ""), sentence);
    }
    return count;
}

/* SimGrid ends a deadlocked run like any other: unfinished actors tell the difference. */
static egc_status check_deadlock(const egc_world *world, egc_error *err)
{
    char report[NAMED * (SENTENCE + 2) + 32] = "";
    int failed = describe_unfinished(world, true, 0, report);
    int all = failed + describe_unfinished(world, false, failed, report);
    egc_status late = all ? egc_world_core_check(world, err) : EGC_OK; /* or at infinity */
    if (all == 0 || late)
        return late;
    if (all > NAMED)
        snprintf(report + strlen(report), 32, "; and %d more wait", all - NAMED);
    return egc_fail(err, EGC_ERROR_SIMULATION, "%s at %g s: %s",
                    failed ? "the run cannot go on" : "deadlock", egc_world_now(world), report);
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
