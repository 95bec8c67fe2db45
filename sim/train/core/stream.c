/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/core/stream.h"

#include <assert.h>
#include <math.h>

#include "base/mem.h"

egc_status egc_stream_init(egc_stream *stream, egc_world *world, const egc_train_sink *sink,
                           int rank, egc_stream_kind kind, size_t room, egc_error *err)
{
    *stream = (egc_stream){.world = world, .sink = sink, .rank = rank, .kind = kind, .room = room};
    stream->tasks = egc_calloc(room, sizeof *stream->tasks);
    stream->given = egc_semaphore_new(0);
    return stream->tasks && stream->given ? EGC_OK
                                          : egc_fail_memory(err, room * sizeof *stream->tasks);
}

void egc_stream_fini(egc_stream *stream)
{
    egc_free(stream->tasks);
    egc_semaphore_free(stream->given);
}

egc_status egc_stream_work(const egc_stream *stream, double seconds,
                           const egc_timeline_event *event, egc_span *when, egc_error *err)
{
    when->start_s = egc_world_now(stream->world);
    when->end_s = INFINITY; /* for who looks meanwhile */
    if (seconds > 0)
        egc_actor_compute(stream->world, stream->rank, seconds);
    when->end_s = egc_world_now(stream->world);
    return seconds > 0 ? egc_stream_log_event(stream, when->start_s, event, err) : EGC_OK;
}

static egc_status tell(const egc_stream *stream, double start_s, double end_s,
                       const egc_timeline_event *event, egc_error *err)
{
    if (!stream->sink->event)
        return EGC_OK;
    egc_timeline_event told = *event;
    told.rank = stream->rank;
    told.stream = stream->kind;
    told.lane = stream->lane;
    told.start_s = start_s;
    told.end_s = end_s;
    return stream->sink->event(stream->sink->arg, &told, err);
}

egc_status egc_stream_log_event(const egc_stream *stream, double start_s,
                                const egc_timeline_event *event, egc_error *err)
{
    return tell(stream, start_s, egc_world_now(stream->world), event, err);
}

egc_status egc_stream_log_wait(const egc_stream *stream, double start_s, uint64_t step,
                               egc_error *err)
{
    const egc_timeline_event event = {.name = "wait", .step = step};
    return egc_world_now(stream->world) > start_s
               ? egc_stream_log_event(stream, start_s, &event, err)
               : EGC_OK;
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
    when->start_s = egc_world_now(stream->world);
    egc_actor_compute(stream->world, stream->rank, seconds);
    when->end_s = egc_world_now(stream->world);
    double between_s = when->start_s + first_s / seconds * (when->end_s - when->start_s);
    egc_status status = tell(stream, when->start_s, between_s, &events[0], err);
    return status ? status : tell(stream, between_s, when->end_s, &events[1], err);
}

void egc_stream_post(egc_stream *stream, egc_task task)
{
    assert(!stream->ends && stream->n_tasks < stream->room);
    stream->tasks[(stream->first + stream->n_tasks++) % stream->room] = task;
    egc_semaphore_signal(stream->given);
}

void egc_stream_end(egc_stream *stream)
{
    stream->ends = true;
    if (stream->given)
        egc_semaphore_signal(stream->given);
}

bool egc_stream_next(egc_stream *stream, egc_task *out)
{
    egc_semaphore_wait(stream->given);
    if (stream->n_tasks == 0)
        return false;
    *out = stream->tasks[stream->first];
    stream->first = (stream->first + 1) % stream->room;
    stream->n_tasks--;
    return true;
}
