/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Actors: functions that run on simulated hosts, as coroutines on one thread. Between two calls
 * that let simulated time pass an actor runs alone, so no locking is needed. */
#ifndef EGC_NET_WORLD_ACTOR_H
#define EGC_NET_WORLD_ACTOR_H

#include "net/transport/transport.h"
#include "net/world/world_config.h"

/* The main function of an actor. An error ends the run and is returned by egc_world_run; the other
 * actors then end inside the call in which they wait, and their memory is not freed. */
typedef egc_status (*egc_actor_main)(void *arg, egc_error *err);

/* Starts an actor on the host of `rank`. name must be unique; it is copied. RANGE for a rank that
 * does not exist; MEMORY. */
egc_status egc_actor_spawn(egc_world *world, int rank, const char *name, egc_actor_main main,
                           void *arg, egc_error *err) EGC_MUST_CHECK;

/* ---- inside an actor ------------------------------------------------------------------------ */

/* Begins a step of a worker: draws its jitter. */
void egc_actor_begin_step(egc_world *world, int rank, uint64_t step);

/* Occupies one core of the device of `rank` for `seconds` of its time: longer when the core is
 * shared, or when the cluster slows this host down. */
void egc_actor_compute(egc_world *world, int rank, double seconds);

/* Lets `seconds` pass. */
void egc_actor_sleep(egc_world *world, double seconds);

/* ---- ending --------------------------------------------------------------------------------- */

/* Ends the actors of a rank that run `main` (NULL: any), except the caller, at their next wait. The
 * world then expects nothing more of them. Called by an actor. */
void egc_actor_end(egc_world *world, int rank, egc_actor_main main);

/* Ends the run, successfully, together with all other actors. Called by an actor, which continues.
 */
void egc_actor_end_all(egc_world *world);

/* Ends the run and all other actors with this failure, unless an earlier one is ending it. */
void egc_actor_fail_all(egc_world *world, const egc_error *failure);

/* ---- private to sim/net --------------------------------------------------------------------- */

typedef enum egc_waiting {
    EGC_WAITING_NOT,
    EGC_WAITING_SEND,
    EGC_WAITING_RECEIVE,
    EGC_WAITING_SEMAPHORE,
    EGC_WAITING_BARRIER,
    EGC_WAITING_TIME, /* passes without other actors */
} egc_waiting;

typedef struct egc_actor {
    struct egc_actor *next; /* in the order of spawning */
    egc_world *world;
    size_t number; /* in that order, from 0 */
    char *name;
    egc_actor_main main;
    void *arg;
    int rank;
    long pid;
    bool finished;
    bool failed; /* ended by a failure of its host, at failed_s */
    double failed_s;
    egc_waiting waiting; /* for the report of a deadlock */
    int peer, channel;   /* the message for which it waits */
    const egc_request *request;
} egc_actor;

/* The calling actor. */
egc_actor *egc_actor_self(void);

/* Records the reason of the wait that follows; EGC_WAITING_NOT after it. peer and channel matter
 * for messages only. */
void egc_actor_waits(egc_actor *actor, egc_waiting waiting, int peer, int channel);

/* egc_world_core_check for functions that return nothing: on an error ends the calling actor, and
 * the run with it. */
void egc_actor_end_if_late(egc_world *world);

void egc_actor_free_all(egc_world *world);

#endif
