/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

egc_status send_later(worker *self, egc_error *err)
{
    const send_after *what = self->arg;
    egc_buf in = {0};
    egc_status status = EGC_OK;
    if (self->rank == 0) {
        void *data = egc_calloc(what->bytes + 1, 1);
        egc_actor_compute(self->world, 0, what->before_s);
        status = egc_transport_send(self->transport, 1, data, what->bytes, err);
        egc_free(data);
    } else if (self->rank == 1) {
        status = egc_transport_receive(self->transport, 0, &in, err);
    }
    egc_buf_fini(&in);
    return status;
}

static egc_event event_of(double at_s)
{
    return (egc_event){.at_s = at_s, .bandwidth_Bps = NAN, .latency_s = NAN, .speed = NAN};
}

egc_event link_event(double at_s, const char *link)
{
    egc_event event = event_of(at_s);
    snprintf(event.link, sizeof event.link, "%s", link);
    return event;
}

egc_event host_event(double at_s, const char *host)
{
    egc_event event = event_of(at_s);
    snprintf(event.host, sizeof event.host, "%s", host);
    return event;
}
