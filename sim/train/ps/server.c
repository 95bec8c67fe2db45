/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server: one receiver per worker takes its pushes, and one stream decodes, applies and answers
 * them in the order of arrival.
 *
 * sync: when all workers' pushes of a bucket have arrived, their mean is applied, and all are
 * answered. async: each push is applied and answered at once. ssp (Ho et al. 2013): each is applied
 * at once, and answered when its worker is no more than `bound` pushes of the bucket ahead of the
 * slowest worker that has not ended. With bound 0 no worker continues before all have pushed, and
 * all continue from parameters with the same updates in them. */
#include "train/ps/ps.h"

/* ---- arrivals -------------------------------------------------------------------------------- */

void egc_ps_server_notify(egc_ps_server *server, size_t worker, egc_ps_bucket *bucket)
{
    size_t at = (server->next + server->n_arrivals++) % server->room;
    server->arrivals[at] = (egc_ps_arrival){worker, bucket};
    egc_semaphore_signal(server->arrived);
}

static egc_ps_arrival next_arrival(egc_ps_server *server)
{
    egc_semaphore_wait(server->arrived);
    egc_ps_arrival arrival = server->arrivals[server->next];
    server->next = (server->next + 1) % server->room;
    server->n_arrivals--;
    return arrival;
}

static egc_status tell_push(const egc_ps_receiver *receiver, const egc_ps_bucket *bucket,
                            double start_s, egc_error *err)
{
    const egc_ps_worker *w = receiver->worker;
    size_t peer = (size_t)receiver->server->rank;
    egc_timeline_event event = egc_trainer_event(&w->ps->trainer, "push", w->step, bucket->number);
    event.peers = &peer;
    event.n_peers = 1;
    event.bytes = (double)bucket->pushes[w->rank].len;
    return egc_stream_log_event(&receiver->connection, start_s, &event, err);
}

static egc_status receive(const egc_ps_receiver *receiver, egc_ps_bucket *bucket, egc_error *err)
{
    egc_ps_server *server = receiver->server;
    const egc_ps_worker *worker = receiver->worker;
    const egc_world *world = server->ps->trainer.world;
    egc_request *request = NULL;
    double start = egc_world_now(world);
    egc_semaphore_wait(server->credits);
    egc_status status = egc_stream_log_wait(&receiver->connection, start, worker->step, err);
    start = egc_world_now(world);
    if (!status)
        status = egc_transport_irecv(server->transport, (int)worker->rank,
                                     &bucket->pushes[worker->rank], &request, err);
    if (!status)
        status = egc_transport_wait(server->transport, request, err);
    egc_semaphore_signal(server->credits);
    if (!status)
        status = tell_push(receiver, bucket, start, err);
    if (!status)
        egc_ps_server_notify(server, worker->rank, bucket);
    return status;
}

egc_status egc_ps_server_receive(void *arg, egc_error *err)
{
    const egc_ps_receiver *receiver = arg;
    egc_ps_server *server = receiver->server;
    egc_ps *all = server->ps;
    egc_status status = EGC_OK;
    while (!status)
        for (size_t i = 0; i < all->n_pushes * all->n_buckets && !status; i++) {
            size_t b = i % all->n_buckets;
            if (all->buckets[b].server != server->number)
                continue;
            egc_semaphore_wait(receiver->worker->pushed[server->number]);
            if (receiver->worker->ended)
                return EGC_OK;
            status = receive(receiver, &all->buckets[b], err);
        }
    return status;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Waits, the oldest first, until no more than `most` answers are under way. A worker that has
 * pushed again has received its answer, so that the answer's bytes may change. */
static egc_status make_way(egc_ps_server *server, size_t most, egc_error *err)
{
    egc_status status = EGC_OK;
    while (server->n_answers > most && !status) {
        status = egc_transport_wait(server->transport, server->answers[server->oldest], err);
        server->oldest = (server->oldest + 1) % (size_t)server->ps->params->window;
        server->n_answers--;
    }
    return status;
}

/* Makes an answer that is the worker's own. */
static egc_status compress_answer(egc_ps_server *server, egc_ps_bucket *bucket,
                                  const egc_ps_worker *worker, egc_error *err)
{
    egc_ps *all = server->ps;
    double encode_s;
    egc_span when;
    if (all->params->mode == EGC_PS_SYNC || all->params->pull != EGC_PS_PULL_RECOMPRESS)
        return EGC_OK;
    const egc_timeline_event event =
        egc_trainer_event(&all->trainer, "compress", worker->step, bucket->number);
    egc_status status = egc_ps_pull_compress_difference(all, bucket, worker, &encode_s, err);
    return status ? status : egc_stream_work(&server->compute, encode_s, &event, &when, err);
}

static egc_status await_way(egc_ps_server *server, uint64_t step, egc_error *err)
{
    double start = egc_world_now(server->ps->trainer.world);
    egc_status status = make_way(server, (size_t)server->ps->params->window - 1, err);
    return status ? status : egc_stream_log_wait(&server->compute, start, step, err);
}

static egc_status send_answer(egc_ps_server *server, egc_ps_bucket *bucket, size_t worker,
                              egc_error *err)
{
    egc_ps *all = server->ps;
    egc_reader answer;
    bucket->waits[worker] = false;
    bucket->seen[worker] = bucket->updates;
    egc_status status = compress_answer(server, bucket, &all->workers[worker], err);
    if (!status)
        status = await_way(server, all->workers[worker].step, err);
    if (!status)
        status = egc_ps_pull_answer(all, bucket, worker, &answer, err);
    if (status)
        return status;
    bucket->answered_s[worker] = egc_world_now(all->trainer.world);
    egc_request **slot =
        &server->answers[(server->oldest + server->n_answers++) % (size_t)all->params->window];
    return egc_transport_isend(server->transport, (int)worker, answer.next,
                               egc_reader_left(&answer), slot, err);
}

static uint64_t slowest(const egc_ps_server *server, const egc_ps_bucket *bucket)
{
    uint64_t least = UINT64_MAX;
    for (size_t w = 0; w < server->ps->n_workers; w++)
        if (!server->gone[w] && bucket->taken[w] < least)
            least = bucket->taken[w];
    return least;
}

/* True if the worker may continue from the bucket's present parameters. */
static bool may_answer(const egc_ps *all, const egc_ps_bucket *bucket, size_t worker,
                       uint64_t least)
{
    if (!bucket->waits[worker])
        return false;
    if (all->params->mode == EGC_PS_SYNC)
        return bucket->arrived == 0;
    return bucket->taken[worker] <= least ||
           bucket->taken[worker] - least <= (uint64_t)all->params->bound;
}

static egc_status answer_waiting(egc_ps_server *server, egc_ps_bucket *bucket, egc_error *err)
{
    egc_status status = EGC_OK;
    uint64_t least = slowest(server, bucket);
    for (size_t w = 0; w < server->ps->n_workers && !status; w++)
        if (may_answer(server->ps, bucket, w, least))
            status = send_answer(server, bucket, w, err);
    return status;
}

/* ---- updates --------------------------------------------------------------------------------- */

/* Spends the device time of decoding pushes and, in sync, of compressing their average. */
static egc_status spend(const egc_ps_server *server, const egc_ps_bucket *bucket, uint64_t step,
                        double decode_s, double encode_s, egc_error *err)
{
    const egc_trainer *trainer = &server->ps->trainer;
    egc_span when;
    const egc_timeline_event events[] = {
        egc_trainer_event(trainer, "decompress", step, bucket->number),
        egc_trainer_event(trainer, "compress", step, bucket->number)};
    return egc_stream_work_both(&server->compute, decode_s + encode_s, decode_s, events, &when,
                                err);
}

/* Updates the bucket's parameters. As many gradients as there are workers move the learning rate on
 * by one step. Takes no time. */
static egc_status apply(const egc_ps_server *server, egc_ps_bucket *bucket, uint64_t step,
                        egc_error *err)
{
    egc_ps *all = server->ps;
    const egc_bucket *range = egc_ps_range(all, bucket);
    uint64_t a_step = all->params->mode == EGC_PS_SYNC ? 1 : all->n_workers;
    double lr = all->weight * egc_replica_lr(&all->replica, bucket->updates / a_step);
    egc_replica_update(&all->replica, lr, all->average, range->first, range->count);
    bucket->updates++;
    const egc_timeline_event event =
        egc_trainer_event(&all->trainer, "update", step, bucket->number);
    return egc_stream_log_event(&server->compute, egc_world_now(all->trainer.world), &event, err);
}

/* Async and ssp: decodes one worker's push to the bucket's place in all->average. */
static egc_status decode_push(egc_ps *all, const egc_ps_bucket *bucket, size_t w, double *decode_s,
                              egc_error *err)
{
    const egc_ps_worker *worker = &all->workers[w];
    return egc_trainer_decode(&all->trainer, &worker->coders, worker->decoder, worker->step,
                              bucket->number, &bucket->pushes[w], all->average, decode_s, err);
}

/* Decodes the pushes [first, first + n) of a round and, when it was the last, updates the
 * parameters by their mean. */
static egc_status take_pushes(egc_ps_server *server, egc_ps_bucket *bucket, size_t first, size_t n,
                              egc_error *err)
{
    egc_ps *all = server->ps;
    const egc_ps_worker *worker = &all->workers[first];
    double decode_s = 0, encode_s = 0;
    bool sync = all->params->mode == EGC_PS_SYNC;
    egc_status status = sync ? egc_ps_rounds_decode(all, bucket, &decode_s, err)
                             : decode_push(all, bucket, first, &decode_s, err);
    bool last = bucket->push == 0;
    if (!status && last && sync && all->params->pull == EGC_PS_PULL_RECOMPRESS)
        status = egc_ps_pull_compress_average(all, bucket, &encode_s, err);
    if (status)
        return egc_error_prefix(err, "step %llu: server %zu: bucket %zu",
                                (unsigned long long)worker->step, server->number, bucket->number);
    status = spend(server, bucket, worker->step, decode_s, encode_s, err);
    if (status || !last)
        return status;
    for (size_t w = first; w < first + n; w++)
        all->workers[w].delay +=
            (double)(bucket->updates - bucket->seen[w]) / (double)all->n_buckets;
    return apply(server, bucket, worker->step, err);
}

static egc_status take(egc_ps_server *server, egc_ps_bucket *bucket, size_t worker, egc_error *err)
{
    const egc_ps *all = server->ps;
    egc_status status = EGC_OK;
    bucket->waits[worker] = true;
    bucket->taken[worker]++;
    if (all->params->mode != EGC_PS_SYNC)
        status = take_pushes(server, bucket, worker, 1, err);
    else if (++bucket->arrived < all->n_workers)
        return EGC_OK;
    else
        status = take_pushes(server, bucket, 0, all->n_workers, err);
    bucket->arrived = 0;
    if (status)
        return status;
    return all->params->mode == EGC_PS_ASYNC ? send_answer(server, bucket, worker, err)
                                             : answer_waiting(server, bucket, err);
}

/* The end of a worker, for which others no longer wait. */
static egc_status take_leave(egc_ps_server *server, size_t worker, egc_error *err)
{
    egc_ps *all = server->ps;
    egc_status status = EGC_OK;
    server->gone[worker] = true;
    server->n_gone++;
    for (size_t b = 0; b < all->n_buckets && !status; b++)
        if (all->params->mode == EGC_PS_SSP && all->buckets[b].server == server->number)
            status = answer_waiting(server, &all->buckets[b], err);
    return status;
}

static egc_status look_at_next(egc_ps_server *server, egc_error *err)
{
    double start = egc_world_now(server->ps->trainer.world);
    egc_ps_arrival arrival = next_arrival(server);
    uint64_t step = server->ps->workers[arrival.worker].step;
    if (!arrival.bucket)
        return take_leave(server, arrival.worker, err);
    egc_status status = egc_stream_log_wait(&server->compute, start, step, err);
    return status ? status : take(server, arrival.bucket, arrival.worker, err);
}

egc_status egc_ps_server_run(void *arg, egc_error *err)
{
    egc_ps_server *server = arg;
    egc_status status = EGC_OK;
    while (server->n_gone < server->ps->n_workers && !status)
        status = look_at_next(server, err);
    return status ? status : make_way(server, 0, err);
}
