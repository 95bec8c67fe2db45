/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The synchronous training algorithm (EGC-DSGD): every worker, every step.
 *
 * Each worker is two actors on one host. The compute stream runs the forward pass, then the
 * backward pass bucket by bucket, and compresses each bucket when its gradients are there. The
 * communication stream exchanges buckets in that order, round after round of each, and decodes
 * them. The next step begins when all buckets have come back. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "train/algorithm.h"
#include "train/carrier.h"
#include "train/charge.h"
#include "train/run.h"

/* Device time that the communication stream took, to tell it from waiting for the network. */
typedef struct interval {
    double start_s, end_s;
} interval;

typedef struct worker {
    egc_run *run;
    egc_learning *learning; /* the run's */
    size_t rank;
    egc_carrier carrier;
    egc_gate *begun;       /* one signal for each step */
    egc_gate *ready;       /* one signal for each encoded bucket */
    egc_gate *done;        /* one for each bucket that came back */
    egc_barrier *together; /* shared: no exchange begins before its last rank is ready */
    interval *busy;        /* the stream's own work in the step under way: see busy_slots */
    double comm_s, compress_s, decompress_s; /* of the step under way */
} worker;

/* Two for each round of each bucket: compressing and decoding. */
static size_t busy_slots(const egc_learning *learning)
{
    return 2 * learning->plan.n_buckets * learning->route.n_rounds;
}

/* ---- the compute stream --------------------------------------------------------------------- */

static void backward(worker *w, uint64_t step)
{
    egc_run *run = w->run;
    const egc_plan *plan = &w->learning->plan;
    const egc_training_options *options = &run->learning->config->options;
    int rank = (int)w->rank;
    for (size_t b = 0; b < plan->n_buckets; b++) {
        egc_world_compute(run->world, rank, plan->buckets[b].backward_s);
        if (options->compress_on == EGC_COMPRESS_ON_COMPUTE) {
            double start = egc_world_now(run->world);
            egc_world_compute(run->world, rank,
                              egc_charge_message(w->learning, step, 0, w->rank, b));
            w->compress_s += egc_world_now(run->world) - start;
        }
        if (options->overlap)
            egc_gate_signal(w->ready);
    }
    for (size_t b = 0; b < plan->n_buckets && !options->overlap; b++)
        egc_gate_signal(w->ready);
}

/* How much of the stream's device work fell after `since`. */
static double busy_after(const worker *w, double since)
{
    double total = 0;
    for (size_t i = 0; i < busy_slots(w->learning); i++)
        total += fmax(0, w->busy[i].end_s - fmax(w->busy[i].start_s, since));
    return total;
}

/* Forward and backward pass, and the wait for all buckets. */
static void simulate_step(worker *w, uint64_t step, egc_worker_step *took)
{
    egc_run *run = w->run;
    double recv_bytes = w->carrier.transport->recv_bytes;
    bool on_stream = run->learning->config->options.compress_on == EGC_COMPRESS_ON_STREAM;
    w->comm_s = w->compress_s = w->decompress_s = 0;
    egc_world_compute(run->world, (int)w->rank, w->learning->plan.forward_s);
    backward(w, step);
    double computed = egc_world_now(run->world);
    double on_compute = w->compress_s; /* later additions are the stream's */
    for (size_t b = 0; b < w->learning->plan.n_buckets; b++)
        egc_gate_wait(w->done);
    took->end_s = egc_world_now(run->world);
    took->tally = (egc_tally){
        .step_s = took->end_s - took->start_s,
        .compute_s = computed - took->start_s - (on_stream ? 0 : on_compute),
        .compress_s = w->compress_s,
        .decompress_s = w->decompress_s,
        .comm_s = w->comm_s,
        .exposed_comm_s = fmax(0, took->end_s - computed - busy_after(w, computed)),
        .recv_bytes = w->carrier.transport->recv_bytes - recv_bytes,
    };
}

/* Like a step that was simulated before: only what is learnt is new. */
static egc_status repeat_step(worker *w, uint64_t step, const egc_worker_step *before,
                              egc_error *err)
{
    const egc_received received = {0}; /* hollow runs have what they sent */
    egc_status status = EGC_OK;
    egc_world_sleep(w->run->world, before->end_s - before->start_s);
    for (size_t b = 0; b < w->learning->plan.n_buckets && !status; b++)
        status = egc_learning_take(w->learning, step, 0, b, &received, err);
    return status;
}

static egc_status compute_step(worker *w, uint64_t step, egc_error *err)
{
    egc_run *run = w->run;
    egc_worker_step took = {.start_s = egc_world_now(run->world)};
    egc_status status = egc_run_begin_step(run, step, err);
    if (status)
        return status;
    egc_gate_signal(w->begun);
    const egc_worker_step *before = egc_repeat_of(&run->repeat, step, w->rank);
    egc_worker_step *note = before ? NULL : egc_repeat_note(&run->repeat, step, w->rank);
    if (note)
        *note = took;
    if (before)
        status = repeat_step(w, step, before, err);
    else
        simulate_step(w, step, &took);
    if (note)
        *note = took;
    egc_tally_add(egc_run_tally(run, step), before ? &before->tally : &took.tally);
    return status ? status : egc_run_finish_step(run, step, err);
}

static egc_status compute_stream(void *arg, egc_error *err)
{
    worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)w->run->learning->config->options.steps;
    for (uint64_t step = 0; step < steps && !status; step++)
        status = compute_step(w, step, err);
    return status;
}

/* ---- the communication stream --------------------------------------------------------------- */

/* Occupies the device for `seconds` and remembers when. */
static void work_on_stream(worker *w, double seconds, interval *when, double *total)
{
    when->start_s = egc_world_now(w->run->world);
    if (seconds > 0)
        egc_world_compute(w->run->world, (int)w->rank, seconds);
    when->end_s = egc_world_now(w->run->world);
    *total += when->end_s - when->start_s;
}

/* What the stream does before a round: compress, where the compute stream has not. */
static egc_status prepare_round(worker *w, uint64_t step, size_t round, size_t b, interval *when,
                                egc_error *err)
{
    egc_status status = EGC_OK;
    if (round > 0)
        status = egc_learning_make_message(w->learning, step, round, w->rank, b, err);
    if (status)
        return status;
    bool compresses =
        round > 0 || w->run->learning->config->options.compress_on == EGC_COMPRESS_ON_STREAM;
    double seconds = compresses ? egc_charge_message(w->learning, step, round, w->rank, b) : 0;
    work_on_stream(w, seconds, when, &w->compress_s);
    return EGC_OK;
}

static egc_status run_round(worker *w, uint64_t step, size_t round, size_t b, egc_error *err)
{
    egc_world *world = w->run->world;
    egc_received received;
    interval *when = &w->busy[2 * (b * w->learning->route.n_rounds + round)];
    egc_status status = prepare_round(w, step, round, b, &when[0], err);
    if (status)
        return status;
    egc_barrier_wait(w->together);
    double start = egc_world_now(world);
    status = egc_carrier_run(&w->carrier, step, round, b, &received, err);
    if (status)
        return egc_error_prefix(err, "step %llu: bucket %zu", (unsigned long long)step, b);
    w->comm_s += egc_world_now(world) - start;
    double seconds = egc_charge_delivery(w->learning, round, b, &received);
    status = egc_learning_take(w->learning, step, round, b, &received, err);
    if (!status)
        work_on_stream(w, seconds, &when[1], &w->decompress_s);
    return status;
}

static egc_status communicate(worker *w, uint64_t step, size_t b, egc_error *err)
{
    egc_status status = EGC_OK;
    egc_gate_wait(w->ready);
    for (size_t round = 0; round < w->learning->route.n_rounds && !status; round++)
        status = run_round(w, step, round, b, err);
    if (!status)
        egc_gate_signal(w->done);
    return status;
}

static egc_status communication_stream(void *arg, egc_error *err)
{
    worker *w = arg;
    egc_status status = EGC_OK;
    uint64_t steps = (uint64_t)w->run->learning->config->options.steps;
    for (uint64_t step = 0; step < steps && !status; step++) {
        egc_gate_wait(w->begun);
        if (egc_repeat_of(&w->run->repeat, step, w->rank))
            continue;
        for (size_t b = 0; b < w->learning->plan.n_buckets && !status; b++)
            status = communicate(w, step, b, err);
    }
    return status;
}

/* ---- life ----------------------------------------------------------------------------------- */

static void worker_fini(worker *w)
{
    egc_carrier_fini(&w->carrier);
    egc_free(w->busy);
    egc_gate_free(w->begun);
    egc_gate_free(w->ready);
    egc_gate_free(w->done);
}

static egc_status worker_init(worker *w, egc_run *run, size_t rank, egc_barrier *together,
                              egc_error *err)
{
    *w = (worker){
        .run = run,
        .learning = run->learning,
        .rank = rank,
        .begun = egc_gate_new(0),
        .ready = egc_gate_new(0),
        .done = egc_gate_new(0),
        .together = together,
        .busy = egc_calloc(busy_slots(run->learning), sizeof *w->busy),
    };
    if (!w->begun || !w->ready || !w->done || !w->busy)
        return egc_fail_memory(err, busy_slots(run->learning) * sizeof *w->busy);
    egc_status status = egc_carrier_init(&w->carrier, run->learning, rank, run->world,
                                         egc_world_transport(run->world, (int)rank, 0), err);
    if (status)
        return status;
    char name[64];
    snprintf(name, sizeof name, "worker %zu", rank);
    status = egc_world_spawn(run->world, (int)rank, name, compute_stream, w, err);
    if (status)
        return status;
    snprintf(name, sizeof name, "communication of worker %zu", rank);
    return egc_world_spawn(run->world, (int)rank, name, communication_stream, w, err);
}

static egc_status simulate(egc_run *run, egc_error *err)
{
    size_t n_workers = run->learning->n_workers, made = 0;
    egc_status status = EGC_OK;
    worker *workers = egc_calloc(n_workers, sizeof *workers);
    egc_barrier *together = egc_barrier_new((int)n_workers);
    if (!workers || !together)
        status = egc_fail_memory(err, n_workers * sizeof *workers);
    for (; made < n_workers && !status; made++)
        status = worker_init(&workers[made], run, made, together, err);
    if (!status)
        status = egc_world_run(run->world, err);
    for (size_t rank = 0; rank < made; rank++)
        worker_fini(&workers[rank]);
    egc_barrier_free(together);
    egc_free(workers);
    return status;
}

static egc_status check(const egc_training_config *config, egc_error *err)
{
    egc_route route;
    return egc_route_init(&route, config, err);
}

static egc_status run_sync(const egc_training_config *config, const egc_training_sink *sink,
                           egc_training_summary *out, egc_error *err)
{
    egc_run run;
    egc_status status = egc_run_init(&run, config, sink, out, err);
    if (status)
        return status;
    const egc_learning *learning = run.learning;
    out->params = (double)learning->n;
    memcpy(out->model, learning->workload->model, sizeof out->model);
    egc_route_name(&learning->route, out->exchange);
    status = egc_training_world(config, learning->hollow, &run.world, err);
    if (!status) {
        run.report.world = run.world;
        status = simulate(&run, err);
        egc_report_end(&run.report);
    }
    egc_world_free(run.world);
    egc_run_fini(&run);
    return status;
}

static const egc_param params[] = {EGC_PARAM_END};

const egc_algorithm_type egc_algorithm_sync = {
    .name = "sync",
    .summary = "every worker at every step: EGC-DSGD",
    .reference = "Kuang et al., Entropy-based gradient compression for distributed deep learning, "
                 "2019, with our reading of it",
    .params = params,
    .timeless = true,
    .check = check,
    .run = run_sync,
};
