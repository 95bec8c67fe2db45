/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "train/sync/sync.h"

/* ---- waiting ------------------------------------------------------------------------------- */

/* How much compressing and decompressing there was between two times. */
static double busy_between(const sync_worker *w, double from_s, double to_s)
{
    double total = 0;
    for (size_t i = 0; i < sync_busy_slots(w->learning); i++)
        total += fmax(0, fmin(w->busy[i].end_s, to_s) - fmax(w->busy[i].start_s, from_s));
    return total;
}

/* Waits, in a step's time, for n buckets from `first` on. Adds to *waited_s how long. */
static egc_status await(sync_worker *w, size_t first, size_t n, const egc_timeline_event *event,
                        double *waited_s, egc_error *err)
{
    double start = egc_world_now(w->run->world);
    for (size_t b = first; b < first + n; b++)
        egc_gate_wait(w->progress[b].back);
    double end = egc_world_now(w->run->world);
    sync_spent(w, event->step)->exposed_comm_s +=
        fmax(0, end - start - busy_between(w, start, end));
    *waited_s += end - start;
    return end > start ? egc_stream_tell(&w->compute, start, event, err) : EGC_OK;
}

static egc_status await_all(sync_worker *w, uint64_t step, egc_error *err)
{
    double waited_s = 0;
    const egc_timeline_event event = {.name = "wait", .step = step};
    return await(w, 0, w->learning->plan.n_buckets, &event, &waited_s, err);
}

/* Of the step before `step`. */
static egc_status await_bucket(sync_worker *w, uint64_t step, size_t b, double *waited_s,
                               egc_error *err)
{
    const egc_timeline_event event = sync_event(w, "wait", step, b);
    return await(w, b, 1, &event, waited_s, err);
}

/* All buckets of a step have come back. */
static egc_status finish_step(sync_worker *w, uint64_t step, egc_error *err)
{
    egc_tally_add(egc_run_tally(w->run, step), sync_spent(w, step));
    return egc_run_finish_step(w->run, step, err);
}

/* Learning begins a step: the communication stream may know now whether it is repeated. */
static egc_status begin_step(sync_worker *w, uint64_t step, egc_error *err)
{
    egc_status status = egc_run_begin_step(w->run, step, err);
    if (status)
        return status;
    w->n_begun++;
    egc_gate_signal(w->begun);
    return EGC_OK;
}

/* ---- a step -------------------------------------------------------------------------------- */

static egc_status forward(sync_worker *w, uint64_t step, egc_error *err)
{
    egc_span when;
    const egc_timeline_event event = {.name = "forward", .step = step};
    return egc_stream_work(&w->compute, w->learning->plan.forward_s, &event, &when, err);
}

/* Bucket by bucket, as those of the step before come back. The last to be needed is the last back:
 * gradients, which begin a step of learning, depend on all of them. */
static egc_status forward_by_bucket(sync_worker *w, uint64_t step, double *waited_s, egc_error *err)
{
    const egc_plan *plan = &w->learning->plan;
    egc_status status = EGC_OK;
    egc_span when;
    for (size_t b = plan->n_buckets; b-- > 0 && !status;) {
        const egc_timeline_event event = sync_event(w, "forward", step, b);
        if (step > 0)
            status = await_bucket(w, step, b, waited_s, err);
        if (!status && step > 0 && b == 0)
            status = finish_step(w, step - 1, err);
        if (!status)
            status = egc_stream_work(&w->compute, plan->buckets[b].forward_s, &event, &when, err);
    }
    return status ? status : begin_step(w, step, err);
}

/* A bucket's gradients are there, and compressed where this stream does that. */
static void hand_over(sync_worker *w, uint64_t step, size_t b)
{
    if (sync_has_compression(w))
        egc_stream_give(&w->compression, (egc_task){.step = step, .bucket = b});
    else
        sync_offer(w, step, b);
}

/* Adds the time to *compressed_s that this stream compressed. */
static egc_status backward(sync_worker *w, uint64_t step, double *compressed_s, egc_error *err)
{
    const egc_plan *plan = &w->learning->plan;
    bool overlap = sync_options(w)->overlap;
    egc_status status = EGC_OK;
    egc_span when;
    w->backward_s = egc_world_now(w->run->world);
    for (size_t b = 0; b < plan->n_buckets && !status; b++) {
        const egc_timeline_event event = sync_event(w, "backward", step, b);
        status = egc_stream_work(&w->compute, plan->buckets[b].backward_s, &event, &when, err);
        if (!status && !sync_has_compression(w)) {
            status = sync_compress(w, &w->compute, step, b, err);
            *compressed_s +=
                sync_busy_slot(w, b, false)->end_s - sync_busy_slot(w, b, false)->start_s;
        }
        if (!status && overlap)
            hand_over(w, step, b);
    }
    for (size_t i = 0; i < plan->n_buckets && !status && !overlap; i++)
        hand_over(w, step, sync_by_priority(w) ? plan->n_buckets - 1 - i : i);
    return status;
}

/* Forward and backward pass, and the wait for all buckets unless the next step may begin. */
static egc_status simulate_step(sync_worker *w, uint64_t step, egc_error *err)
{
    bool waits = !sync_by_priority(w) || step + 1 == (uint64_t)sync_options(w)->steps;
    egc_tally *spent = sync_spent(w, step);
    double start = egc_world_now(w->run->world), waited_s = 0, compressed_s = 0;
    *spent = (egc_tally){0};
    egc_world_begin_step(w->run->world, (int)w->rank, step);
    egc_status status =
        sync_by_priority(w) ? forward_by_bucket(w, step, &waited_s, err) : forward(w, step, err);
    if (!status)
        status = backward(w, step, &compressed_s, err);
    spent->compute_s = egc_world_now(w->run->world) - start - compressed_s - waited_s;
    if (!status && waits)
        status = await_all(w, step, err);
    spent->step_s = egc_world_now(w->run->world) - start;
    return status;
}

/* Like a step that was simulated before: only what is learnt is new. */
static egc_status repeat_step(sync_worker *w, uint64_t step, const egc_worker_step *before,
                              egc_error *err)
{
    const egc_received received = {0}; /* hollow runs have what they sent */
    const egc_timeline_event event = {.name = "repeat", .step = step};
    double start = egc_world_now(w->run->world);
    *sync_spent(w, step) = before->tally;
    egc_world_sleep(w->run->world, before->end_s - before->start_s);
    egc_status status = egc_stream_tell(&w->compute, start, &event, err);
    for (size_t b = 0; b < w->learning->plan.n_buckets && !status; b++)
        status = egc_learning_take(w->learning, step, 0, b, &received, err);
    return status;
}

/* A step that ends when all buckets are back, and so may be repeated. */
static egc_status compute_step(sync_worker *w, uint64_t step, egc_error *err)
{
    egc_repeat *repeat = &w->run->repeat;
    egc_worker_step took = {.start_s = egc_world_now(w->run->world)};
    egc_status status = begin_step(w, step, err);
    if (status)
        return status;
    const egc_worker_step *before = egc_repeat_of(repeat, step, w->rank);
    egc_worker_step *note = before ? NULL : egc_repeat_note(repeat, step, w->rank);
    if (note)
        *note = took;
    status = before ? repeat_step(w, step, before, err) : simulate_step(w, step, err);
    took.end_s = egc_world_now(w->run->world);
    took.tally = *sync_spent(w, step);
    if (note)
        *note = took;
    return status ? status : finish_step(w, step, err);
}

egc_status sync_compute_stream(void *arg, egc_error *err)
{
    sync_worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)sync_options(w)->steps;
    for (uint64_t step = 0; step < steps && !status; step++)
        status = sync_by_priority(w) ? simulate_step(w, step, err) : compute_step(w, step, err);
    if (!status && sync_by_priority(w))
        status = finish_step(w, steps - 1, err);
    egc_stream_end(&w->compression);
    egc_stream_end(&w->cycle);
    return status;
}
