/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The transport between actors, over SimGrid's mailboxes. */
#ifndef EGC_NET_WORLD_MAILBOX_H
#define EGC_NET_WORLD_MAILBOX_H

#include "net/transport/transport.h"
#include "net/world/world_config.h"

/* Forgets all messages that are under way or unmatched. The actors that wait for them must have
 * been ended. Called by an actor. */
void egc_mailbox_forget_all(egc_world *world);

/* ---- private to sim/net --------------------------------------------------------------------- */

typedef struct egc_mailbox_transport {
    egc_transport common;
    egc_world *world;
    int channel;
    void *mailboxes; /* search tree of the mailboxes to which this rank has sent, by receiver */
    int to, from;    /* the peers of the latest messages, and the mailboxes to and from them; */
    struct mailbox *outbox, *inbox; /* NULL before the first */
} egc_mailbox_transport;

extern const egc_transport_ops egc_mailbox_transport_ops;

/* True if both ends have begun the transfer, which then needs no other actor. */
bool egc_mailbox_is_matched(const egc_request *request);

/* Frees all transports and requests. */
void egc_mailbox_free_all(egc_world *world);

#endif
