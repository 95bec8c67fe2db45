/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work on the simulated device with its event in the timeline, and the queue of tasks: a ring with
 * a semaphore, which needs no lock because actors run one at a time. */
#include "train/core/stream.h"

#include <assert.h>
#include <math.h>

#include "base/mem.h"

egc_status egc_stream_init(egc_stream *stream, egc_world *world, const egc_train_sink *sink,
                           int rank, egc_stream_kind kind, size_t room, egc_error *err)
{
    *stream = (egc_stream){.world = world, .sink = sink, .rank = rank, .kind = kind, .room = room};
    stream->tasks = egc_calloc(room, sizeof *stream->tasks);
    stream->posted = egc_semaphore_new(0);
    bool made = stream->tasks && stream->posted;
    return made ? EGC_OK : egc_fail_memory(err, room * sizeof *stream->tasks);
}

void egc_stream_fini(egc_stream *stream)
{
    egc_free(stream->tasks);
    egc_semaphore_free(stream->posted);
}

/* ---- the timeline ---------------------------------------------------------------------------- */

static egc_status log_event(const egc_stream *stream, double start_s, double end_s,
                            const egc_timeline_event *event, egc_error *err)
{
    if (!stream->sink->event)
        return EGC_OK;
    egc_timeline_event full = *event;
    full.rank = stream->rank;
    full.stream = stream->kind;
    full.lane = stream->lane;
    full.start_s = start_s;
    full.end_s = end_s;
    return stream->sink->event(stream->sink->arg, &full, err);
}

egc_status egc_stream_log_event(const egc_stream *stream, double start_s,
                                const egc_timeline_event *event, egc_error *err)
{
    return log_event(stream, start_s, egc_world_now(stream->world), event, err);
}

egc_status egc_stream_log_wait(const egc_stream *stream, double start_s, uint64_t step,
                               egc_error *err)
{
    const egc_timeline_event event = {.name = "wait", .step = step};
    bool waited = egc_world_now(stream->world) > start_s;
    return waited ? egc_stream_log_event(stream, start_s, &event, err) : EGC_OK;
}

/* ---- work ------------------------------------------------------------------------------------ */

static void occupy(const egc_stream *stream, double seconds, egc_span *when)
{
    when->start_s = egc_world_now(stream->world);
    when->end_s = INFINITY;
    if (seconds > 0)
        egc_actor_compute(stream->world, stream->rank, seconds);
    when->end_s = egc_world_now(stream->world);
}

egc_status egc_stream_work(const egc_stream *stream, double seconds,
                           const egc_timeline_event *event, egc_span *when, egc_error *err)
{
    occupy(stream, seconds, when);
    return seconds > 0 ? log_event(stream, when->start_s, when->end_s, event, err) : EGC_OK;
}

egc_status egc_stream_work_for(const egc_stream *stream, double seconds,
                               const egc_timeline_event *event, double *total, egc_error *err)
{
    egc_span when;
    egc_status status = egc_stream_work(stream, seconds, event, &when, err);
    *total += when.end_s - when.start_s;
    return status;
}

egc_status egc_stream_work_both(const egc_stream *stream, double seconds, double first_s,
                                const egc_timeline_event events[2], egc_span *when, egc_error *err)
{
    if (first_s == 0 || first_s == seconds)
        return egc_stream_work(stream, seconds, &events[first_s == 0], when, err);
    occupy(stream, seconds, when);
    double between_s = when->start_s + first_s / seconds * (when->end_s - when->start_s);
    egc_status status = log_event(stream, when->start_s, between_s, &events[0], err);
    return status ? status : log_event(stream, between_s, when->end_s, &events[1], err);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

void egc_stream_post(egc_stream *stream, egc_task task)
{
    assert(!stream->ends && stream->n_tasks < stream->room);
    stream->tasks[(stream->first + stream->n_tasks++) % stream->room] = task;
    egc_semaphore_signal(stream->posted);
}

void egc_stream_end(egc_stream *stream)
{
    stream->ends = true;
    if (stream->posted)
        egc_semaphore_signal(stream->posted);
}

bool egc_stream_next(egc_stream *stream, egc_task *out)
{
    egc_semaphore_wait(stream->posted);
    if (stream->n_tasks == 0)
        return false;
    *out = stream->tasks[stream->first];
    stream->first = (stream->first + 1) % stream->room;
    stream->n_tasks--;
    return true;
}
