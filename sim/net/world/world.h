/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One simulated cluster, run once: hosts, actors on them, and the network between.
 *
 * SimGrid holds global state, so a process can make one world only, and a sweep forks a child for
 * each point. Actors are coroutines on one thread: between two calls of this interface an actor
 * runs alone, and no locking is needed. This is the door to SimGrid; its traps are handled behind
 * it. */
#ifndef EGC_NET_WORLD_WORLD_H
#define EGC_NET_WORLD_WORLD_H

#include <stdbool.h>

#include "net/cluster/cluster.h"
#include "net/transport/transport.h"

typedef struct egc_world egc_world;

typedef enum egc_network_model {
    EGC_NETWORK_CM02, /* latency + bytes / bandwidth, max-min sharing: the default */
    EGC_NETWORK_LV08, /* SimGrid's own default: latency x 13, bandwidth x 0.97 */
    EGC_NETWORK_SMPI, /* piecewise factors fitted to a 1 GbE cluster */
} egc_network_model;

typedef struct egc_world_config {
    const egc_cluster_type *cluster;
    const void *cluster_params;
    egc_device device;
    egc_network_model network_model;
    uint64_t seed;         /* of stragglers, jitter and background traffic */
    int workers;           /* ranks */
    int servers;           /* of them, the last so many do not straggle or jitter */
    const int *seats;      /* the host of each rank, borrowed; NULL: rank r sits on host r */
    bool size_only;        /* see egc_transport */
    bool one_message_each; /* no rank ever has two on the way: quicker to simulate */
    int channels;          /* independent transports between the same ranks, >= 1 */
    double max_sim_time_s; /* INFINITY for none but EGC_TIME_S_MAX */
    bool charge_reduction; /* egc_transport_reduce takes simulated time */
    bool energy;           /* account for it */
    bool thread_contexts;  /* run actors as threads: slow, for sanitizers */
} egc_world_config;

/* Checks the configuration, writes the platform and loads it. RANGE when a number is, as that
 * of workers whom the cluster cannot seat; UNSUPPORTED when the process has made a world before;
 * FORMAT when the platform lacks a host; what egc_cluster_prepare finds; IO; MEMORY. */
egc_status egc_world_new(const egc_world_config *config, egc_world **out,
                         egc_error *err) EGC_MUST_CHECK;

/* Whether a world of these can account for energy: RANGE, the message beginning with the key. */
egc_status egc_cluster_check_power(const egc_cluster_common *common, const egc_device *device,
                                   egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_world_free(egc_world *world);

/* What an actor does. When one fails, the run ends and egc_world_run returns its error. The other
 * actors are ended where they wait, and the memory they own is not given back. */
typedef egc_status (*egc_actor_main)(void *arg, egc_error *err);

/* Puts an actor on the host of `rank`. name must be unique; it is copied. RANGE when there is no
 * such rank; MEMORY. */
egc_status egc_actor_spawn(egc_world *world, int rank, const char *name, egc_actor_main main,
                           void *arg, egc_error *err) EGC_MUST_CHECK;

/* ---- losses: for those who go on without ----------------------------------------------------- */

/* Whether the hosts of two ranks are up, and have been as long as these had something to do, and so
 * is every link on the ways between them, by the cluster's profiles. */
bool egc_failure_reachable(const egc_world *world, int a, int b);

/* From now on, the host of rank `from` watches that of `rank`: calls `lost` when it fails before
 * the first actor of that rank has ended, unless its own has failed too. Nothing is watched when
 * that actor has ended already, or when a rank is to watch itself. MEMORY. */
typedef struct egc_failure_watcher {
    egc_world *world;
    int rank, from;
    void (*lost)(void *arg);
    void *arg;
} egc_failure_watcher;
egc_status egc_failure_watch(const egc_failure_watcher *watch, egc_error *err) EGC_MUST_CHECK;

/* Ends the actors of a rank that run `main`, or all of them (NULL) but the caller, where they next
 * wait, and expects no more of them. Called by an actor. */
void egc_actor_end(egc_world *world, int rank, egc_actor_main main);

/* Ends the run with this failure, if it is the first: all actors but the caller, which need not be
 * one. */
void egc_actor_fail_all(egc_world *world, const egc_error *failure);

/* Ends the run, which was successful, whatever other actors are still at. Called by an actor, which
 * goes on. */
void egc_actor_end_all(egc_world *world);

/* Forgets all messages that are under way or wait for their other end. The actors that wait for
 * them must have been ended. */
void egc_mailbox_forget_all(egc_world *world);

/* Runs all actors to their end. The error of the first actor that failed; SIMULATION naming those
 * whose host failed, and the actors that still wait, for a deadlock; TIMEOUT past max_sim_time_s.
 */
egc_status egc_world_run(egc_world *world, egc_error *err) EGC_MUST_CHECK;

/* Simulated seconds since the start. */
double egc_world_now(const egc_world *world);

/* Bytes that have left a host so far, of all ranks on all channels. */
double egc_world_network_bytes(const egc_world *world);

/* Joules consumed so far, by the hosts of the workers and by all links, of a world whose
 * configuration asks for energy. Called by an actor. */
typedef struct egc_energy {
    double host_J, link_J;
} egc_energy;
egc_energy egc_energy_used(const egc_world *world);

/* The transport of `rank` on `channel`. Borrowed. */
egc_transport *egc_world_transport(egc_world *world, int rank, int channel);

/* ---- inside an actor ----------------------------------------------------------------------- */

/* A worker begins a step: jitter of the cluster is drawn anew. */
void egc_actor_begin_step(egc_world *world, int rank, uint64_t step);

/* Occupies one core of the device of `rank` for `seconds` of its time: longer when it is shared, or
 * when the cluster says that this host is slower. */
void egc_actor_compute(egc_world *world, int rank, double seconds);

/* Does nothing for `seconds`. */
void egc_actor_sleep(egc_world *world, double seconds);

/* A counting semaphore between actors. Waiting takes no simulated time of its own. */
typedef struct egc_semaphore egc_semaphore;
egc_semaphore *egc_semaphore_new(int count); /* NULL when out of memory */
void egc_semaphore_free(egc_semaphore *semaphore);
void egc_semaphore_signal(egc_semaphore *semaphore);
void egc_semaphore_wait(egc_semaphore *semaphore);

/* Waits no longer than `seconds` (INFINITY: however long). False when they are over. */
bool egc_semaphore_wait_for(egc_semaphore *semaphore, double seconds);

/* A barrier for `parties` actors. Passing it takes no simulated time of its own. */
typedef struct egc_barrier egc_barrier;
egc_barrier *egc_barrier_new(int parties);
void egc_barrier_free(egc_barrier *barrier);
void egc_barrier_wait(egc_barrier *barrier);

#endif
