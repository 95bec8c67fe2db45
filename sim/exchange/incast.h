/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many to one: all ranks but the root have a message for the root, of any lengths.
 *
 * Only `egc-sim bench simulator` and tests use it so far. The parameter servers of training receive
 * each worker's pushes by a receiver of its own, and limit them by credits for the same reason.
 *
 * When a message ends, the others share its part of the root's link, and SimGrid recomputes the
 * rates of all messages under way: its work grows with the square of their number if they end one
 * by one. So the root receives a window of messages at a time; the others wait at their senders.
 *
 * The total time does not change where the root's link is the bottleneck: the link carries the same
 * bytes at the same rate in any order, and is idle only while every message under way waits out its
 * latency. With messages of different lengths that does not happen. Messages of equal lengths end
 * together, and then the link idles for one latency; therefore the window grows by the number of
 * messages that ended together, which costs SimGrid little and leaves one idle period for each
 * doubling. Short messages on links of long latency need a window of `bytes` to keep the link busy.
 * Use no window where the senders' own links are slower than their share of the root's, as those of
 * federated clients. */
#ifndef EGC_EXCHANGE_INCAST_H
#define EGC_EXCHANGE_INCAST_H

#include "exchange/exchange.h"

/* The root asks for another message while those it has asked for are fewer than either. */
typedef struct egc_incast_window {
    int messages; /* 0: no window, all at once */
    double bytes; /* messages that have not come yet count as the mean of those that have */
} egc_incast_window;

/* A window that keeps the root's link busy and SimGrid quick. */
egc_incast_window egc_incast_usual(const egc_exchange_network *network);

/* Receives the message of rank `from`, valid during the call. */
typedef egc_status (*egc_incast_take)(void *arg, int from, const egc_buf *message, egc_error *err);

/* Called by all ranks. All but the root send mine[0..bytes). The root ignores its own `mine` and
 * passes each message to `take`, in the order of ranks from root + 1 modulo p to root - 1, so that
 * ranks which send to several roots can start with different ones. Only the root uses window, take
 * and arg. Errors of the transport and of take; MEMORY. */
egc_status egc_incast(egc_transport *transport, int root, const void *mine, size_t bytes,
                      const egc_incast_window *window, egc_incast_take take, void *arg,
                      egc_error *err) EGC_MUST_CHECK;

#endif
