/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SimGrid's barriers, with a record of each wait for the report of a deadlock. */
#include "net/world/barrier.h"

#include <simgrid/barrier.h>

#include "base/mem.h"
#include "net/world/actor.h"

struct egc_barrier {
    sg_bar_t barrier;
};

egc_barrier *egc_barrier_new(int parties)
{
    egc_barrier *barrier = egc_calloc(1, sizeof *barrier);
    if (barrier)
        barrier->barrier = sg_barrier_init((unsigned)parties);
    return barrier;
}

void egc_barrier_free(egc_barrier *barrier)
{
    if (barrier)
        sg_barrier_destroy(barrier->barrier);
    egc_free(barrier);
}

void egc_barrier_wait(egc_barrier *barrier)
{
    egc_actor *actor = egc_actor_self();
    egc_actor_waits(actor, EGC_WAITING_BARRIER, 0, 0);
    sg_barrier_wait(barrier->barrier);
    egc_actor_waits(actor, EGC_WAITING_NOT, 0, 0);
}
