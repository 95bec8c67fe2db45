/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of sim/net share about a world. Private to sim/net. */
#ifndef EGC_NET_WORLD_WORLD_CORE_H
#define EGC_NET_WORLD_WORLD_CORE_H

#include <simgrid/actor.h>
#include <simgrid/host.h>

#include "net/world/speed.h"
#include "net/world/world.h"

struct mailbox; /* of message.c */

typedef enum egc_waiting {
    EGC_WAITING_NOT,
    EGC_WAITING_SEND,
    EGC_WAITING_RECEIVE,
    EGC_WAITING_SEMAPHORE,
    EGC_WAITING_BARRIER,
    EGC_WAITING_TIME, /* which passes whatever others do */
} egc_waiting;

typedef struct egc_actor {
    struct egc_actor *next; /* in the order of spawning */
    egc_world *world;
    size_t number; /* in that order, from 0 */
    char *name;
    egc_actor_main main;
    void *arg;
    int rank;
    aid_t pid;
    bool finished;
    bool lost;           /* with its host, while it ran */
    double lost_s;       /* when */
    egc_waiting waiting; /* for the report of a deadlock */
    int peer, channel;   /* of the message it waits for */
    const egc_request *request;
} egc_actor;

typedef struct egc_mailbox_transport {
    egc_transport common;
    egc_world *world;
    int channel;
    void *mailboxes; /* a search tree: where this rank sends to, filled on first use */
    int to, from;    /* the last peers, */
    struct mailbox *outbox, *inbox; /* and the mailboxes to and from them; NULL before the first */
} egc_mailbox_transport;

struct egc_world {
    egc_world_config config;
    double speed_flops;
    sg_host_t *hosts;                  /* by rank */
    egc_speed *worker_speeds;          /* likewise */
    bool *lost;                        /* likewise: its host failed under one of its actors */
    egc_mailbox_transport *transports; /* by rank * channels + channel */
    egc_actor *first_actor, **next_actor;
    size_t n_actors;
    egc_request *requests; /* all that were ever made */
    egc_request *idle_requests;
    uint64_t progress; /* how often an actor has gone on after waiting */
    struct egc_background_flow *flows;
    sg_host_t *powered; /* for energy: the hosts that ranks sit on */
    size_t n_powered;
    size_t n_links; /* and the links, and what carrying has cost them */
    double carried_J;
    int epoch; /* how often messages were forgotten: part of the names of mailboxes */
    struct egc_failure_watching *watches;
    egc_error failure; /* the first one; ends the run */
    bool ran;
};

/* Sends and receives over SimGrid's mailboxes: message.c. */
extern const egc_transport_ops egc_mailbox_transport_ops;
void egc_mailbox_transport_fini(egc_mailbox_transport *transport);
void egc_mailbox_requests_free(egc_world *world);

/* The number of the host that a rank sits on, and the host of a number; NULL when the platform has
 * none. */
size_t egc_world_config_seat(const egc_world_config *config, int rank);
sg_host_t egc_world_core_host(const egc_world_config *config, size_t number);

/* The calling actor. */
egc_actor *egc_actor_self(void);

/* Notes what it is about to wait for; EGC_WAITING_NOT afterwards. */
void egc_actor_waits(egc_actor *actor, egc_waiting waiting, int peer, int channel);

/* Whether both ends of its transfer have begun: it goes on by itself. */
bool egc_mailbox_is_matched(const egc_request *request);

/* Whether all actors wait for each other. Nothing but they can end that, when it is so at two
 * moments between which none went on. */
bool egc_world_is_stuck(const egc_world *world);

void egc_failure_watches_free(egc_world *world);

/* Every way in which simulated time passes is followed by this check: EGC_OK, TIMEOUT past the
 * limit, or the failure that is ending the run. */
egc_status egc_world_core_check(const egc_world *world, egc_error *err) EGC_MUST_CHECK;

/* The check for calls that return nothing: ends the calling actor, and with it the run. */
void egc_actor_end_if_late(egc_world *world);

#endif
