/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gates and barriers: SimGrid's, which take no simulated time, plus a note for deadlock reports. */
#include <math.h>
#include <simgrid/barrier.h>
#include <simgrid/semaphore.h>

#include "base/mem.h"
#include "net/world/world_core.h"

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
    bool late = sg_sem_acquire_timeout(gate->semaphore, seconds);
    egc_actor_waits(actor, EGC_WAITING_NOT, 0, 0);
    egc_actor_end_if_late(actor->world);
    return !late;
}

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
