/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compressing and decompressing on the streams of a worker: charges the device for messages that
 * the engine has made, and moves buckets on from round to round. */
#include <math.h>

#include "train/sync/sync.h"

egc_status egc_sync_coding_compress(egc_sync_worker *w, const egc_stream *stream, uint64_t step,
                                    size_t b, egc_error *err)
{
    double seconds = egc_engine_encode_time(w->engine, step, w->progress[b].round, w->rank, b);
    const egc_timeline_event event = egc_sync_event(w, "compress", step, b);
    egc_span *when = egc_sync_busy_slot(w, b, false);
    egc_status status = egc_stream_work(stream, seconds, &event, when, err);
    egc_sync_times(w, step)->compress_s += when->end_s - when->start_s;
    return status;
}

static egc_status decompress(egc_sync_worker *w, const egc_stream *stream, uint64_t step, size_t b,
                             double seconds, egc_error *err)
{
    const egc_timeline_event event = egc_sync_event(w, "decompress", step, b);
    egc_span *when = egc_sync_busy_slot(w, b, true);
    egc_status status = egc_stream_work(stream, seconds, &event, when, err);
    egc_sync_times(w, step)->decompress_s += when->end_s - when->start_s;
    return status;
}

void egc_sync_coding_set_ready(egc_sync_worker *w, size_t b)
{
    w->progress[b].stage = EGC_SYNC_READY;
    w->progress[b].ready_s = egc_world_now(w->run->world);
    egc_exchange_order_ready(w->order, b);
}

void egc_sync_coding_offer(egc_sync_worker *w, uint64_t step, size_t b)
{
    if (egc_sync_fuses(w))
        egc_stream_post(&w->cycle, (egc_task){.step = step, .bucket = b});
    else
        egc_sync_coding_set_ready(w, b);
}

/* Tensor fusion: at the end of a cycle, offers the messages that became ready in it. */
egc_status egc_sync_coding_fusion_cycle(void *arg, egc_error *err)
{
    (void)err;
    egc_sync_worker *w = arg;
    double cycle_s = egc_sync_options(w)->cycle_s;
    egc_task task;
    while (egc_stream_next(&w->cycle, &task)) {
        double since_s = egc_world_now(w->run->world) - w->backward_s;
        egc_actor_sleep(w->run->world,
                        fmax(0, egc_partition_cycle(since_s, cycle_s) * cycle_s - since_s));
        egc_sync_coding_set_ready(w, task.bucket);
    }
    return EGC_OK;
}

/* Decompresses the result of a bucket's round, and makes the next round's message; after the last
 * round the bucket is back. */
static egc_status take_in(egc_sync_worker *w, const egc_stream *stream, uint64_t step, size_t b,
                          egc_error *err)
{
    egc_sync_progress *bucket = &w->progress[b];
    egc_status status = decompress(w, stream, step, b, bucket->seconds, err);
    if (status)
        return status;
    if (++bucket->round == w->engine->choice.n_rounds) {
        bucket->round = 0;
        bucket->stage = EGC_SYNC_ABSENT;
        egc_semaphore_signal(bucket->back);
        return EGC_OK;
    }
    bucket->stage = EGC_SYNC_MADE;
    return egc_engine_encode(w->engine, step, bucket->round, w->rank, b, err);
}

egc_status egc_sync_coding_end_round(egc_sync_worker *w, const egc_stream *stream, uint64_t step,
                                     size_t b, egc_error *err)
{
    egc_sync_progress *bucket = &w->progress[b];
    egc_status status = EGC_OK;
    if (bucket->stage == EGC_SYNC_DELIVERED)
        status = take_in(w, stream, step, b, err);
    if (status || bucket->stage != EGC_SYNC_MADE)
        return status;
    status = egc_sync_coding_compress(w, stream, step, b, err);
    if (!status)
        egc_sync_coding_set_ready(w, b);
    return status;
}

static egc_status do_task(egc_sync_worker *w, const egc_task *task, egc_error *err)
{
    if (task->delivered)
        return egc_sync_coding_end_round(w, &w->compression, task->step, task->bucket, err);
    egc_status status = egc_sync_coding_compress(w, &w->compression, task->step, task->bucket, err);
    if (!status)
        egc_sync_coding_offer(w, task->step, task->bucket);
    return status;
}

/* Each bucket of a step is a task once for its first message, and once for each round that has
 * ended. */
egc_status egc_sync_coding_stream(void *arg, egc_error *err)
{
    egc_sync_worker *w = arg;
    egc_status status = EGC_OK;
    egc_task task;
    while (!status && egc_stream_next(&w->compression, &task))
        status = do_task(w, &task, err);
    return status;
}
