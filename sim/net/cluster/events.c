/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parameters of events and the checks that need no platform: whether names match hosts or links
 * is checked when the platform is known, in net/topology/event_platform.c. */
#include "net/cluster/events.h"

#include <fnmatch.h>
#include <math.h>

#include "net/cluster/limits.h"

static const char *const states[] = {"same", "down", "up", NULL};

static const egc_param params[] = {
    EGC_PARAM(egc_event, at_s, REAL, "at", "simulated time of the event",
              .quantity = EGC_QUANTITY_TIME, .max = EGC_TIME_S_MAX),
    EGC_PARAM(egc_event, host, TEXT, "host", "hosts: a name or a pattern", .def_text = ""),
    EGC_PARAM(egc_event, link, TEXT, "link", "links: a name or a pattern", .def_text = ""),
    EGC_PARAM(egc_event, bandwidth_Bps, REAL, "bandwidth", "of the links from then on",
              .quantity = EGC_QUANTITY_BANDWIDTH, .def = NAN, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN | EGC_PARAM_OPEN_MAX),
    EGC_PARAM(egc_event, latency_s, REAL, "latency", "of the links from then on",
              .quantity = EGC_QUANTITY_TIME, .def = NAN, .max = EGC_TIME_S_MAX,
              .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_event, speed, REAL, "speed", "of the hosts from then on, share of their own",
              .def = NAN, .min = 1 / EGC_SLOWDOWN_MAX, .max = 1),
    EGC_PARAM(egc_event, state, CHOICE, "state", "whether they work from then on",
              .def = EGC_EVENT_SAME, .choices = states),
    EGC_PARAM_END,
};
const egc_param_item egc_events_item = {params, sizeof(egc_event)};

static egc_status check_event(const egc_event *event, size_t number, egc_error *err)
{
    bool links = *event->link, hosts = *event->host;
    bool of_links = !isnan(event->bandwidth_Bps) || !isnan(event->latency_s);
    bool of_hosts = !isnan(event->speed), changes = event->state != EGC_EVENT_SAME;
    if (links == hosts)
        return egc_fail(err, EGC_ERROR_RANGE, "profiles[%zu]: must name either a host or a link",
                        number);
    if (links ? of_hosts : of_links)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "profiles[%zu]: a link has bandwidth, latency and state, a host speed and "
                        "state; got %s of a %s",
                        number,
                        of_hosts                      ? "speed"
                        : isnan(event->bandwidth_Bps) ? "latency"
                                                      : "bandwidth",
                        links ? "link" : "host");
    if (hosts && event->state == EGC_EVENT_DOWN && event->at_s == 0)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "profiles[%zu]: at must be > 0 for a host that goes down, got 0: workers "
                        "begin on hosts that are up",
                        number);
    if (!of_links && !of_hosts && !changes)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "profiles[%zu]: must change bandwidth, latency, speed or state, got none "
                        "of them",
                        number);
    return EGC_OK;
}

egc_status egc_events_check(const egc_param_list *list, double efficiency, egc_error *err)
{
    const egc_event *events = list->items;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < list->n && !status; i++) {
        double goodput_Bps = events[i].bandwidth_Bps * efficiency; /* NAN: unchanged */
        status = check_event(&events[i], i + 1, err);
        if (!status && (goodput_Bps < EGC_LINK_BPS_MIN || goodput_Bps > EGC_LINK_BPS_MAX))
            status = egc_fail(err, EGC_ERROR_RANGE,
                              "profiles[%zu]: bandwidth * efficiency must be in [%g, %g] B/s, got "
                              "%g",
                              i + 1, EGC_LINK_BPS_MIN, EGC_LINK_BPS_MAX, goodput_Bps);
    }
    return status;
}

bool egc_events_match(const egc_event *event, const char *name, bool is_link)
{
    const char *pattern = is_link ? event->link : event->host;
    return *pattern && fnmatch(pattern, name, 0) == 0;
}
