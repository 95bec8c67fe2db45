/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many to one: all ranks but the root have a message for the root, of any lengths.
 *
 * A piece for exchanges in which one rank takes all. So far only `egc-sim bench simulator` and
 * tests call it: the parameter servers of training take pushes as they come, each worker's by a
 * receiver of its own, and give out credits for the reason given here.
 *
 * A message that ends lets the others share its part of the root's link, so that SimGrid works out
 * the rates of all that are under way again: the work grows with the square of the messages when
 * these are many and end one by one. So the root takes a window of them at a time, as servers
 * do that give out credit; the others wait where they are.
 *
 * That changes no total time where the root's link is the bottleneck. It carries the same bytes at
 * the same rate in whatever order they come, and it rests only when no message is under way that
 * has passed its latency. With messages of different lengths some always are. Those of equal
 * lengths end together, after which the link rests for a latency; therefore these widen the window
 * by as many as came together, which costs SimGrid little and leaves few rests: one for each
 * doubling. Messages that are short for the latency of the way need a window of `bytes` to keep the
 * link busy. Where the senders' own links are slower than the root's share of them, as those of
 * federated clients, ask for no window. */
#ifndef EGC_EXCHANGE_INCAST_H
#define EGC_EXCHANGE_INCAST_H

#include "exchange/exchange.h"

/* The root asks for another message while those it has asked for are fewer than either. */
typedef struct egc_incast_window {
    int messages; /* 0: no window, all at once */
    double bytes; /* messages that have not come yet count as the mean of those that have */
} egc_incast_window;

/* What keeps the root's link busy and SimGrid quick. */
egc_incast_window egc_incast_usual(const egc_exchange_network *network);

/* Does something with the message of rank `from`, which is gone afterwards. */
typedef egc_status (*egc_incast_take)(void *arg, int from, const egc_buf *message, egc_error *err);

/* Called by all ranks. Those that are not root send mine[0..bytes). The root, whose `mine` is not
 * looked at, takes all messages but its own, in the order of ranks from root + 1 round to
 * root - 1, so that ranks which send to several roots can start with different ones. The other
 * ranks' window, take and arg are not looked at. */
egc_status egc_incast(egc_transport *transport, int root, const void *mine, size_t bytes,
                      const egc_incast_window *window, egc_incast_take take, void *arg,
                      egc_error *err) EGC_MUST_CHECK;

#endif
