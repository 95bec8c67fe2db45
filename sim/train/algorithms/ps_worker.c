/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a worker does: three streams on its host. */
#include <math.h>

#include "train/algorithms/ps.h"

/* ---- the compute stream ---------------------------------------------------------------------- */

/* The gradient at the worker's parameters, and the messages of all buckets. The learning rate that
 * a memory may want is that of the step the run is at, which in sync is the worker's own. */
static egc_status learn(ps_worker *w, egc_error *err)
{
    ps *all = w->ps;
    egc_trainer *trainer = &all->trainer;
    uint64_t at = all->params->mode == PS_SYNC ? w->step : trainer->step;
    egc_status status = egc_trainer_gradient(trainer, w->step, w->rank, w->parameters,
                                             all->gradient, &w->loss, err);
    if (!status)
        status =
            egc_sender_encode(&w->sender, w->step, egc_trainer_lr(trainer, at), all->gradient, err);
    return status ? egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)w->step,
                                     w->rank)
                  : EGC_OK;
}

static void backward(ps_worker *w)
{
    egc_world *world = w->ps->trainer.world;
    const egc_plan *plan = &w->ps->trainer.plan;
    const egc_training_options *options = &w->ps->trainer.config->options;
    for (size_t b = 0; b < plan->n_buckets; b++) {
        egc_world_compute(world, (int)w->rank, plan->buckets[b].backward_s);
        if (options->compress_on == EGC_COMPRESS_ON_COMPUTE) {
            double start = egc_world_now(world);
            egc_world_compute(world, (int)w->rank, w->sender.encode_s[b]);
            w->compress_s += egc_world_now(world) - start;
        }
        if (options->overlap)
            egc_gate_signal(w->ready);
    }
    for (size_t b = 0; b < plan->n_buckets && !options->overlap; b++)
        egc_gate_signal(w->ready);
}

/* A worker's step is over. Steps of the run have as many of these as there are workers, whoever's
 * they are. */
static egc_status finish_step(ps_worker *w, double start, double on_compute, egc_error *err)
{
    egc_trainer *trainer = &w->ps->trainer;
    egc_tally *tally = &trainer->tally;
    double end = egc_world_now(trainer->world);
    tally->compute_s += w->computed_s - start - on_compute;
    tally->compress_s += w->compress_s;
    tally->decompress_s += w->decompress_s;
    tally->comm_s += w->comm_s;
    tally->exposed_comm_s += fmax(0, end - w->computed_s - w->busy_after);
    tally->delay += w->delay;
    egc_sender_count(&w->sender);
    trainer->learnt.totals.loss += w->loss;
    w->step++;
    if (++tally->finished < w->ps->n_workers)
        return EGC_OK;
    const egc_decoder *decoder = w->ps->decoder ? w->ps->decoder : w->decoder;
    for (size_t u = 0; u < trainer->plan.n_units; u++)
        trainer->learnt.correction[u] = egc_decoder_correction(decoder, u);
    return egc_trainer_end_step(trainer, w->ps->parameters, err);
}

static egc_status step(ps_worker *w, egc_error *err)
{
    const egc_trainer *trainer = &w->ps->trainer;
    w->compress_s = w->decompress_s = w->comm_s = w->delay = w->busy_after = 0;
    w->computed_s = INFINITY;
    egc_status status = learn(w, err);
    if (status)
        return status;
    double start = egc_world_now(trainer->world);
    egc_gate_signal(w->begun);
    egc_world_compute(trainer->world, (int)w->rank, trainer->plan.forward_s);
    backward(w);
    w->computed_s = egc_world_now(trainer->world);
    bool on_stream = trainer->config->options.compress_on == EGC_COMPRESS_ON_STREAM;
    double on_compute = on_stream ? 0 : w->compress_s;
    for (size_t b = 0; b < w->ps->n_buckets; b++)
        egc_gate_wait(w->done);
    return finish_step(w, start, on_compute, err);
}

/* Whoever is ready takes the next gradient: without waiting, fast workers compute more of them. */
egc_status ps_compute_stream(void *arg, egc_error *err)
{
    ps_worker *w = arg;
    ps *all = w->ps;
    egc_status status = EGC_OK;
    while (all->tickets > 0 && !status) {
        all->tickets--;
        status = step(w, err);
    }
    w->ended = true;
    egc_gate_signal(w->begun);
    egc_gate_signal(w->ready);
    for (size_t s = 0; s < all->n_servers; s++) {
        egc_gate_signal(w->pushed[s]);
        ps_arrive(&all->servers[s], w->rank, NULL);
    }
    return status;
}

/* ---- the streams ----------------------------------------------------------------------------- */

/* Occupies the device for `seconds`, and notes what of that came after the backward pass. */
static void work_on_stream(ps_worker *w, double seconds, double *total)
{
    egc_world *world = w->ps->trainer.world;
    double start = egc_world_now(world);
    egc_world_compute(world, (int)w->rank, seconds);
    double end = egc_world_now(world);
    *total += end - start;
    w->busy_after += fmax(0, end - fmax(start, w->computed_s));
}

static egc_status push(ps_worker *w, ps_bucket *bucket, egc_error *err)
{
    const egc_trainer *trainer = &w->ps->trainer;
    const egc_buf *message = &w->sender.messages[bucket->number];
    ps_server *server = &w->ps->servers[bucket->server];
    if (trainer->config->options.compress_on == EGC_COMPRESS_ON_STREAM)
        work_on_stream(w, w->sender.encode_s[bucket->number], &w->compress_s);
    if (w->under_way++ == 0)
        w->under_way_since = egc_world_now(trainer->world);
    egc_status status = egc_isend(w->transport, server->rank, message->data, message->len,
                                  &w->pushes[bucket->number], err);
    egc_gate_signal(w->pushed[bucket->server]);
    return status;
}

egc_status ps_push_stream(void *arg, egc_error *err)
{
    ps_worker *w = arg;
    egc_status status = EGC_OK;
    while (!status) {
        for (size_t b = 0; b < w->ps->n_buckets && !status; b++) {
            egc_gate_wait(w->ready);
            if (w->ended)
                return EGC_OK;
            status = push(w, &w->ps->buckets[b], err);
        }
        for (size_t b = 0; b < w->ps->n_buckets && !status; b++)
            status = egc_wait(w->transport, w->pushes[b], err);
    }
    return status;
}

static egc_status pull(ps_worker *w, ps_bucket *bucket, egc_error *err)
{
    double decode_s = 0;
    const egc_world *world = w->ps->trainer.world;
    egc_buf *answer = &w->pulled[bucket->number];
    egc_status status = egc_wait(w->transport, w->pulls[bucket->number], err);
    if (status)
        return status;
    if (--w->under_way == 0)
        w->comm_s += egc_world_now(world) - w->under_way_since;
    status = ps_take_answer(w, bucket, answer, &decode_s, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu: bucket %zu",
                                (unsigned long long)w->step, w->rank, bucket->number);
    egc_buf_fini(answer);
    work_on_stream(w, decode_s, &w->decompress_s);
    egc_gate_signal(w->done);
    return EGC_OK;
}

egc_status ps_pull_stream(void *arg, egc_error *err)
{
    ps_worker *w = arg;
    egc_status status = EGC_OK;
    while (!status) {
        egc_gate_wait(w->begun);
        if (w->ended)
            break;
        for (size_t b = 0; b < w->ps->n_buckets && !status; b++)
            status = egc_irecv(w->transport, w->ps->servers[w->ps->buckets[b].server].rank,
                               &w->pulled[b], &w->pulls[b], err);
        for (size_t b = 0; b < w->ps->n_buckets && !status; b++)
            status = pull(w, &w->ps->buckets[b], err);
    }
    return status;
}
