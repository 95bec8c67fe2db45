/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compute stream of a worker: forward and backward passes layer by layer, which make buckets
 * ready, and the wait for the updates that a pass needs (wait-free backpropagation; with
 * exchange_order = "priority" as in P3, Jayarajan et al. 2019). */
#include <math.h>

#include "train/sync/sync.h"

/* ---- waiting ------------------------------------------------------------------------------- */

/* The time spent compressing and decompressing between two times. */
static double busy_between(const egc_sync_worker *w, double from_s, double to_s)
{
    double total = 0;
    for (size_t i = 0; i < egc_sync_busy_slots(w->engine); i++)
        total += fmax(0, fmin(w->busy[i].end_s, to_s) - fmax(w->busy[i].start_s, from_s));
    return total;
}

/* Waits, during a step, for n buckets from `first` on. Adds the wait to *waited_s. */
static egc_status await(egc_sync_worker *w, size_t first, size_t n, const egc_timeline_event *event,
                        double *waited_s, egc_error *err)
{
    double start = egc_world_now(w->run->world);
    for (size_t b = first; b < first + n; b++)
        egc_semaphore_wait(w->progress[b].back);
    double end = egc_world_now(w->run->world);
    egc_sync_times(w, event->step)->exposed_comm_s +=
        fmax(0, end - start - busy_between(w, start, end));
    *waited_s += end - start;
    return end > start ? egc_stream_log_event(&w->compute, start, event, err) : EGC_OK;
}

static egc_status await_all(egc_sync_worker *w, uint64_t step, egc_error *err)
{
    double waited_s = 0;
    const egc_timeline_event event = {.name = "wait", .step = step};
    return await(w, 0, w->engine->partition.n_buckets, &event, &waited_s, err);
}

/* Waits for a bucket of the step before `step`. */
static egc_status await_bucket(egc_sync_worker *w, uint64_t step, size_t b, double *waited_s,
                               egc_error *err)
{
    const egc_timeline_event event = egc_sync_event(w, "wait", step, b);
    return await(w, b, 1, &event, waited_s, err);
}

/* All buckets of a step have come back. */
static egc_status finish_step(egc_sync_worker *w, uint64_t step, egc_error *err)
{
    egc_step_stats_add_times(egc_sync_run_times(w->run, step), egc_sync_times(w, step));
    return egc_sync_run_finish_step(w->run, step, err);
}

/* Begins the training of a step: then the communication stream can tell if the step is repeated. */
static egc_status begin_step(egc_sync_worker *w, uint64_t step, egc_error *err)
{
    egc_status status = egc_sync_run_begin_step(w->run, step, err);
    if (status)
        return status;
    w->n_begun++;
    egc_semaphore_signal(w->begun);
    return EGC_OK;
}

/* ---- a step -------------------------------------------------------------------------------- */

static egc_status forward(egc_sync_worker *w, uint64_t step, egc_error *err)
{
    egc_span when;
    const egc_timeline_event event = {.name = "forward", .step = step};
    return egc_stream_work(&w->compute, w->engine->partition.forward_s, &event, &when, err);
}

/* The forward pass bucket by bucket, as buckets of the step before come back. Gradients depend on
 * all of them, so that training begins the step when the last one, needed last, is back. */
static egc_status forward_by_bucket(egc_sync_worker *w, uint64_t step, double *waited_s,
                                    egc_error *err)
{
    const egc_partition *partition = &w->engine->partition;
    egc_status status = EGC_OK;
    egc_span when;
    for (size_t b = partition->n_buckets; b-- > 0 && !status;) {
        const egc_timeline_event event = egc_sync_event(w, "forward", step, b);
        if (step > 0)
            status = await_bucket(w, step, b, waited_s, err);
        if (!status && step > 0 && b == 0)
            status = finish_step(w, step - 1, err);
        if (!status)
            status =
                egc_stream_work(&w->compute, partition->buckets[b].forward_s, &event, &when, err);
    }
    return status ? status : begin_step(w, step, err);
}

/* The local steps between the first forward pass of a step and its last backward pass. */
static egc_status local_steps(egc_sync_worker *w, uint64_t step, egc_error *err)
{
    const egc_partition *partition = &w->engine->partition;
    uint64_t steps = w->engine->local.steps;
    double seconds =
        steps ? (double)(steps - 1) * (partition->forward_s + partition->backward_s) : 0;
    egc_span when;
    const egc_timeline_event event = {.name = "local steps", .step = step};
    return egc_stream_work(&w->compute, seconds, &event, &when, err);
}

/* A bucket's gradients are there, and compressed where this stream does that. */
static void hand_over(egc_sync_worker *w, uint64_t step, size_t b)
{
    if (egc_sync_has_compression(w))
        egc_stream_post(&w->compression, (egc_task){.step = step, .bucket = b});
    else
        egc_sync_coding_offer(w, step, b);
}

/* Adds the time to *compressed_s that this stream compressed. */
static egc_status backward(egc_sync_worker *w, uint64_t step, double *compressed_s, egc_error *err)
{
    const egc_partition *partition = &w->engine->partition;
    bool overlap = egc_sync_options(w)->overlap;
    egc_status status = EGC_OK;
    egc_span when;
    w->backward_s = egc_world_now(w->run->world);
    for (size_t b = 0; b < partition->n_buckets && !status; b++) {
        const egc_timeline_event event = egc_sync_event(w, "backward", step, b);
        status = egc_stream_work(&w->compute, partition->buckets[b].backward_s, &event, &when, err);
        if (!status && !egc_sync_has_compression(w)) {
            status = egc_sync_coding_compress(w, &w->compute, step, b, err);
            *compressed_s +=
                egc_sync_busy_slot(w, b, false)->end_s - egc_sync_busy_slot(w, b, false)->start_s;
        }
        if (!status && overlap)
            hand_over(w, step, b);
    }
    for (size_t i = 0; i < partition->n_buckets && !status && !overlap; i++)
        hand_over(w, step, egc_sync_by_priority(w) ? partition->n_buckets - 1 - i : i);
    return status;
}

/* Forward and backward pass, and the wait for all buckets unless the next step may begin. */
static egc_status simulate_step(egc_sync_worker *w, uint64_t step, egc_error *err)
{
    bool waits = !egc_sync_by_priority(w) || step + 1 == (uint64_t)egc_sync_options(w)->steps;
    egc_step_times *spent = egc_sync_times(w, step);
    double start = egc_world_now(w->run->world), waited_s = 0, compressed_s = 0;
    *spent = (egc_step_times){0};
    egc_actor_begin_step(w->run->world, (int)w->rank, step);
    egc_status status = egc_sync_by_priority(w) ? forward_by_bucket(w, step, &waited_s, err)
                                                : forward(w, step, err);
    if (!status)
        status = local_steps(w, step, err);
    if (!status)
        status = backward(w, step, &compressed_s, err);
    spent->compute_s = egc_world_now(w->run->world) - start - compressed_s - waited_s;
    if (!status && waits)
        status = await_all(w, step, err);
    spent->step_s = egc_world_now(w->run->world) - start;
    return status;
}

/* Repeats the times of an earlier step; only the training is new. */
static egc_status repeat_step(egc_sync_worker *w, uint64_t step, const egc_worker_step *before,
                              egc_error *err)
{
    const egc_round_result received = {0}; /* size_only runs use the messages that were made */
    const egc_timeline_event event = {.name = "repeat", .step = step};
    double start = egc_world_now(w->run->world);
    *egc_sync_times(w, step) = before->times;
    egc_actor_sleep(w->run->world, before->end_s - before->start_s);
    egc_status status = egc_stream_log_event(&w->compute, start, &event, err);
    for (size_t b = 0; b < w->engine->partition.n_buckets && !status; b++)
        status = egc_engine_decode(w->engine, step, 0, b, &received, err);
    return status;
}

/* A step that ends when all buckets are back, and so may be repeated. */
static egc_status compute_step(egc_sync_worker *w, uint64_t step, egc_error *err)
{
    egc_steady_state *steady = &w->run->steady;
    egc_worker_step took = {.start_s = egc_world_now(w->run->world)};
    egc_status status = begin_step(w, step, err);
    if (status)
        return status;
    const egc_worker_step *before = egc_steady_state_times(steady, step, w->rank);
    egc_worker_step *note = before ? NULL : egc_steady_state_slot(steady, step, w->rank);
    if (note)
        *note = took;
    status = before ? repeat_step(w, step, before, err) : simulate_step(w, step, err);
    took.end_s = egc_world_now(w->run->world);
    took.times = *egc_sync_times(w, step);
    if (note)
        *note = took;
    return status ? status : finish_step(w, step, err);
}

egc_status egc_sync_compute_stream(void *arg, egc_error *err)
{
    egc_sync_worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)egc_sync_options(w)->steps;
    for (uint64_t step = 0; step < steps && !status; step++)
        status = egc_sync_by_priority(w) ? simulate_step(w, step, err) : compute_step(w, step, err);
    if (!status && egc_sync_by_priority(w))
        status = finish_step(w, steps - 1, err);
    egc_stream_end(&w->compression);
    egc_stream_end(&w->cycle);
    return status;
}
