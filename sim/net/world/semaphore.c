/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SimGrid's semaphores, with a record of each wait for the report of a deadlock. */
#include "net/world/semaphore.h"

#include <math.h>
#include <simgrid/semaphore.h>

#include "base/mem.h"
#include "net/world/actor.h"

struct egc_semaphore {
    sg_sem_t semaphore;
};

egc_semaphore *egc_semaphore_new(int count)
{
    egc_semaphore *gate = egc_calloc(1, sizeof *gate);
    if (gate)
        gate->semaphore = sg_sem_init(count);
    return gate;
}

void egc_semaphore_free(egc_semaphore *gate)
{
    if (gate)
        sg_sem_destroy(gate->semaphore);
    egc_free(gate);
}

void egc_semaphore_signal(egc_semaphore *gate)
{
    sg_sem_release(gate->semaphore);
}

void egc_semaphore_wait(egc_semaphore *gate)
{
    egc_actor *actor = egc_actor_self();
    egc_actor_waits(actor, EGC_WAITING_SEMAPHORE, 0, 0);
    sg_sem_acquire(gate->semaphore);
    egc_actor_waits(actor, EGC_WAITING_NOT, 0, 0);
}

bool egc_semaphore_wait_for(egc_semaphore *gate, double seconds)
{
    if (isinf(seconds)) {
        egc_semaphore_wait(gate);
        return true;
    }
    egc_actor *actor = egc_actor_self();
    egc_actor_waits(actor, EGC_WAITING_TIME, 0, 0);
    bool timed_out = sg_sem_acquire_timeout(gate->semaphore, seconds);
    egc_actor_waits(actor, EGC_WAITING_NOT, 0, 0);
    egc_actor_end_if_late(actor->world);
    return !timed_out;
}
