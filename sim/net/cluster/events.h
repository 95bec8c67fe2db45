/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of a cluster: links and hosts that fail, recover, or change their speed at given simulated
 * times. In Lua they are the list `profiles` of a cluster. net/topology/event_platform.h turns them
 * into SimGrid's profiles. */
#ifndef EGC_NET_CLUSTER_EVENTS_H
#define EGC_NET_CLUSTER_EVENTS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/param.h"

#define EGC_EVENT_NAME 128 /* bytes of a name or a pattern, terminator included */

typedef enum egc_event_state { EGC_EVENT_SAME, EGC_EVENT_DOWN, EGC_EVENT_UP } egc_event_state;

/* Changes all hosts or all links whose name matches from simulated time at_s on. */
typedef struct egc_event {
    double at_s;
    char host[EGC_EVENT_NAME], link[EGC_EVENT_NAME]; /* one of them: a name or a pattern */
    double bandwidth_Bps, latency_s;                 /* new values for the links; NAN: unchanged */
    double speed; /* new speed of the hosts, a share of the usual one; NAN: unchanged */
    int state;    /* egc_event_state */
} egc_event;

/* The table of an event's parameters. */
extern const egc_param_item egc_events_item;

/* Checks a list of egc_event. A link's bandwidth is multiplied by `efficiency`, in (0, 1]. RANGE,
 * the message beginning with the number of the event, when an event names not exactly one of host
 * and link, changes nothing, changes a property that its target does not have, or leaves the limits
 * of net/cluster/limits.h. */
egc_status egc_events_check(const egc_param_list *events, double efficiency,
                            egc_error *err) EGC_MUST_CHECK;

/* True if the event changes the link (is_link) or host of this name: a shell pattern matches. */
bool egc_events_match(const egc_event *event, const char *name, bool is_link);

#endif
