/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The task of texts: a network learns to predict the next word. The recurrent state of a worker
 * goes on from step to step within an epoch if `carry` is set and the steps follow one another;
 * otherwise it is zero. */
#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workloads/train/corpus.h"
#include "workloads/train/datasets/locate.h"
#include "workloads/train/streams.h"
#include "workloads/train/task.h"

enum { SEED_NOISE = 0x6e6f6973 }; /* "nois": stream of random numbers */

enum { EVALUATION_STREAMS = 10 }; /* few, so that nearly every word has a context */

typedef struct language {
    egc_task task;
    egc_corpus corpus;
    egc_streams training_streams, test_streams;
    size_t state_size;
    float *states;        /* states after each worker's last step, state_size floats each */
    uint64_t *next_steps; /* the step at which each worker may use its state */
    uint64_t seed;
    bool carry;
} language;

/* ---- opening --------------------------------------------------------------------------------- */

static egc_status make_training_streams(const egc_task_config *config, language *task,
                                        egc_error *err)
{
    size_t count;
    egc_status status =
        egc_task_count("train_examples", config->training_limit,
                       egc_corpus_count(&task->corpus, EGC_CORPUS_TRAINING), &count, err);
    if (status)
        return status;
    return egc_streams_init(
        &task->training_streams, egc_corpus_numbers(&task->corpus, EGC_CORPUS_TRAINING), count,
        config->request->workers, config->batch, (size_t)config->language->sequence, err);
}

static egc_status make_test_streams(const egc_task_config *config, language *task, egc_error *err)
{
    bool on_test = config->evaluate_on == EGC_EVALUATE_ON_TEST;
    egc_corpus_part part = on_test ? EGC_CORPUS_TEST : EGC_CORPUS_VALIDATION;
    size_t count;
    egc_status status = egc_task_count("test_examples", config->test_limit,
                                       egc_corpus_count(&task->corpus, part), &count, err);
    if (status)
        return status;
    size_t streams = count / 2 < EVALUATION_STREAMS ? count / 2 : EVALUATION_STREAMS;
    if (streams == 0)
        return egc_fail(err, EGC_ERROR_RANGE, "test_examples must be at least 2, got %zu", count);
    task->test_streams = (egc_streams){
        .words = egc_corpus_numbers(&task->corpus, part),
        .batch = streams,
        .sequence = (size_t)config->language->sequence,
        .length = count / streams,
    };
    return EGC_OK;
}

static egc_status build_networks(const egc_task_config *config, language *task, egc_error *err)
{
    size_t sequence = (size_t)config->language->sequence;
    const egc_network_config network = {
        .layers = config->net->layers,
        .example = {1, {1}},
        .classes = task->corpus.vocabulary,
        .batch = config->batch * sequence,
        .sequence = sequence,
        .width = (size_t)config->language->width,
        .dropout = config->language->dropout,
    };
    return egc_task_build(&task->task, network, task->test_streams.batch * sequence, err);
}

static egc_status make_states(language *task, size_t workers, egc_error *err)
{
    task->state_size = egc_network_state_size(task->task.training);
    task->states = egc_calloc(workers, task->state_size * sizeof *task->states);
    task->next_steps = egc_calloc(workers, sizeof *task->next_steps);
    if (!task->states || !task->next_steps)
        return egc_fail_memory(err, workers * task->state_size * sizeof *task->states);
    return EGC_OK;
}

static egc_status init(egc_task *base, const egc_task_config *config, egc_error *err)
{
    language *task = (language *)base;
    task->seed = config->request->seed;
    task->carry = config->language->carry;
    egc_location where;
    egc_status status = egc_locate_find(config->path, config->dataset->folder, &where, err);
    if (status)
        return status;
    status = egc_corpus_load(config->dataset, where.path, (size_t)config->language->vocabulary,
                             &task->corpus, err);
    if (!status)
        status = make_training_streams(config, task, err);
    if (!status)
        status = make_test_streams(config, task, err);
    if (!status)
        status = build_networks(config, task, err);
    if (!status)
        status = make_states(task, config->request->workers, err);
    return egc_locate_explain(&where, status, err);
}

static void fini(egc_task *base)
{
    language *task = (language *)base;
    egc_free(task->states);
    egc_free(task->next_steps);
    egc_corpus_fini(&task->corpus);
}

/* ---- running --------------------------------------------------------------------------------- */

static uint64_t noise_of(const language *task, uint64_t step, size_t worker)
{
    uint64_t seed = egc_rng_derive_seed(task->seed, SEED_NOISE, worker);
    return egc_rng_derive_seed(seed, SEED_NOISE, step);
}

static egc_status gradient(egc_task *base, uint64_t step, size_t worker, const float *parameters,
                           float *grad, double *loss, egc_error *err)
{
    language *task = (language *)base;
    egc_network *network = base->training;
    const egc_streams *streams = &task->training_streams;
    float *state = task->states + worker * task->state_size;
    uint64_t step_of_epoch = step % egc_streams_steps(streams);
    egc_streams_read(streams, worker, (size_t)step_of_epoch * streams->sequence, network->examples,
                     network->labels);
    bool follows = task->carry && step_of_epoch > 0 && task->next_steps[worker] == step;
    egc_network_set_state(network, follows ? state : NULL);
    network->graph.noise = noise_of(task, step, worker);
    egc_status status = egc_task_gradient(base, parameters, grad, loss, err);
    if (status)
        return status;
    egc_network_get_state(network, state);
    task->next_steps[worker] = step + 1;
    return EGC_OK;
}

/* The last batch may be short. Its words come first; the rest is computed but not used. */
static egc_status evaluate(egc_task *base, const float *parameters, egc_evaluation *out,
                           egc_error *err)
{
    egc_network *network = base->evaluation;
    const egc_streams *streams = &((const language *)base)->test_streams;
    egc_network_outcome total = {0};
    size_t words = 0;
    egc_network_set_state(network, NULL);
    for (size_t first = 0; first < streams->length - 1; first += streams->sequence) {
        size_t count = egc_streams_read(streams, 0, first, network->examples, network->labels);
        egc_network_outcome outcome;
        egc_status status = egc_network_forward(network, parameters, count, &outcome, err);
        if (status)
            return status;
        egc_network_keep_state(network);
        total.loss += outcome.loss;
        total.correct += outcome.correct;
        words += count;
    }
    *out = (egc_evaluation){
        .loss = total.loss / (double)words,
        .accuracy = (double)total.correct / (double)words,
        .perplexity = exp(total.loss / (double)words),
    };
    return EGC_OK;
}

/* All workers have equally many words. */
static egc_workload_share share(const egc_task *base, size_t worker)
{
    (void)worker;
    const egc_streams *streams = &((const language *)base)->training_streams;
    return (egc_workload_share){.examples = (double)streams->stretch,
                                .steps = egc_streams_steps(streams)};
}

const egc_task_type egc_task_language = {
    .size = sizeof(language),
    .init = init,
    .fini = fini,
    .gradient = gradient,
    .evaluate = evaluate,
    .share = share,
};
