/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One mailbox for each (from, to, channel). SimGrid carries a pointer and charges bytes.
 *
 * The pointer is the sender's request. The bytes are copied once, by the side that wakes first when
 * the transfer ends: by the receiver into its buffer, or by the sender into a copy for the
 * receiver, because the sender's data may change from then on. The sender's request is reused after
 * both sides have released it. */
#include "net/world/mailbox.h"

#include <search.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/mailbox.h>
#include <stdio.h>

#include "base/mem.h"
#include "net/world/actor.h"
#include "net/world/world_core.h"

struct egc_request {
    egc_request *next_made, *next_idle;
    sg_comm_t comm;
    bool sending;
    int peer;
    const struct mailbox *box;
    uint64_t number; /* index among the messages sent to, or received from, this mailbox */
    /* sending */
    const void *data;
    size_t bytes;
    egc_buf kept; /* the copy of data for a receiver that wakes later */
    int holders;  /* sides that have not released the request: 2, 1, 0 */
    /* receiving */
    egc_buf *into;
    void *arrived; /* the sender's request */
};

enum { KEPT_BYTES = 64 << 10 }; /* larger copies are freed with each message */

/* ---- the pool of requests ------------------------------------------------------------------ */

static egc_request *request_get(egc_world *world)
{
    egc_request *request = world->idle_requests;
    if (request) {
        world->idle_requests = request->next_idle;
        return request;
    }
    request = egc_calloc(1, sizeof *request);
    if (request) {
        request->next_made = world->requests;
        world->requests = request;
    }
    return request;
}

static void request_release(egc_world *world, egc_request *request)
{
    if (request->kept.capacity > KEPT_BYTES)
        egc_buf_fini(&request->kept);
    egc_buf_clear(&request->kept);
    request->next_idle = world->idle_requests;
    world->idle_requests = request;
}

static void release_send(egc_world *world, egc_request *send)
{
    if (--send->holders == 0)
        request_release(world, send);
}

/* ---- mailboxes ----------------------------------------------------------------------------- */

typedef struct mailbox {
    int to;
    sg_mailbox_t box;
    uint64_t sent, received; /* messages begun on either side; SimGrid matches them in order */
    double joules_per_byte;
} mailbox;

static int compare_mailboxes(const void *a, const void *b)
{
    int left = ((const mailbox *)a)->to, right = ((const mailbox *)b)->to;
    return (left > right) - (left < right);
}

/* Sets *out to the mailbox from `from` to rank `to`. */
static egc_status mailbox_find(egc_mailbox_transport *from, int to, mailbox **out, egc_error *err)
{
    const egc_world *world = from->world;
    mailbox key = {.to = to};
    mailbox **found = tfind(&key, &from->mailboxes, compare_mailboxes);
    if (!found) {
        mailbox *made = egc_calloc(1, sizeof *made);
        char name[64];
        if (!made)
            return egc_fail_memory(err, sizeof *made);
        snprintf(name, sizeof name, "%d>%d:%d:%d", from->common.rank, to, from->channel,
                 world->epoch);
        made->to = to;
        made->box = sg_mailbox_by_name(name);
        made->joules_per_byte = egc_world_core_joules_per_byte(
            world, world->hosts[from->common.rank], world->hosts[to]);
        /* While SimGrid made the mailbox, the other end may have run and made it too. */
        found = tsearch(made, &from->mailboxes, compare_mailboxes);
        if (!found || *found != made)
            egc_free(made);
        if (!found)
            return egc_fail_memory(err, 1);
    }
    *out = *found;
    return EGC_OK;
}

/* Most exchanges send to the same peer again: its mailbox is at hand. */
static egc_status outbox(egc_mailbox_transport *transport, int to, mailbox **out, egc_error *err)
{
    egc_status status = EGC_OK;
    if (!transport->outbox || transport->to != to) {
        status = mailbox_find(transport, to, &transport->outbox, err);
        transport->to = status ? transport->to : to;
    }
    *out = transport->outbox;
    return status;
}

static egc_status inbox(egc_mailbox_transport *transport, int from, mailbox **out, egc_error *err)
{
    egc_status status = EGC_OK;
    if (!transport->inbox || transport->from != from) {
        egc_world *world = transport->world;
        status =
            mailbox_find(&world->transports[from * world->config.channels + transport->channel],
                         transport->common.rank, &transport->inbox, err);
        transport->from = status ? transport->from : from;
    }
    *out = transport->inbox;
    return status;
}

static void forget(egc_mailbox_transport *transport)
{
    tdestroy(transport->mailboxes, egc_free);
    transport->mailboxes = NULL;
    transport->outbox = transport->inbox = NULL;
}

void egc_mailbox_forget_all(egc_world *world)
{
    world->epoch++;
    for (int i = 0; i < world->config.workers * world->config.channels; i++)
        forget(&world->transports[i]);
}

void egc_mailbox_free_all(egc_world *world)
{
    if (world->transports)
        egc_mailbox_forget_all(world);
    for (egc_request *request = world->requests, *next; request; request = next) {
        next = request->next_made;
        egc_buf_fini(&request->kept);
        egc_free(request);
    }
    egc_free(world->transports);
}

/* ---- the operations ------------------------------------------------------------------------ */

static bool same_host(const egc_transport *common, int peer)
{
    const egc_world *world = ((const egc_mailbox_transport *)common)->world;
    return world->hosts[peer] == world->hosts[common->rank];
}

static egc_status start_send(egc_transport *common, int to, const void *data, size_t bytes,
                             egc_request **out, egc_error *err)
{
    egc_mailbox_transport *transport = (egc_mailbox_transport *)common;
    mailbox *box = NULL;
    egc_status status = outbox(transport, to, &box, err);
    egc_request *request = status ? NULL : request_get(transport->world);
    if (!request)
        return status ? status : egc_fail_memory(err, sizeof *request);
    request->sending = true;
    request->peer = to;
    request->box = box;
    request->number = box->sent++;
    request->data = data;
    request->bytes = bytes;
    request->holders = 2;
    request->comm = sg_mailbox_put_async(box->box, request, (long)bytes);
    *out = request;
    return EGC_OK;
}

static egc_status start_receive(egc_transport *common, int from, egc_buf *into, egc_request **out,
                                egc_error *err)
{
    egc_mailbox_transport *transport = (egc_mailbox_transport *)common;
    mailbox *box = NULL;
    egc_status status = inbox(transport, from, &box, err);
    egc_request *request = status ? NULL : request_get(transport->world);
    if (!request)
        return status ? status : egc_fail_memory(err, sizeof *request);
    request->sending = false;
    request->peer = from;
    request->box = box;
    request->number = box->received++;
    request->into = into;
    request->arrived = NULL;
    request->comm = sg_mailbox_get_async(box->box, &request->arrived);
    *out = request;
    return EGC_OK;
}

bool egc_mailbox_is_matched(const egc_request *request)
{
    return request->number < (request->sending ? request->box->received : request->box->sent);
}

static egc_status finish_send(egc_mailbox_transport *transport, egc_request *send, egc_error *err)
{
    egc_status status = EGC_OK;
    if (send->holders == 2 && !transport->common.size_only) {
        status = egc_buf_append(&send->kept, send->data, send->bytes, err);
        send->data = send->kept.data;
    }
    release_send(transport->world, send);
    return status;
}

static egc_status finish_receive(egc_mailbox_transport *transport, egc_request *receive,
                                 egc_error *err)
{
    egc_request *send = receive->arrived;
    egc_status status = EGC_OK;
    egc_buf_clear(receive->into);
    if (transport->common.size_only)
        receive->into->len = send->bytes;
    else
        status = egc_buf_append(receive->into, send->data, send->bytes, err);
    if (!same_host(&transport->common, receive->peer))
        transport->common.recv_bytes += (double)send->bytes;
    transport->world->carried_J += (double)send->bytes * receive->box->joules_per_byte;
    release_send(transport->world, send);
    request_release(transport->world, receive);
    return status;
}

/* "rank 2", or "server 0 (rank 3)" for one of the last ranks, the servers. */
static const char *name_rank(const egc_world *world, int rank, char out[48])
{
    int server = rank - (world->config.workers - world->config.servers);
    if (server < 0)
        snprintf(out, 48, "rank %d", rank);
    else
        snprintf(out, 48, "server %d (rank %d)", server, rank);
    return out;
}

static egc_status fail_transfer(const egc_mailbox_transport *transport, const egc_request *request,
                                egc_error *err)
{
    char self[48], peer[48];
    return egc_fail(
        err, EGC_ERROR_SIMULATION, "%s lost a message %s %s at %g s: a host or link failed",
        name_rank(transport->world, transport->common.rank, self), request->sending ? "to" : "from",
        name_rank(transport->world, request->peer, peer), simgrid_get_clock());
}

/* A request whose transfer failed is not reused, because its peer may still read it. */
static egc_status finish(egc_transport *common, egc_request *request, egc_error *err)
{
    egc_mailbox_transport *transport = (egc_mailbox_transport *)common;
    egc_actor *actor = egc_actor_self();
    egc_actor_waits(actor, request->sending ? EGC_WAITING_SEND : EGC_WAITING_RECEIVE, request->peer,
                    transport->channel);
    actor->request = request;
    sg_error_t failed = sg_comm_wait(request->comm);
    egc_actor_waits(actor, EGC_WAITING_NOT, 0, 0);
    egc_status status = egc_world_core_check(transport->world, err);
    if (status)
        return status;
    if (failed)
        return fail_transfer(transport, request, err);
    return request->sending ? finish_send(transport, request, err)
                            : finish_receive(transport, request, err);
}

/* Its time: two vectors are read and one is written, by one kernel. */
static void reduce(egc_transport *common, egc_element element, void *sum, const void *addend,
                   size_t n)
{
    egc_world *world = ((egc_mailbox_transport *)common)->world;
    if (!common->size_only)
        egc_element_add(element, sum, addend, n);
    if (n && world->config.charge_reduction)
        egc_actor_compute(world, common->rank,
                          3.0 * (double)(egc_element_bytes(element) * n) /
                                  world->config.device.memory_Bps +
                              world->config.device.launch_s);
}

static double now(const egc_transport *common)
{
    (void)common;
    return simgrid_get_clock();
}

const egc_transport_ops egc_mailbox_transport_ops = {
    .isend = start_send,
    .irecv = start_receive,
    .wait = finish,
    .reduce = reduce,
    .now = now,
    .same_host = same_host,
};
