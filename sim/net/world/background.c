/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each flow is a pair of SimGrid daemons, which do not keep a run alive, on a mailbox of its own.
 */
#include "net/world/background.h"

#include <gsl/gsl_randist.h>
#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/mailbox.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/rng.h"
#include "net/world/actor.h"
#include "net/world/mailbox.h"
#include "net/world/world_core.h"

enum { SEED_CYCLE = 0x4247, SEED_FLOW };

typedef struct egc_background_flow {
    egc_world *world;
    sg_host_t from, to;
    sg_mailbox_t box;
    uint64_t rng_state;
    double joules_per_byte;
    double burst_s; /* duration of the last burst */
} flow;

/* ---- the two ends of a flow ------------------------------------------------------------------ */

static void pause_for(flow *f, double mean_s)
{
    const gsl_rng rng = {egc_rng_splitmix64, &f->rng_state};
    sg_actor_sleep_for(gsl_ran_exponential(&rng, mean_s));
}

static double mean_pause_s(const flow *f)
{
    const egc_cluster_common *common = f->world->config.cluster_params;
    return f->burst_s * (1 - common->background) / common->background;
}

/* After a burst that a failure cuts short the pauses keep their length. */
static void send_burst(flow *f)
{
    const egc_cluster_common *common = f->world->config.cluster_params;
    const gsl_rng rng = {egc_rng_splitmix64, &f->rng_state};
    double bytes = 1 + gsl_ran_exponential(&rng, common->background_burst_bytes);
    double start_s = simgrid_get_clock();
    sg_comm_t burst = sg_mailbox_put_async(f->box, f, (long)bytes);
    if (sg_comm_wait(burst) != SG_OK)
        return;
    f->burst_s = simgrid_get_clock() - start_s;
    f->world->carried_J += bytes * f->joules_per_byte;
}

/* Seconds that a burst of mean size takes on idle links. */
static double alone_s(const flow *f)
{
    const egc_cluster_common *common = f->world->config.cluster_params;
    return common->background_burst_bytes / sg_host_get_route_bandwidth(f->from, f->to) +
           sg_host_get_route_latency(f->from, f->to);
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

/* True if every actor waits for another one. If that holds at two moments between which none
 * continued, it holds for ever. */
static bool is_stuck(const egc_world *world)
{
    for (const egc_actor *actor = world->first_actor; actor; actor = actor->next)
        if (!actor->finished && !actor->failed && !waits_for_others(actor))
            return false;
    return true;
}

static void send_bursts(int argc, char **argv)
{
    (void)argc, (void)argv;
    flow *f = sg_actor_self_get_data();
    uint64_t seen;
    f->burst_s = alone_s(f);
    f->joules_per_byte = egc_world_core_joules_per_byte(f->world, f->from, f->to);
    do {
        pause_for(f, mean_pause_s(f));
        seen = f->world->progress;
        send_burst(f);
    } while (f->world->progress != seen || !is_stuck(f->world));
}

static void receive_bursts(int argc, char **argv)
{
    (void)argc, (void)argv;
    flow *f = sg_actor_self_get_data();
    for (;;) {
        void *arrived = NULL;
        sg_comm_t burst = sg_mailbox_get_async(f->box, &arrived);
        if (sg_comm_wait(burst) != SG_OK)
            continue; /* the sender pauses before the next */
    }
}

/* ---- starting -------------------------------------------------------------------------------- */

static void start_end(flow *f, const char *name, sg_host_t host, void (*main)(int, char **))
{
    sg_actor_t actor = sg_actor_init(name, host);
    sg_actor_set_data(actor, f);
    sg_actor_start(actor, main, 0, NULL);
    sg_actor_daemonize(actor);
}

static void start_flow(flow *f, egc_world *world, size_t number, sg_host_t from, sg_host_t to)
{
    char name[64];
    snprintf(name, sizeof name, "background %zu", number);
    *f = (flow){
        .world = world,
        .from = from,
        .to = to,
        .box = sg_mailbox_by_name(name),
        .rng_state = egc_rng_derive_seed(world->config.seed, SEED_FLOW, number),
    };
    start_end(f, name, from, send_bursts);
    snprintf(name, sizeof name, "background to %zu", number);
    start_end(f, name, to, receive_bursts);
}

/* A random cycle: Sattolo, An algorithm to generate a random cyclic permutation, 1986. */
static void draw_cycle(size_t *next, size_t n, uint64_t seed)
{
    uint64_t state = egc_rng_derive_seed(seed, SEED_CYCLE, 0);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    for (size_t i = 0; i < n; i++)
        next[i] = i;
    for (size_t i = n - 1; i > 0; i--) {
        size_t j = gsl_rng_uniform_int(&rng, i), held = next[i];
        next[i] = next[j];
        next[j] = held;
    }
}

egc_status egc_background_start(egc_world *world, egc_error *err)
{
    const egc_cluster_common *common = world->config.cluster_params;
    size_t n = world->config.cluster->hosts(common);
    if (!(common->background > 0) || n < 2)
        return EGC_OK;
    size_t *next = egc_calloc(n, sizeof *next);
    world->flows = egc_calloc(n, sizeof *world->flows);
    if (!next || !world->flows) {
        egc_free(next);
        return egc_fail_memory(err, n * sizeof *world->flows);
    }
    draw_cycle(next, n, world->config.seed);
    for (size_t i = 0; i < n; i++)
        start_flow(&world->flows[i], world, i, egc_world_core_host(&world->config, i),
                   egc_world_core_host(&world->config, next[i]));
    egc_free(next);
    return EGC_OK;
}

void egc_background_free(egc_world *world)
{
    egc_free(world->flows);
}
