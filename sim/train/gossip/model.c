/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/gossip/model.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/core/decoder.h"
#include "train/core/delta.h"
#include "train/core/optimizer.h"

/* ---- life ----------------------------------------------------------------------------------- */

static float *of_worker(const egc_gossip_model *peers, float *all, size_t worker)
{
    return all + worker * peers->trainer->n;
}

static egc_status allocate(egc_gossip_model *peers, egc_error *err)
{
    const egc_trainer *trainer = peers->trainer;
    size_t n = trainer->n, total = n * trainer->n_workers;
    bool momentum = trainer->momentum > 0;
    peers->senders = egc_calloc(trainer->n_workers, sizeof *peers->senders);
    peers->parameters = egc_calloc(total, sizeof(float));
    peers->known = egc_calloc(total, sizeof(float));
    peers->gradient = egc_calloc(n, sizeof(float));
    peers->mean = egc_calloc(n, sizeof(float));
    if (momentum)
        peers->velocity = egc_calloc(total, sizeof(float));
    if (!peers->senders || !peers->parameters || !peers->known || !peers->gradient ||
        !peers->mean || (momentum && !peers->velocity))
        return egc_fail_memory(err, total * sizeof(float));
    return EGC_OK;
}

static egc_status make_coders(egc_gossip_model *peers, egc_error *err)
{
    egc_coder_config coder = egc_trainer_coder_config(peers->trainer, 1);
    peers->method = egc_delta_method(coder.method);
    coder.method = &peers->method;
    coder.momentum = 0;
    egc_status status = egc_decoder_new(&coder, &peers->decoder, err);
    for (size_t w = 0; w < peers->trainer->n_workers && !status; w++)
        status = egc_coders_init_as(&peers->senders[w], peers->trainer, &coder, w, err);
    return status;
}

egc_status egc_gossip_model_init(egc_gossip_model *peers, egc_trainer *trainer,
                                 egc_gossip_graph_kind graph, double gamma, egc_error *err)
{
    float *start = NULL;
    *peers = (egc_gossip_model){.trainer = trainer, .graph = graph, .gamma = gamma};
    egc_status status = allocate(peers, err);
    if (!status)
        status = egc_trainer_parameters(trainer, &start, err);
    for (size_t w = 0; w < trainer->n_workers && !status; w++) {
        memcpy(of_worker(peers, peers->parameters, w), start, trainer->n * sizeof(float));
        memcpy(of_worker(peers, peers->known, w), start, trainer->n * sizeof(float));
    }
    egc_free(start);
    return status ? status : make_coders(peers, err);
}

static void free_messages(const egc_gossip_model *peers, const egc_gossip_model_step *first)
{
    size_t n = peers->trainer->n_workers * peers->trainer->partition.n_buckets;
    for (const egc_gossip_model_step *step = first; step; step = step->next)
        for (size_t i = 0; step->messages && i < n; i++)
            egc_buf_fini(&step->messages[i]);
}

void egc_gossip_model_fini(egc_gossip_model *peers)
{
    if (!peers->trainer)
        return;
    for (size_t w = 0; peers->senders && w < peers->trainer->n_workers; w++)
        egc_coders_fini(&peers->senders[w]);
    free_messages(peers, peers->oldest);
    free_messages(peers, peers->spare);
    egc_decoder_free(peers->decoder);
    egc_free(peers->senders);
    egc_free(peers->parameters);
    egc_free(peers->known);
    egc_free(peers->velocity);
    egc_free(peers->gradient);
    egc_free(peers->mean);
    egc_arena_fini(&peers->arena);
}

/* ---- steps under way ------------------------------------------------------------------------ */

static egc_status make_step(egc_gossip_model *peers, egc_gossip_model_step **out, egc_error *err)
{
    const egc_trainer *trainer = peers->trainer;
    size_t n = trainer->n_workers, n_messages = n * trainer->partition.n_buckets;
    egc_gossip_model_step *step = egc_arena_alloc(&peers->arena, sizeof *step);
    if (!step)
        return egc_fail_memory(err, sizeof *step);
    step->next = peers->spare; /* at once, so that _fini finds it */
    peers->spare = step;
    step->messages = egc_arena_alloc(&peers->arena, n_messages * sizeof *step->messages);
    step->encode_s = egc_arena_alloc(&peers->arena, n * sizeof *step->encode_s);
    step->decode_s = egc_arena_alloc(&peers->arena, n * sizeof *step->decode_s);
    if (!step->messages || !step->encode_s || !step->decode_s)
        return egc_fail_memory(err, n_messages * sizeof *step->messages);
    *out = step;
    return egc_step_stats_init(&step->stats, &peers->arena, n, trainer->partition.n_units,
                               trainer->partition.n_units, err);
}

static egc_status take_spare(egc_gossip_model *peers, egc_gossip_model_step **out, egc_error *err)
{
    egc_status status = EGC_OK;
    if (!peers->spare)
        status = make_step(peers, out, err);
    if (status)
        return status;
    egc_gossip_model_step *step = *out = peers->spare;
    peers->spare = step->next;
    step->next = NULL;
    step->times = (egc_step_times){0};
    step->released = 0;
    *(peers->newest ? &peers->newest->next : &peers->oldest) = step;
    peers->newest = step;
    return EGC_OK;
}

void egc_gossip_model_release(egc_gossip_model *peers, egc_gossip_model_step *step)
{
    if (++step->released < peers->trainer->n_workers)
        return;
    peers->oldest = step->next; /* steps end in their order */
    if (!peers->oldest)
        peers->newest = NULL;
    step->next = peers->spare;
    peers->spare = step;
}

/* ---- learning ------------------------------------------------------------------------------- */

static egc_status take_local_step(egc_gossip_model *peers, uint64_t step, size_t worker,
                                  egc_error *err)
{
    egc_trainer *trainer = peers->trainer;
    egc_optimizer optimizer = trainer->workload->optimizer;
    float *x = of_worker(peers, peers->parameters, worker), *gradient = peers->gradient;
    double loss;
    egc_status status = egc_trainer_gradient(trainer, step, worker, x, gradient, &loss, err);
    if (status)
        return status;
    optimizer.momentum = trainer->momentum;
    egc_optimizer_apply(&optimizer, egc_trainer_lr(trainer, step), gradient,
                        peers->velocity ? of_worker(peers, peers->velocity, worker) : NULL, x,
                        trainer->n);
    trainer->stats.totals.loss += loss;
    return EGC_OK;
}

/* Its messages, which move what others know of it. */
static egc_status tell(egc_gossip_model *peers, egc_gossip_model_step *record, size_t worker,
                       egc_error *err)
{
    egc_trainer *trainer = peers->trainer;
    egc_coders *sender = &peers->senders[worker];
    const float *x = of_worker(peers, peers->parameters, worker);
    float *known = of_worker(peers, peers->known, worker), *difference = peers->gradient;
    size_t n_buckets = trainer->partition.n_buckets;
    for (size_t i = 0; i < trainer->n; i++)
        difference[i] = x[i] - known[i];
    egc_status status = egc_coders_encode(sender, record->step, NAN, difference, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)record->step,
                                worker);
    egc_coders_count(sender);
    record->encode_s[worker] = record->decode_s[worker] = 0;
    for (size_t b = 0; b < n_buckets && !status; b++) {
        double seconds;
        status = egc_trainer_decode(trainer, peers->decoder, record->step, b, &sender->messages[b],
                                    1, difference, &seconds, err);
        record->encode_s[worker] += sender->encode_s[b];
        record->decode_s[worker] += seconds;
        egc_buf *kept = &record->messages[worker * n_buckets + b], made = sender->messages[b];
        sender->messages[b] = *kept;
        *kept = made;
    }
    for (size_t i = 0; i < trainer->n && !status; i++)
        known[i] += difference[i];
    return status;
}

static void mix(egc_gossip_model *peers, size_t worker)
{
    const egc_trainer *trainer = peers->trainer;
    const egc_gossip_graph_neighbours neighbours =
        egc_gossip_graph_of(peers->graph, trainer->n_workers, worker);
    const float *own = of_worker(peers, peers->known, worker);
    float *x = of_worker(peers, peers->parameters, worker);
    float weight = (float)(peers->gamma / (double)(neighbours.degree + 1));
    for (size_t i = 0; i < neighbours.degree; i++) {
        const float *heard = of_worker(peers, peers->known, neighbours.from[i]);
        for (size_t j = 0; j < trainer->n; j++)
            x[j] += weight * (heard[j] - own[j]);
    }
}

static void find_mean(egc_gossip_model *peers)
{
    const egc_trainer *trainer = peers->trainer;
    for (size_t j = 0; j < trainer->n; j++) {
        double sum = 0;
        for (size_t w = 0; w < trainer->n_workers; w++)
            sum += (double)of_worker(peers, peers->parameters, w)[j];
        peers->mean[j] = (float)(sum / (double)trainer->n_workers);
    }
}

/* How far the workers are from their mean, against its length. */
static double consensus(const egc_gossip_model *peers)
{
    const egc_trainer *trainer = peers->trainer;
    double length2 = 0, distance2 = 0;
    for (size_t j = 0; j < trainer->n; j++)
        length2 += (double)peers->mean[j] * (double)peers->mean[j];
    for (size_t w = 0; w < trainer->n_workers; w++) {
        const float *x = of_worker(peers, peers->parameters, w);
        for (size_t j = 0; j < trainer->n; j++) {
            double difference = (double)x[j] - (double)peers->mean[j];
            distance2 += difference * difference;
        }
    }
    return length2 > 0 ? sqrt(distance2 / (double)trainer->n_workers / length2) : NAN;
}

static egc_status learn(egc_gossip_model *peers, egc_gossip_model_step *record, egc_error *err)
{
    egc_trainer *trainer = peers->trainer;
    egc_workload *workload = trainer->workload;
    egc_step_totals *totals = &trainer->stats.totals;
    size_t n_workers = trainer->n_workers;
    egc_status status = EGC_OK;
    for (size_t w = 0; w < n_workers && !status; w++) {
        status = take_local_step(peers, record->step, w, err);
        if (!status)
            status = tell(peers, record, w, err);
    }
    if (status)
        return status;
    for (size_t w = 0; w < n_workers; w++)
        mix(peers, w);
    find_mean(peers);
    totals->consensus = consensus(peers);
    if (egc_reporter_evaluates(trainer->config, record->step + 1))
        status = workload->type->evaluate(workload, peers->mean, &totals->evaluation, err);
    return status;
}

egc_status egc_gossip_model_begin(egc_gossip_model *peers, uint64_t step,
                                  egc_gossip_model_step **out, egc_error *err)
{
    egc_trainer *trainer = peers->trainer;
    for (egc_gossip_model_step *record = peers->oldest; record; record = record->next)
        if (record->step == step) {
            *out = record;
            return EGC_OK;
        }
    egc_status status = take_spare(peers, out, err);
    if (status)
        return status;
    (*out)->step = trainer->step = step;
    status = learn(peers, *out, err);
    egc_step_stats stats = trainer->stats; /* the step's, until it is over for all */
    trainer->stats = (*out)->stats;
    (*out)->stats = stats;
    egc_step_stats_clear(&trainer->stats, trainer->partition.n_units);
    return status;
}

egc_status egc_gossip_model_finish(egc_gossip_model *peers, egc_gossip_model_step *step,
                                   egc_error *err)
{
    egc_trainer *trainer = peers->trainer;
    const egc_step_totals *totals = &step->stats.totals;
    egc_status status = EGC_OK;
    if (++step->times.finished < trainer->n_workers)
        return EGC_OK;
    trainer->reporter.message_bytes_total += totals->message_bytes;
    if (egc_reporter_evaluates(trainer->config, step->step + 1))
        status = egc_reporter_evaluation(&trainer->reporter, step->step, &totals->evaluation, err);
    return status
               ? status
               : egc_reporter_step(&trainer->reporter, step->step, &step->times, &step->stats, err);
}
