/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker: streams that compute, push and pull on its host. */
#include <math.h>

#include "train/ps/ps.h"

/* ---- the compute stream ---------------------------------------------------------------------- */

/* Computes the gradient at the worker's parameters, and the messages of all buckets. The learning
 * rate for the error feedback is that of the run's step, which in sync is the worker's own. */
static egc_status learn(egc_ps_worker *w, egc_error *err)
{
    egc_ps *all = w->ps;
    egc_trainer *trainer = &all->trainer;
    uint64_t at = all->params->mode == EGC_PS_SYNC ? w->step : trainer->step;
    double lr = egc_replica_lr(w->replica, at);
    egc_status status =
        egc_replica_gradient(w->replica, w->step, w->rank, all->gradient, &w->loss, err);
    if (!status && all->params->mode != EGC_PS_SYNC)
        status = egc_coders_compress(&w->coders, w->step, lr, all->gradient, err);
    else if (!status)
        status = egc_coders_begin(&w->coders, w->step, lr, all->gradient, err);
    for (size_t b = 0; all->params->mode == EGC_PS_SYNC && b < all->n_buckets && !status; b++)
        status = egc_ps_rounds_write(w, 0, b, err);
    return status ? egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)w->step,
                                     w->rank)
                  : EGC_OK;
}

static egc_status compress(egc_ps_worker *w, size_t b, egc_error *err)
{
    const egc_timeline_event event = egc_trainer_event(&w->ps->trainer, "compress", w->step, b);
    return egc_stream_work_for(&w->compute, w->coders.encode_s[b], &event, &w->compress_s, err);
}

static egc_status backward(egc_ps_worker *w, egc_error *err)
{
    const egc_trainer *trainer = &w->ps->trainer;
    const egc_partition *partition = &trainer->partition;
    const egc_train_options *options = &trainer->config->options;
    egc_status status = EGC_OK;
    egc_span when;
    for (size_t b = 0; b < partition->n_buckets && !status; b++) {
        const egc_timeline_event event = egc_trainer_event(trainer, "backward", w->step, b);
        status = egc_stream_work(&w->compute, partition->buckets[b].backward_s, &event, &when, err);
        if (!status && options->compress_on == EGC_COMPRESS_ON_COMPUTE)
            status = compress(w, b, err);
        if (!status && options->overlap)
            egc_semaphore_signal(w->ready);
    }
    for (size_t b = 0; b < partition->n_buckets && !options->overlap && !status; b++)
        egc_semaphore_signal(w->ready);
    return status;
}

static egc_status compute(egc_ps_worker *w, egc_error *err)
{
    egc_span when;
    const egc_timeline_event event = {.name = "forward", .step = w->step};
    egc_status status =
        egc_stream_work(&w->compute, w->ps->trainer.partition.forward_s, &event, &when, err);
    if (!status)
        status = backward(w, err);
    w->computed_s = egc_world_now(w->ps->trainer.world);
    return status;
}

static egc_status await_all(egc_ps_worker *w, egc_error *err)
{
    double start = egc_world_now(w->ps->trainer.world);
    for (size_t b = 0; b < w->ps->n_buckets; b++)
        egc_semaphore_wait(w->done);
    return egc_stream_log_wait(&w->compute, start, w->step, err);
}

/* Ends a worker's step. A step of the run is over after as many of them as there are workers, of
 * any workers. */
static egc_status finish_step(egc_ps_worker *w, double start, double on_compute, egc_error *err)
{
    egc_trainer *trainer = &w->ps->trainer;
    egc_step_times *times = &trainer->times;
    double end = egc_world_now(trainer->world);
    times->compute_s += w->computed_s - start - on_compute;
    times->compress_s += w->compress_s;
    times->decompress_s += w->decompress_s;
    times->comm_s += w->comm_s;
    times->exposed_comm_s += fmax(0, end - w->computed_s - w->busy_after);
    times->delay += w->delay;
    egc_coders_count_all(&w->coders, &trainer->stats);
    trainer->stats.totals.loss += w->loss;
    w->step++;
    if (++times->finished < w->ps->n_workers)
        return EGC_OK;
    return egc_trainer_end_step(trainer, &w->ps->replica, err);
}

static egc_status step(egc_ps_worker *w, egc_error *err)
{
    const egc_trainer *trainer = &w->ps->trainer;
    w->compress_s = w->decompress_s = w->comm_s = w->delay = w->busy_after = 0;
    w->computed_s = INFINITY;
    egc_actor_begin_step(trainer->world, (int)w->rank, w->step);
    egc_status status = learn(w, err);
    if (status)
        return status;
    double start = egc_world_now(trainer->world);
    egc_semaphore_signal(w->begun);
    status = compute(w, err);
    bool on_stream = trainer->config->options.compress_on == EGC_COMPRESS_ON_STREAM;
    double on_compute = on_stream ? 0 : w->compress_s;
    if (!status)
        status = await_all(w, err);
    return status ? status : finish_step(w, start, on_compute, err);
}

/* The next gradient is computed by the first worker that is ready: without waiting, fast workers
 * compute more. */
egc_status egc_ps_worker_compute_stream(void *arg, egc_error *err)
{
    egc_ps_worker *w = arg;
    egc_ps *all = w->ps;
    egc_status status = EGC_OK;
    while (all->tickets > 0 && !status) {
        all->tickets--;
        status = step(w, err);
    }
    w->ended = true;
    egc_semaphore_signal(w->begun);
    egc_semaphore_signal(w->ready);
    for (size_t s = 0; s < all->n_servers; s++) {
        egc_semaphore_signal(w->pushed[s]);
        egc_ps_server_notify(&all->servers[s], w->rank, NULL);
    }
    return status;
}

/* ---- the streams ----------------------------------------------------------------------------- */

/* Occupies the device for `seconds`, and adds the part after the backward pass to busy_after. */
static egc_status work_on_stream(egc_ps_worker *w, const egc_stream *stream, double seconds,
                                 const egc_timeline_event *event, double *total, egc_error *err)
{
    egc_span when;
    egc_status status = egc_stream_work(stream, seconds, event, &when, err);
    *total += when.end_s - when.start_s;
    w->busy_after += fmax(0, when.end_s - fmax(when.start_s, w->computed_s));
    return status;
}

static egc_status compress_on_stream(egc_ps_worker *w, const egc_stream *stream, size_t b,
                                     egc_error *err)
{
    const egc_timeline_event event = egc_trainer_event(&w->ps->trainer, "compress", w->step, b);
    return work_on_stream(w, stream, w->coders.encode_s[b], &event, &w->compress_s, err);
}

static egc_status push(egc_ps_worker *w, egc_ps_bucket *bucket, bool first, egc_error *err)
{
    const egc_trainer *trainer = &w->ps->trainer;
    const egc_buf *message = &w->coders.messages[bucket->number];
    egc_ps_server *server = &w->ps->servers[bucket->server];
    egc_status status = EGC_OK;
    if (first && trainer->config->options.compress_on == EGC_COMPRESS_ON_STREAM)
        status = compress_on_stream(w, &w->compression, bucket->number, err);
    if (status)
        return status;
    if (w->under_way++ == 0)
        w->under_way_since = egc_world_now(trainer->world);
    status = egc_transport_isend(w->transport, server->rank, message->data, message->len,
                                 &w->pushes[bucket->number], err);
    egc_semaphore_signal(w->pushed[bucket->server]);
    return status;
}

/* All buckets' messages for one push of a step, and the wait until they have left. Sets *ended when
 * the worker has ended instead. */
static egc_status push_all(egc_ps_worker *w, bool first, bool *ended, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t b = 0; b < w->ps->n_buckets && !status; b++) {
        egc_semaphore_wait(first ? w->ready : w->made);
        *ended = w->ended;
        if (*ended)
            return EGC_OK;
        status = push(w, &w->ps->buckets[b], first, err);
    }
    return status ? status : egc_transport_wait_all(w->transport, w->pushes, w->ps->n_buckets, err);
}

egc_status egc_ps_worker_push_stream(void *arg, egc_error *err)
{
    egc_ps_worker *w = arg;
    egc_status status = EGC_OK;
    bool ended = false;
    for (size_t i = 0; !status && !ended; i = (i + 1) % w->ps->n_pushes)
        status = push_all(w, i == 0, &ended, err);
    return status;
}

/* Waits for a bucket's answer. Logs it from when the server sent it, or when this wait began if
 * that is later. */
static egc_status await_answer(egc_ps_worker *w, const egc_ps_bucket *bucket, egc_error *err)
{
    const egc_trainer *trainer = &w->ps->trainer;
    size_t peer = (size_t)w->ps->servers[bucket->server].rank;
    egc_timeline_event event = egc_trainer_event(trainer, "pull", w->step, bucket->number);
    double start = egc_world_now(trainer->world);
    egc_status status = egc_transport_wait(w->transport, w->pulls[bucket->number], err);
    if (status)
        return status;
    if (--w->under_way == 0)
        w->comm_s += egc_world_now(trainer->world) - w->under_way_since;
    event.peers = &peer;
    event.n_peers = 1;
    event.bytes = (double)w->pulled[bucket->number].len;
    return egc_stream_log_event(&w->reception, fmax(start, bucket->answered_s[w->rank]), &event,
                                err);
}

/* The reply to push number i of a bucket: the next message, or after the last the parameters. */
static egc_status pull(egc_ps_worker *w, egc_ps_bucket *bucket, size_t i, egc_error *err)
{
    double decode_s = 0;
    bool last = i + 1 == w->ps->n_pushes;
    egc_buf *answer = &w->pulled[bucket->number];
    const egc_timeline_event event =
        egc_trainer_event(&w->ps->trainer, "decompress", w->step, bucket->number);
    egc_status status = await_answer(w, bucket, err);
    if (status)
        return status;
    status = last ? egc_ps_pull_decode_answer(w, bucket, answer, &decode_s, err)
                  : egc_ps_rounds_next(w, bucket, i, answer, &decode_s, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu: bucket %zu",
                                (unsigned long long)w->step, w->rank, bucket->number);
    egc_buf_fini(answer);
    status = work_on_stream(w, &w->reception, decode_s, &event, &w->decompress_s, err);
    if (!status && !last)
        status = compress_on_stream(w, &w->reception, bucket->number, err);
    egc_semaphore_signal(last ? w->done : w->made);
    return status;
}

static egc_status pull_all(egc_ps_worker *w, size_t i, egc_error *err)
{
    egc_ps *all = w->ps;
    egc_status status = EGC_OK;
    for (size_t b = 0; b < all->n_buckets && !status; b++)
        status = egc_transport_irecv(w->transport, all->servers[all->buckets[b].server].rank,
                                     &w->pulled[b], &w->pulls[b], err);
    for (size_t b = 0; b < all->n_buckets && !status; b++)
        status = pull(w, &all->buckets[b], i, err);
    return status;
}

egc_status egc_ps_worker_pull_stream(void *arg, egc_error *err)
{
    egc_ps_worker *w = arg;
    egc_status status = EGC_OK;
    while (!status) {
        egc_semaphore_wait(w->begun);
        if (w->ended)
            break;
        for (size_t i = 0; i < w->ps->n_pushes && !status; i++)
            status = pull_all(w, i, err);
    }
    return status;
}
