/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The synchronous training algorithm (EGC-DSGD): every worker, every step.
 *
 * Each worker is two or three actors on one host, its streams (stream.h). The compute stream runs
 * the forward pass, then the backward pass bucket by bucket. The communication stream exchanges
 * buckets whose gradients are there, round after round of each, in an order that all workers have
 * in common (turns.h). Who compresses and decompresses is compress_on's to say:
 *
 *   compute  The compute stream compresses each bucket before it goes on with the backward pass.
 *            The communication stream decompresses, and compresses for later rounds, before it
 *            exchanges anything else.
 *   stream   A compression stream does all that, in the order in which it comes up, while the
 *            others go on: one bucket is compressed while another is exchanged.
 *
 * With schedule = fifo the next step begins when all buckets have come back. With priority it
 * begins at once, and the forward pass of a bucket's layers waits for that bucket only (P3:
 * Jayarajan et al., MLSys 2019; ByteScheduler: Peng et al., SOSP 2019). What is learnt is the same:
 * a layer computes with parameters to which the step before has been applied. A step's time is
 * then from the end of one backward pass to that of the next, the last one's to its last bucket.
 *
 * With on_failure = drop communication streams are ended when a worker is lost, and begun anew
 * without it (survivors.h). All that such a stream needs to go on is in its worker: `step`, `left`,
 * and the progress of each bucket. */
#include "train/sync/sync.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* ---- going on without the lost -------------------------------------------------------------- */

/* The semaphore may have released the stream before it noticed: the new one has the count of steps
 * that the stream has yet to begin. */
static egc_status stream_ended(void *arg, size_t rank, egc_error *err)
{
    egc_sync_worker *w = &((egc_sync_worker *)arg)[rank];
    egc_exchange_order_halt(w->order);
    if (w->stale) /* another recovery was broken off */
        return EGC_OK;
    w->stale = w->begun;
    w->begun = egc_semaphore_new((int)(w->n_begun - w->step - (w->left > 0)));
    return w->begun ? EGC_OK : egc_fail_memory(err, 1);
}

static egc_status spawn_stream(egc_sync_worker *w, const char *what, egc_actor_main main,
                               egc_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%sworker %zu", what, w->rank);
    return egc_actor_spawn(w->run->world, (int)w->rank, name, main, w, err);
}

/* Makes the worker member number i. A committed exchange counts even if this worker had not been
 * notified. */
static egc_status rejoin(egc_sync_worker *w, size_t i, egc_error *err)
{
    const egc_engine *engine = w->engine;
    egc_semaphore_free(w->stale);
    w->stale = NULL;
    w->group = egc_subgroup_of(egc_world_transport(w->run->world, (int)w->rank, 0), engine->members,
                               (int)engine->n_members, (int)i);
    w->transfer.transport = &w->group.common;
    if (w->n_through == w->failover->n_committed)
        return EGC_OK;
    w->n_through = w->failover->n_committed;
    return egc_sync_communicate_accept_round(w, w->bucket, err);
}

/* Counts the ready buckets of a worker. Nothing here waits, so that no compute stream runs in
 * between. */
static void count_ready(const egc_sync_worker *w)
{
    for (size_t b = 0; b < w->engine->partition.n_buckets; b++)
        if (w->progress[b].stage == EGC_SYNC_READY)
            egc_exchange_order_ready(w->order, b);
}

static egc_status members_begin(void *arg, egc_error *err)
{
    egc_sync_worker *workers = arg;
    const int *members = workers->engine->members;
    size_t n = workers->engine->n_members;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = rejoin(&workers[members[i]], i, err);
    if (!status)
        status = egc_exchange_order_regroup(workers->order, members, n, err);
    for (size_t i = 0; i < n && !status; i++)
        count_ready(&workers[members[i]]);
    for (size_t i = 0; i < n && !status; i++)
        status = spawn_stream(&workers[members[i]], "communication of ",
                              egc_sync_communicate_stream, err);
    return status;
}

static const egc_failover_ops survivors_ops = {
    .stream = egc_sync_communicate_stream,
    .ended = stream_ended,
    .begin = members_begin,
};

/* ---- life ----------------------------------------------------------------------------------- */

static void worker_fini(egc_sync_worker *w)
{
    for (size_t b = 0; w->progress && b < w->engine->partition.n_buckets; b++)
        egc_semaphore_free(w->progress[b].back);
    egc_round_transfer_fini(&w->transfer);
    egc_stream_fini(&w->compute);
    egc_stream_fini(&w->compression);
    egc_stream_fini(&w->communication);
    egc_stream_fini(&w->cycle);
    egc_semaphore_free(w->begun);
    egc_semaphore_free(w->stale);
    egc_free(w->progress);
    egc_free(w->busy);
}

static egc_status make_progress(egc_sync_worker *w, egc_error *err)
{
    size_t n = w->engine->partition.n_buckets, slots = egc_sync_busy_slots(w->engine);
    w->progress = egc_calloc(n, sizeof *w->progress);
    w->busy = egc_calloc(slots, sizeof *w->busy);
    w->begun = egc_semaphore_new(0);
    bool made = w->progress && w->busy && w->begun;
    for (size_t b = 0; b < n && made; b++)
        made = (w->progress[b].back = egc_semaphore_new(0)) != NULL;
    return made ? EGC_OK : egc_fail_memory(err, slots * sizeof *w->busy);
}

/* Makes one of a worker's streams, and its actor: "compression of worker 3". */
static egc_status start_stream(egc_sync_worker *w, egc_stream *stream, egc_stream_kind kind,
                               const char *what, egc_actor_main main, egc_error *err)
{
    egc_status status = egc_stream_init(stream, w->run->world, w->run->reporter.sink, (int)w->rank,
                                        kind, w->engine->partition.n_buckets, err);
    return status ? status : spawn_stream(w, what, main, err);
}

static egc_status worker_init(egc_sync_worker *w, egc_sync_run *run, size_t rank,
                              egc_exchange_order *order, egc_failover *failover, egc_error *err)
{
    *w = (egc_sync_worker){
        .run = run,
        .engine = run->engine,
        .rank = rank,
        .order = order,
        .failover = failover,
    };
    egc_status status = make_progress(w, err);
    if (!status)
        status = egc_round_transfer_init(&w->transfer, run->engine, rank, run->world,
                                         egc_world_transport(run->world, (int)rank, 0), err);
    if (!status)
        status = start_stream(w, &w->compute, EGC_STREAM_COMPUTE, "", egc_sync_compute_stream, err);
    if (!status && egc_sync_has_compression(w))
        status = start_stream(w, &w->compression, EGC_STREAM_COMPRESSION, "compression of ",
                              egc_sync_coding_stream, err);
    if (!status)
        status = start_stream(w, &w->communication, EGC_STREAM_COMMUNICATION, "communication of ",
                              egc_sync_communicate_stream, err);
    if (!status && egc_sync_fuses(w))
        status = start_stream(w, &w->cycle, EGC_STREAM_COMMUNICATION, "fusion cycle of ",
                              egc_sync_coding_fusion_cycle, err);
    return status;
}

/* Adds the step to failures detected outside an exchange. */
static egc_status name_step(const egc_sync_run *run, egc_status status, egc_error *err)
{
    bool named = strncmp(err ? err->message : "", "step ", 5) == 0;
    if (status != EGC_ERROR_SIMULATION || named || run->steps_begun == 0)
        return status;
    return egc_error_prefix(err, "step %llu", (unsigned long long)run->steps_begun - 1);
}

/* Makes the workers, and counts in *made the ones that worker_fini must free. */
static egc_status make_workers(egc_sync_run *run, egc_sync_worker *workers,
                               egc_exchange_order *order, egc_failover *failover, size_t *made,
                               egc_error *err)
{
    const egc_engine *engine = run->engine;
    const egc_train_options *options = &engine->config->options;
    bool by_priority = options->exchange_order == EGC_EXCHANGE_ORDER_PRIORITY;
    bool drops = options->on_failure == EGC_ON_FAILURE_DROP;
    egc_status status = egc_exchange_order_init(order, engine->members, engine->n_workers,
                                                engine->partition.n_buckets, by_priority, err);
    if (!status && drops)
        status = egc_failover_init(failover, run, &survivors_ops, workers, err);
    for (; *made < engine->n_workers && !status; ++*made)
        status = worker_init(&workers[*made], run, *made, order, drops ? failover : NULL, err);
    return !status && drops ? egc_failover_watch(failover, err) : status;
}

static egc_status simulate(egc_sync_run *run, egc_error *err)
{
    size_t n_workers = run->engine->n_workers, made = 0;
    egc_exchange_order order = {0};
    egc_failover failover = {0};
    egc_sync_worker *workers = egc_calloc(n_workers, sizeof *workers);
    if (!workers)
        return egc_fail_memory(err, n_workers * sizeof *workers);
    egc_status status = make_workers(run, workers, &order, &failover, &made, err);
    if (!status)
        status = name_step(run, egc_world_run(run->world, err), err);
    for (size_t rank = 0; rank < made; rank++)
        worker_fini(&workers[rank]);
    egc_failover_fini(&failover);
    egc_exchange_order_fini(&order);
    egc_free(workers);
    return status;
}

egc_status egc_sync_check(const egc_train_config *config, egc_error *err)
{
    egc_exchange_choice choice;
    return egc_exchange_choice_init(&choice, config, err);
}

egc_status egc_sync_train(const egc_train_config *config, const egc_engine_local *local,
                          const egc_train_sink *sink, egc_train_summary *out, egc_error *err)
{
    egc_sync_run run;
    egc_status status = egc_sync_run_init(&run, config, local, sink, out, err);
    if (status)
        return status;
    const egc_engine *engine = run.engine;
    egc_exchange_choice_name(&engine->choice, out->exchange);
    status = egc_algorithm_world(config, engine->size_only, &run.world, err);
    if (!status) {
        run.reporter.world = run.world;
        status = simulate(&run, err);
        egc_reporter_end(&run.reporter);
    }
    egc_world_free(run.world);
    egc_sync_run_fini(&run);
    return status;
}

static egc_status run_sync(const egc_train_config *config, const egc_train_sink *sink,
                           egc_train_summary *out, egc_error *err)
{
    return egc_sync_train(config, &(egc_engine_local){0}, sink, out, err);
}

static const egc_param params[] = {EGC_PARAM_END};

const egc_algorithm_type egc_algorithm_sync = {
    .name = "sync",
    .summary = "every worker at every step: EGC-DSGD",
    .reference = "Kuang et al., Entropy-based gradient compression for distributed deep learning, "
                 "2019, with our reading of it",
    .params = params,
    .timeless = true,
    .one_message_each = true,
    .merges = true,
    .drops = true,
    .check = egc_sync_check,
    .run = run_sync,
};
