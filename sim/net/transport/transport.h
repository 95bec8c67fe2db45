/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The small interface over which every exchange is written: ranks, and bytes between them.
 *
 * The SimGrid backend (net/world/world.h) charges the bytes to the modelled network; another
 * backend can run the same exchanges over a real one. So nothing above this interface may assume
 * that ranks share memory: a message arrives as bytes in a buffer of the receiver.
 *
 * Messages from one rank to another on one transport arrive in the order sent. All calls are made
 * by the rank that owns the transport. A call that sends or receives fails with RANGE when there is
 * no such peer, MEMORY, or the errors of egc_transport_wait. */
#ifndef EGC_NET_TRANSPORT_TRANSPORT_H
#define EGC_NET_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/number/element.h"

typedef struct egc_transport egc_transport;
typedef struct egc_request egc_request; /* a send or receive under way; wait gives it back */

typedef struct egc_transport_ops {
    egc_status (*isend)(egc_transport *transport, int to, const void *data, size_t bytes,
                        egc_request **out, egc_error *err);
    egc_status (*irecv)(egc_transport *transport, int from, egc_buf *into, egc_request **out,
                        egc_error *err);
    egc_status (*wait)(egc_transport *transport, egc_request *request, egc_error *err);
    void (*reduce)(egc_transport *transport, egc_element element, void *sum, const void *addend,
                   size_t n);
    double (*now)(const egc_transport *transport);
    /* True if the peer is on the same host: messages to it do not cross the network. */
    bool (*same_host)(const egc_transport *transport, int peer);
} egc_transport_ops;

struct egc_transport {
    const egc_transport_ops *ops;
    int rank;
    int size;
    bool size_only; /* messages have lengths and no content: data is never read, and a receiver gets
                       a length alone. For runs too large to hold their bytes */
    double sent_bytes; /* handed to isend so far for other hosts: for accounting */
    double recv_bytes; /* from other hosts */
};

/* Starts sending; data must stay unchanged until the request is waited for. bytes may be 0. */
egc_status egc_transport_isend(egc_transport *transport, int to, const void *data, size_t bytes,
                               egc_request **out, egc_error *err) EGC_MUST_CHECK;

/* Starts receiving the next message from `from`. When the request has been waited for, `into`
 * holds exactly that message; its earlier contents are gone. */
egc_status egc_transport_irecv(egc_transport *transport, int from, egc_buf *into, egc_request **out,
                               egc_error *err) EGC_MUST_CHECK;

/* Blocks until done. The request is gone afterwards, whatever is returned. SIMULATION when the
 * peer or a link was lost; the message names rank, peer and simulated time. NULL is done. */
egc_status egc_transport_wait(egc_transport *transport, egc_request *request,
                              egc_error *err) EGC_MUST_CHECK;

/* Waits for n of them, in this order. After a failure those that follow are still under way. */
egc_status egc_transport_wait_all(egc_transport *transport, egc_request *const *requests, size_t n,
                                  egc_error *err) EGC_MUST_CHECK;

/* One message, and the wait for it. */
egc_status egc_transport_send(egc_transport *transport, int to, const void *data, size_t bytes,
                              egc_error *err) EGC_MUST_CHECK;
egc_status egc_transport_receive(egc_transport *transport, int from, egc_buf *into,
                                 egc_error *err) EGC_MUST_CHECK;

/* Sends one message and receives one, both under way at once. */
egc_status egc_transport_sendrecv(egc_transport *transport, int to, const void *data, size_t bytes,
                                  int from, egc_buf *into, egc_error *err) EGC_MUST_CHECK;

/* egc_element_add, charging the time the device takes for it. */
void egc_transport_reduce(egc_transport *transport, egc_element element, void *sum,
                          const void *addend, size_t n);

/* Seconds since the start. */
double egc_transport_now(const egc_transport *transport);

#endif
