/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/language.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workloads/train/corpus.h"
#include "workloads/train/streams.h"

enum { SEED_NOISE = 0x6e6f6973 }; /* "nois": the stream of random numbers used here */

enum { EVALUATION_STREAMS = 10 }; /* few, so that nearly every word has what came before it */

/* What a worker's network remembers, and from which step on that is of use. */
typedef struct memory {
    uint64_t next_step;
    float *state;
} memory;

struct egc_language {
    egc_corpus corpus;
    egc_streams training_streams, test_streams;
    egc_network *training, *evaluation;
    memory *memories; /* one for each worker */
    size_t n_memories;
    uint64_t seed;
    bool carry;
};

/* ---- opening --------------------------------------------------------------------------------- */

static egc_status count_used(const char *name, size_t limit, size_t there, size_t *out,
                             egc_error *err)
{
    *out = limit == EGC_EXAMPLES_ALL ? there : limit;
    if (*out > there)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "%s must be at most %zu, which the data set has, got %zu", name, there,
                        limit);
    return EGC_OK;
}

static egc_status make_streams(const egc_language_config *config, egc_language *language,
                               egc_error *err)
{
    const egc_corpus *corpus = &language->corpus;
    size_t sequence = (size_t)config->params->sequence, count;
    egc_status status = count_used("train_examples", config->training_limit,
                                   egc_corpus_count(corpus, EGC_CORPUS_TRAINING), &count, err);
    if (!status)
        status = egc_streams_init(&language->training_streams,
                                  egc_corpus_numbers(corpus, EGC_CORPUS_TRAINING), count,
                                  config->request->workers, config->batch, sequence, err);
    bool on_test = config->evaluate_on == EGC_EVALUATE_ON_TEST;
    egc_corpus_part part = on_test ? EGC_CORPUS_TEST : EGC_CORPUS_VALIDATION;
    if (!status)
        status = count_used("test_examples", config->test_limit, egc_corpus_count(corpus, part),
                            &count, err);
    if (status)
        return status;
    size_t streams = count / 2 < EVALUATION_STREAMS ? count / 2 : EVALUATION_STREAMS;
    if (streams == 0)
        return egc_fail(err, EGC_ERROR_RANGE, "test_examples must be at least 2, got %zu", count);
    language->test_streams = (egc_streams){
        .words = egc_corpus_numbers(corpus, part),
        .batch = streams,
        .sequence = sequence,
        .length = count / streams,
    };
    return EGC_OK;
}

static egc_status build_networks(const egc_language_config *config, egc_language *language,
                                 egc_error *err)
{
    egc_network_config network = {
        .layers = config->net->layers,
        .example = {1, {1}},
        .classes = language->corpus.vocabulary,
        .batch = config->batch * (size_t)config->params->sequence,
        .training = true,
        .sequence = (size_t)config->params->sequence,
        .width = (size_t)config->params->width,
        .dropout = config->params->dropout,
    };
    egc_status status = egc_network_new(&network, &language->training, err);
    network.batch = language->test_streams.batch * language->test_streams.sequence;
    network.training = false;
    return status ? status : egc_network_new(&network, &language->evaluation, err);
}

static egc_status make_memories(const egc_language_config *config, egc_language *language,
                                egc_error *err)
{
    size_t size = egc_network_state_size(language->training), n = config->request->workers;
    language->memories = egc_calloc(n, sizeof *language->memories);
    if (!language->memories)
        return egc_fail_memory(err, n * sizeof *language->memories);
    language->n_memories = n;
    for (size_t i = 0; i < n; i++) {
        language->memories[i].state = egc_calloc(size, sizeof(float));
        if (!language->memories[i].state)
            return egc_fail_memory(err, size * sizeof(float));
    }
    return EGC_OK;
}

egc_status egc_language_new(const egc_language_config *config, egc_language **out, egc_error *err)
{
    egc_language *language = egc_calloc(1, sizeof *language);
    if (!language)
        return egc_fail_memory(err, sizeof *language);
    language->seed = config->request->seed;
    language->carry = config->params->carry;
    egc_status status = egc_corpus_load(config->dataset, config->where,
                                        (size_t)config->params->vocabulary, &language->corpus, err);
    if (!status)
        status = make_streams(config, language, err);
    if (!status)
        status = build_networks(config, language, err);
    if (!status)
        status = make_memories(config, language, err);
    if (status) {
        egc_language_free(language);
        return status;
    }
    *out = language;
    return EGC_OK;
}

void egc_language_free(egc_language *language)
{
    if (!language)
        return;
    for (size_t i = 0; i < language->n_memories; i++)
        egc_free(language->memories[i].state);
    egc_free(language->memories);
    egc_network_free(language->training);
    egc_network_free(language->evaluation);
    egc_corpus_fini(&language->corpus);
    egc_free(language);
}

const egc_network *egc_language_network(const egc_language *language)
{
    return language->training;
}

/* ---- running --------------------------------------------------------------------------------- */

static uint64_t noise_of(const egc_language *language, uint64_t step, size_t worker)
{
    return egc_rng_derive_seed(egc_rng_derive_seed(language->seed, SEED_NOISE, worker), SEED_NOISE,
                               step);
}

egc_status egc_language_gradient(egc_language *language, uint64_t step, size_t worker,
                                 const float *parameters, float *gradient, double *loss,
                                 egc_error *err)
{
    egc_network *network = language->training;
    memory *mine = &language->memories[worker];
    const egc_streams *streams = &language->training_streams;
    uint64_t step_of_epoch = step % egc_streams_steps(streams);
    egc_streams_read(streams, worker, (size_t)step_of_epoch * streams->sequence, network->examples,
                     network->labels);
    bool follows = language->carry && step_of_epoch > 0 && mine->next_step == step;
    egc_network_set_state(network, follows ? mine->state : NULL);
    network->graph.noise = noise_of(language, step, worker);
    egc_point_outcome outcome;
    egc_status status = egc_network_forward(network, parameters, network->batch, &outcome, err);
    if (!status)
        status = egc_network_backward(network, gradient, err);
    if (status)
        return status;
    egc_network_get_state(network, mine->state);
    mine->next_step = step + 1;
    *loss = outcome.loss / (double)network->batch;
    return EGC_OK;
}

/* The last batch may be short. Its words come first, so that the rest is computed and not looked
 * at. */
egc_status egc_language_evaluate(egc_language *language, const float *parameters,
                                 egc_evaluation *out, egc_error *err)
{
    egc_network *network = language->evaluation;
    const egc_streams *streams = &language->test_streams;
    egc_point_outcome total = {0};
    size_t words = 0;
    egc_network_set_state(network, NULL);
    for (size_t first = 0; first < streams->length - 1; first += streams->sequence) {
        size_t count = egc_streams_read(streams, 0, first, network->examples, network->labels);
        egc_point_outcome outcome;
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

egc_workload_share egc_language_share(const egc_language *language)
{
    const egc_streams *streams = &language->training_streams;
    return (egc_workload_share){.examples = (double)streams->stretch,
                                .steps = egc_streams_steps(streams)};
}
