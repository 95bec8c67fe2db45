/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CHOCO-SGD (Koloskova, Stich, Jaggi 2019, arXiv 1902.00340) apart from its timing: one step of all
 * workers is computed by the first that reaches it, and kept until the last no longer needs it. */
#include "train/gossip/model.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/core/decoder.h"
#include "train/core/delta.h"

/* ---- life ----------------------------------------------------------------------------------- */

static float *known_of(const egc_gossip_model *model, size_t worker)
{
    return model->known + worker * model->trainer->n;
}

/* The optimiser of each worker has the momentum of the run, the method's own where it names one. */
static egc_status make_peer(egc_gossip_model *model, const egc_coder_config *coder, size_t worker,
                            egc_error *err)
{
    const egc_trainer *trainer = model->trainer;
    egc_gossip_model_peer *peer = &model->peers[worker];
    egc_status status = egc_replica_init(&peer->replica, trainer->config, trainer->workload,
                                         trainer->momentum > 0, err);
    if (status)
        return status;
    peer->replica.optimizer.momentum = trainer->momentum;
    memcpy(known_of(model, worker), peer->replica.parameters, trainer->n * sizeof(float));
    status = egc_coders_init(&peer->coders, trainer->config, &trainer->partition, coder, worker,
                             NULL, err);
    return status ? status : egc_decoder_new(coder, &peer->decoder, err);
}

egc_status egc_gossip_model_init(egc_gossip_model *model, egc_trainer *trainer,
                                 egc_gossip_graph_kind graph, double gamma, egc_error *err)
{
    size_t n = trainer->n, n_workers = trainer->n_workers;
    *model = (egc_gossip_model){
        .trainer = trainer,
        .graph = graph,
        .gamma = gamma,
        .method = egc_delta_method(&trainer->config->method),
        .peers = egc_calloc(n_workers, sizeof *model->peers),
        .known = egc_calloc(n * n_workers, sizeof(float)),
        .difference = egc_calloc(n, sizeof(float)),
    };
    if (!model->peers || !model->known || !model->difference)
        return egc_fail_memory(err, n * n_workers * sizeof(float));
    egc_coder_config coder =
        egc_coders_config(trainer->config, &trainer->partition, trainer->workspace);
    coder.method = &model->method;
    egc_status status =
        egc_replica_init(&model->mean, trainer->config, trainer->workload, false, err);
    for (size_t w = 0; w < n_workers && !status; w++)
        status = make_peer(model, &coder, w, err);
    return status;
}

static void free_messages(const egc_gossip_model *model, const egc_gossip_model_step *first)
{
    size_t n = model->trainer->n_workers * model->trainer->partition.n_buckets;
    for (const egc_gossip_model_step *step = first; step; step = step->next)
        for (size_t i = 0; step->messages && i < n; i++)
            egc_buf_fini(&step->messages[i]);
}

void egc_gossip_model_fini(egc_gossip_model *model)
{
    if (!model->trainer)
        return;
    for (size_t w = 0; model->peers && w < model->trainer->n_workers; w++) {
        egc_coders_fini(&model->peers[w].coders);
        egc_decoder_free(model->peers[w].decoder);
        egc_replica_fini(&model->peers[w].replica);
    }
    free_messages(model, model->oldest);
    free_messages(model, model->spare);
    egc_replica_fini(&model->mean);
    egc_free(model->peers);
    egc_free(model->known);
    egc_free(model->difference);
    egc_arena_fini(&model->arena);
}

/* ---- steps under way ------------------------------------------------------------------------ */

static egc_status make_step(egc_gossip_model *model, egc_gossip_model_step **out, egc_error *err)
{
    const egc_trainer *trainer = model->trainer;
    size_t n = trainer->n_workers, n_messages = n * trainer->partition.n_buckets;
    egc_gossip_model_step *step = egc_arena_alloc(&model->arena, sizeof *step);
    if (!step)
        return egc_fail_memory(err, sizeof *step);
    step->next = model->spare; /* at once, so that _fini finds it */
    model->spare = step;
    step->messages = egc_arena_alloc(&model->arena, n_messages * sizeof *step->messages);
    step->encode_s = egc_arena_alloc(&model->arena, n * sizeof *step->encode_s);
    step->decode_s = egc_arena_alloc(&model->arena, n * sizeof *step->decode_s);
    if (!step->messages || !step->encode_s || !step->decode_s)
        return egc_fail_memory(err, n_messages * sizeof *step->messages);
    *out = step;
    return egc_step_stats_init(&step->stats, &model->arena, n, trainer->partition.n_units,
                               trainer->partition.n_units, err);
}

static egc_status take_spare(egc_gossip_model *model, egc_gossip_model_step **out, egc_error *err)
{
    egc_status status = EGC_OK;
    if (!model->spare)
        status = make_step(model, out, err);
    if (status)
        return status;
    egc_gossip_model_step *step = *out = model->spare;
    model->spare = step->next;
    step->next = NULL;
    step->times = (egc_step_times){0};
    step->released = 0;
    *(model->newest ? &model->newest->next : &model->oldest) = step;
    model->newest = step;
    return EGC_OK;
}

void egc_gossip_model_release(egc_gossip_model *model, egc_gossip_model_step *step)
{
    if (++step->released < model->trainer->n_workers)
        return;
    model->oldest = step->next; /* steps end in their order */
    if (!model->oldest)
        model->newest = NULL;
    step->next = model->spare;
    model->spare = step;
}

/* ---- learning ------------------------------------------------------------------------------- */

static egc_status take_local_step(egc_gossip_model *model, uint64_t step, size_t worker,
                                  egc_error *err)
{
    egc_replica *replica = &model->peers[worker].replica;
    double loss;
    egc_status status =
        egc_replica_local_steps(replica, step, 1, worker, egc_replica_lr(replica, step),
                                model->difference, NULL, &loss, err);
    model->trainer->stats.totals.loss += loss;
    return status;
}

/* Moves the neighbours' copy of the worker's parameters by its decoded messages, and keeps the
 * messages for the step. */
static egc_status move_known(egc_gossip_model *model, egc_gossip_model_step *under_way,
                             size_t worker, egc_error *err)
{
    egc_trainer *trainer = model->trainer;
    egc_gossip_model_peer *peer = &model->peers[worker];
    size_t n_buckets = trainer->partition.n_buckets;
    float *known = known_of(model, worker);
    egc_status status = EGC_OK;
    under_way->encode_s[worker] = under_way->decode_s[worker] = 0;
    for (size_t b = 0; b < n_buckets && !status; b++) {
        egc_buf *made = &peer->coders.messages[b];
        egc_buf *kept = &under_way->messages[worker * n_buckets + b], spare = *kept;
        status = egc_trainer_decode(trainer, &peer->coders, peer->decoder, under_way->step, b, made,
                                    model->difference, &under_way->decode_s[worker], err);
        under_way->encode_s[worker] += peer->coders.encode_s[b];
        *kept = *made;
        *made = spare;
    }
    for (size_t i = 0; i < trainer->n && !status; i++)
        known[i] += model->difference[i];
    return status;
}

/* Compresses the difference of a worker's parameters to the neighbours' copy. */
static egc_status compress(egc_gossip_model *model, egc_gossip_model_step *under_way, size_t worker,
                           egc_error *err)
{
    egc_trainer *trainer = model->trainer;
    egc_gossip_model_peer *peer = &model->peers[worker];
    const float *known = known_of(model, worker);
    for (size_t i = 0; i < trainer->n; i++)
        model->difference[i] = peer->replica.parameters[i] - known[i];
    egc_status status =
        egc_coders_compress(&peer->coders, under_way->step, NAN, model->difference, err);
    if (status)
        return egc_error_prefix(err, "step %llu: worker %zu", (unsigned long long)under_way->step,
                                worker);
    egc_coders_count_all(&peer->coders, &trainer->stats);
    return move_known(model, under_way, worker, err);
}

static void mix(egc_gossip_model *model, size_t worker)
{
    size_t n = model->trainer->n;
    const egc_gossip_graph_neighbours neighbours =
        egc_gossip_graph_of(model->graph, model->trainer->n_workers, worker);
    const float *own = known_of(model, worker);
    float *x = model->peers[worker].replica.parameters;
    float weight = (float)(model->gamma / (double)(neighbours.degree + 1));
    for (size_t i = 0; i < neighbours.degree; i++) {
        const float *heard = known_of(model, neighbours.from[i]);
        for (size_t j = 0; j < n; j++)
            x[j] += weight * (heard[j] - own[j]);
    }
}

static void find_mean(egc_gossip_model *model)
{
    size_t n_workers = model->trainer->n_workers;
    for (size_t j = 0; j < model->trainer->n; j++) {
        double sum = 0;
        for (size_t w = 0; w < n_workers; w++)
            sum += (double)model->peers[w].replica.parameters[j];
        model->mean.parameters[j] = (float)(sum / (double)n_workers);
    }
}

/* The distance of the workers' parameters from their mean, relative to its length. */
static double consensus(const egc_gossip_model *model)
{
    const egc_trainer *trainer = model->trainer;
    const float *mean = model->mean.parameters;
    double length2 = 0, distance2 = 0;
    for (size_t j = 0; j < trainer->n; j++)
        length2 += (double)mean[j] * (double)mean[j];
    for (size_t w = 0; w < trainer->n_workers; w++) {
        const float *x = model->peers[w].replica.parameters;
        for (size_t j = 0; j < trainer->n; j++) {
            double difference = (double)x[j] - (double)mean[j];
            distance2 += difference * difference;
        }
    }
    return length2 > 0 ? sqrt(distance2 / (double)trainer->n_workers / length2) : NAN;
}

static egc_status learn(egc_gossip_model *model, egc_gossip_model_step *under_way, egc_error *err)
{
    egc_trainer *trainer = model->trainer;
    egc_step_totals *totals = &trainer->stats.totals;
    size_t n_workers = trainer->n_workers;
    egc_status status = EGC_OK;
    for (size_t w = 0; w < n_workers && !status; w++) {
        status = take_local_step(model, under_way->step, w, err);
        if (!status)
            status = compress(model, under_way, w, err);
    }
    if (status)
        return status;
    for (size_t w = 0; w < n_workers; w++)
        mix(model, w);
    find_mean(model);
    totals->consensus = consensus(model);
    return egc_reporter_evaluates(trainer->config, under_way->step + 1)
               ? egc_replica_evaluate(&model->mean, &totals->evaluation, err)
               : EGC_OK;
}

egc_status egc_gossip_model_begin(egc_gossip_model *model, uint64_t step,
                                  egc_gossip_model_step **out, egc_error *err)
{
    egc_trainer *trainer = model->trainer;
    for (egc_gossip_model_step *under_way = model->oldest; under_way; under_way = under_way->next)
        if (under_way->step == step) {
            *out = under_way;
            return EGC_OK;
        }
    egc_status status = take_spare(model, out, err);
    if (status)
        return status;
    (*out)->step = trainer->step = step;
    status = learn(model, *out, err);
    egc_step_stats stats = trainer->stats; /* the step's, until it is over for all */
    trainer->stats = (*out)->stats;
    (*out)->stats = stats;
    egc_step_stats_clear(&trainer->stats, trainer->partition.n_units);
    return status;
}

egc_status egc_gossip_model_finish(egc_gossip_model *model, egc_gossip_model_step *step,
                                   egc_error *err)
{
    egc_trainer *trainer = model->trainer;
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
