/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed loop: a network learns a data set. Every worker holds the same parameters and draws its
 * own batches; gradients are those of the mean cross-entropy, computed by oneDNN. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workloads/train/augment.h"
#include "workloads/train/batches.h"
#include "workloads/train/datasets/dataset.h"
#include "workloads/train/datasets/locate.h"
#include "workloads/train/language.h"
#include "workloads/train/nets/net.h"
#include "workloads/train/network.h"
#include "workloads/train/running.h"
#include "workloads/workload.h"

enum { SEED_WEIGHTS = 0x77656967, SEED_AUGMENT = 0x6175676d }; /* "weig", "augm": random streams */

enum { EVALUATION_BATCH = 100 }; /* large enough to be fast, small enough to stay in the cache */

#define ALL_EXAMPLES (-1) /* "all" as egc_param stores it */

typedef struct train_params {
    int model;
    int dataset;
    char path[EGC_TEXT_LENGTH];
    int64_t batch;
    double lr;
    double momentum;
    double weight_decay;
    int schedule;
    int64_t train_examples;
    int64_t test_examples;
    bool augment;
    int split;
    double alpha;
    egc_language_params language;
} train_params;

enum { SPLIT_IID, SPLIT_DIRICHLET };

static const char *const splits[] = {"iid", "dirichlet", NULL};
static const char *const schedules[] = {"constant", "cosine", NULL};
static const char *const all[] = {"all", NULL};

static const egc_param params[] = {
    {.name = "model",
     .help = "the network",
     .kind = EGC_PARAM_CHOICE,
     .offset = offsetof(train_params, model),
     .choices = egc_net_names},
    {.name = "dataset",
     .help = "what it learns",
     .kind = EGC_PARAM_CHOICE,
     .offset = offsetof(train_params, dataset),
     .choices = egc_dataset_names},
    {.name = "path",
     .help = "folder of the data set; empty: its own in EGC_DATA or /usr/share/datasets",
     .kind = EGC_PARAM_TEXT,
     .offset = offsetof(train_params, path)},
    {.name = "batch",
     .help = "examples of one worker in one step",
     .kind = EGC_PARAM_INT,
     .offset = offsetof(train_params, batch),
     .def = 32,
     .min = 1,
     .max = 65536},
    {.name = "lr",
     .help = "learning rate at the first step",
     .kind = EGC_PARAM_REAL,
     .offset = offsetof(train_params, lr),
     .def = 0.05,
     .min = 0,
     .max = INFINITY,
     .flags = EGC_PARAM_OPEN_MIN},
    {.name = "momentum",
     .help = "momentum of the optimiser",
     .kind = EGC_PARAM_REAL,
     .offset = offsetof(train_params, momentum),
     .def = 0.9,
     .min = 0,
     .max = 1,
     .flags = EGC_PARAM_OPEN_MAX},
    {.name = "weight_decay",
     .help = "share of the parameters that is added to the gradient",
     .kind = EGC_PARAM_REAL,
     .offset = offsetof(train_params, weight_decay),
     .def = 0,
     .min = 0,
     .max = INFINITY},
    {.name = "schedule",
     .help = "how the learning rate goes on: constant, or down to 0 along a half cosine",
     .kind = EGC_PARAM_CHOICE,
     .offset = offsetof(train_params, schedule),
     .def = EGC_SCHEDULE_CONSTANT,
     .choices = schedules},
    {.name = "train_examples",
     .help = "how many examples of the training set are used, from its start",
     .kind = EGC_PARAM_INT,
     .offset = offsetof(train_params, train_examples),
     .def = ALL_EXAMPLES,
     .min = 1,
     .max = INT32_MAX,
     .choices = all},
    {.name = "test_examples",
     .help = "how many examples of the test set are used, from its start",
     .kind = EGC_PARAM_INT,
     .offset = offsetof(train_params, test_examples),
     .def = ALL_EXAMPLES,
     .min = 1,
     .max = INT32_MAX,
     .choices = all},
    {.name = "augment",
     .help = "cut training images out at random and mirror half of them",
     .kind = EGC_PARAM_BOOL,
     .offset = offsetof(train_params, augment)},
    {.name = "split",
     .help = "who sees which examples: iid, all of them in turn; dirichlet, each worker its own, "
             "with its own shares of the classes",
     .kind = EGC_PARAM_CHOICE,
     .offset = offsetof(train_params, split),
     .def = SPLIT_IID,
     .choices = splits},
    {.name = "alpha",
     .help = "of the split dirichlet: the smaller, the fewer classes a worker sees",
     .kind = EGC_PARAM_REAL,
     .offset = offsetof(train_params, alpha),
     .def = 0.5,
     .min = 0,
     .max = INFINITY,
     .flags = EGC_PARAM_OPEN_MIN | EGC_PARAM_OPEN_MAX},
    {.name = "sequence",
     .help = "texts: words of each stream in one step, through which the gradient goes back",
     .kind = EGC_PARAM_INT,
     .offset = offsetof(train_params, language.sequence),
     .def = 35,
     .min = 1,
     .max = 4096},
    {.name = "vocabulary",
     .help = "texts: how many words are told apart, the most frequent ones of the training text",
     .kind = EGC_PARAM_INT,
     .offset = offsetof(train_params, language.vocabulary),
     .def = 10000,
     .min = 3,
     .max = 1 << 24,
     .choices = all},
    {.name = "width",
     .help = "texts: numbers of each embedding, and units of each recurrent layer",
     .kind = EGC_PARAM_INT,
     .offset = offsetof(train_params, language.width),
     .def = 128,
     .min = 1,
     .max = 8192},
    {.name = "dropout",
     .help = "texts: probability with which an input of a layer is zeroed in training",
     .kind = EGC_PARAM_REAL,
     .offset = offsetof(train_params, language.dropout),
     .def = 0,
     .min = 0,
     .max = 1,
     .flags = EGC_PARAM_OPEN_MAX},
    {.name = "carry",
     .help = "texts: the recurrent state goes on from step to step of a worker, in an epoch",
     .kind = EGC_PARAM_BOOL,
     .offset = offsetof(train_params, language.carry),
     .def = 1},
    {.name = "evaluate_on",
     .help = "texts: the part that is evaluated",
     .kind = EGC_PARAM_CHOICE,
     .offset = offsetof(train_params, language.evaluate_on),
     .def = 1,
     .choices = egc_language_parts},
    EGC_PARAM_END,
};

typedef struct train_state {
    egc_dataset dataset;
    egc_batches batches;
    egc_network *training;
    egc_network *evaluation;
    egc_running running;
    float *image;           /* before it is augmented; NULL: it is not */
    egc_language *language; /* instead of all the above when the data set is a text */
} train_state;

/* ---- opening -------------------------------------------------------------------------------- */

static size_t limit_of(int64_t examples)
{
    return examples == ALL_EXAMPLES ? EGC_EXAMPLES_ALL : (size_t)examples;
}

static egc_status check_count(const char *name, int64_t wanted, size_t got, egc_error *err)
{
    if (wanted == ALL_EXAMPLES || (size_t)wanted == got)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_RANGE,
                    "%s must be at most %zu, which the data set has, got %lld", name, got,
                    (long long)wanted);
}

static egc_status load_dataset(const train_params *p, egc_dataset *out, egc_error *err)
{
    egc_status status =
        egc_dataset_load(egc_datasets()[p->dataset], p->path, limit_of(p->train_examples),
                         limit_of(p->test_examples), out, err);
    if (!status)
        status = check_count("train_examples", p->train_examples, out->training.count, err);
    if (!status)
        status = check_count("test_examples", p->test_examples, out->test.count, err);
    return status;
}

static egc_status make_batches(const train_params *p, const egc_workload_request *request,
                               train_state *state, egc_error *err)
{
    const egc_examples *training = &state->dataset.training;
    egc_status status = egc_batches_init(&state->batches, training->count, request->workers,
                                         (size_t)p->batch, request->seed, err);
    if (status || p->split == SPLIT_IID)
        return status;
    const egc_split split = {
        .labels = training->labels.data,
        .examples = training->count,
        .classes = state->dataset.classes,
        .workers = request->workers,
        .alpha = p->alpha,
        .seed = request->seed,
    };
    return egc_batches_split(&state->batches, &split, err);
}

static egc_status prepare_augmentation(const train_params *p, train_state *state, egc_error *err)
{
    const size_t count = egc_shape_count(&state->dataset.shape);
    if (p->augment)
        state->image = egc_calloc(count, sizeof *state->image);
    return p->augment && !state->image ? egc_fail_memory(err, count) : EGC_OK;
}

static egc_status build_networks(const train_params *p, train_state *state, egc_error *err)
{
    egc_network_config config = {
        .layers = egc_nets()[p->model]->layers,
        .example = state->dataset.shape,
        .classes = state->dataset.classes,
        .batch = (size_t)p->batch,
        .training = true,
    };
    egc_status status = egc_network_new(&config, &state->training, err);
    config.batch = EVALUATION_BATCH;
    config.training = false;
    return status ? status : egc_network_new(&config, &state->evaluation, err);
}

static egc_status start_running(train_state *state, size_t workers, egc_error *err)
{
    egc_status status =
        egc_running_init(&state->running, egc_network_moments(state->training), workers, err);
    if (!status)
        egc_network_get_moments(state->evaluation, state->running.moments);
    return status;
}

static egc_status list_layers(egc_workload *workload, const egc_network *network, egc_error *err)
{
    workload->n_layers = egc_network_parameters(network);
    workload->n_params = network->n_params;
    workload->layers = egc_calloc(workload->n_layers, sizeof *workload->layers);
    if (!workload->layers)
        return egc_fail_memory(err, workload->n_layers * sizeof *workload->layers);
    for (size_t i = 0; i < workload->n_layers; i++)
        workload->layers[i] = egc_network_parameter(network, i)->layer;
    return EGC_OK;
}

static egc_status open_language(const train_params *p, const egc_workload_request *request,
                                egc_language **out, egc_error *err)
{
    const egc_dataset_type *dataset = egc_datasets()[p->dataset];
    egc_data_folder folder;
    egc_status status = egc_data_locate(p->path, dataset->folder, &folder, err);
    if (status)
        return status;
    const egc_language_config config = {
        .dataset = dataset,
        .where = folder.path,
        .net = egc_nets()[p->model],
        .params = &p->language,
        .batch = (size_t)p->batch,
        .training_limit = limit_of(p->train_examples),
        .test_limit = limit_of(p->test_examples),
        .request = request,
    };
    status = egc_language_new(&config, out, err);
    return egc_data_explain(&folder, status, err);
}

/* Networks that read go with texts, and those that see with images. */
static egc_status check_match(const train_params *p, egc_error *err)
{
    const egc_net *net = egc_nets()[p->model];
    const egc_dataset_type *dataset = egc_datasets()[p->dataset];
    bool is_text = dataset->text_files != NULL;
    if (net->reads_text == is_text)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_UNSUPPORTED, "model %s needs %s, but data set %s is %s",
                    net->name, net->reads_text ? "a text" : "images", dataset->name,
                    is_text ? "a text" : "images");
}

static void close_train(egc_workload *workload)
{
    train_state *state = workload->state;
    egc_network_free(state->training);
    egc_network_free(state->evaluation);
    egc_running_fini(&state->running);
    egc_free(state->image);
    egc_language_free(state->language);
    egc_batches_fini(&state->batches);
    egc_dataset_fini(&state->dataset);
}

static egc_status open_images(const train_params *p, const egc_workload_request *request,
                              train_state *state, egc_error *err)
{
    egc_status status = load_dataset(p, &state->dataset, err);
    if (!status)
        status = make_batches(p, request, state, err);
    if (!status)
        status = prepare_augmentation(p, state, err);
    if (!status)
        status = build_networks(p, state, err);
    return status ? status : start_running(state, request->workers, err);
}

static const egc_network *network_of(const train_state *state)
{
    return state->language ? egc_language_network(state->language) : state->training;
}

static egc_status open_train(egc_workload *workload, const void *params_in,
                             const egc_workload_request *request, egc_error *err)
{
    const train_params *p = params_in;
    train_state *state = workload->state;
    egc_status status = check_match(p, err);
    if (!status && egc_datasets()[p->dataset]->text_files)
        status = open_language(p, request, &state->language, err);
    else if (!status)
        status = open_images(p, request, state, err);
    if (!status)
        status = list_layers(workload, network_of(state), err);
    if (status) {
        close_train(workload);
        return status;
    }
    snprintf(workload->model, sizeof workload->model, "%s", egc_nets()[p->model]->name);
    workload->optimizer = (egc_optimizer){
        .lr = p->lr,
        .momentum = p->momentum,
        .weight_decay = p->weight_decay,
        .schedule = p->schedule,
    };
    return EGC_OK;
}

/* ---- running -------------------------------------------------------------------------------- */

static egc_status initialize(egc_workload *workload, float *parameters, egc_error *err)
{
    (void)err;
    const train_state *state = workload->state;
    for (size_t i = 0; i < workload->n_layers; i++) {
        const egc_parameter *parameter = egc_network_parameter(network_of(state), i);
        uint64_t seed = egc_seed_derive(workload->request.seed, SEED_WEIGHTS, i);
        const gsl_rng rng = {egc_rng_splitmix64, &seed};
        float *values = parameters + parameter->first;
        for (size_t j = 0; j < parameter->layer.count; j++)
            values[j] =
                (float)(parameter->start + (parameter->deviation > 0
                                                ? gsl_ran_gaussian(&rng, parameter->deviation)
                                                : 0));
    }
    return EGC_OK;
}

static void load_example(egc_network *network, size_t place, const egc_dataset *dataset,
                         const egc_examples *examples, size_t index)
{
    float *values = network->examples + place * egc_shape_count(&dataset->shape);
    network->labels[place] = egc_dataset_get(dataset, examples, index, values);
}

/* The batch of a worker. Its examples' places and mirrorings depend on nothing but the seed, the
 * step, the worker and the place in the batch. */
static void load_batch(egc_workload *workload, uint64_t step, size_t worker)
{
    train_state *state = workload->state;
    egc_network *network = state->training;
    const egc_dataset *dataset = &state->dataset;
    const uint32_t *indices = egc_batches_get(&state->batches, step, worker);
    const uint64_t seed = egc_seed_derive(
        egc_seed_derive(workload->request.seed, SEED_AUGMENT, step), SEED_AUGMENT, worker);
    for (size_t i = 0; i < network->batch; i++) {
        load_example(network, i, dataset, &dataset->training, indices[i]);
        if (!state->image)
            continue;
        const size_t count = egc_shape_count(&dataset->shape);
        float *values = network->examples + i * count;
        memcpy(state->image, values, count * sizeof *values);
        egc_augment(&dataset->shape, egc_seed_derive(seed, SEED_AUGMENT, i), state->image, values);
    }
}

static egc_status gradient(egc_workload *workload, uint64_t step, size_t worker,
                           const float *parameters, float *grad, double *loss, egc_error *err)
{
    train_state *state = workload->state;
    if (state->language)
        return egc_language_gradient(state->language, step, worker, parameters, grad, loss, err);
    egc_network *network = state->training;
    load_batch(workload, step, worker);
    egc_outcome outcome;
    egc_status status = egc_network_forward(network, parameters, network->batch, &outcome, err);
    if (!status)
        egc_network_get_moments(network, egc_running_find(&state->running, step, worker));
    if (!status)
        status = egc_network_backward(network, grad, err);
    if (!status)
        *loss = outcome.loss / (double)network->batch;
    return status;
}

/* The last batch may be short: the rest of the network's batch is then computed and not looked
 * at. */
static egc_status evaluate(egc_workload *workload, const float *parameters, egc_evaluation *out,
                           egc_error *err)
{
    train_state *state = workload->state;
    if (state->language)
        return egc_language_evaluate(state->language, parameters, out, err);
    egc_network *network = state->evaluation;
    const egc_examples *test = &state->dataset.test;
    egc_outcome total = {0};
    egc_network_set_moments(network, egc_running_get(&state->running));
    for (size_t first = 0; first < test->count; first += network->batch) {
        size_t left = test->count - first;
        size_t count = left < network->batch ? left : network->batch;
        for (size_t i = 0; i < count; i++)
            load_example(network, i, &state->dataset, test, first + i);
        egc_outcome outcome;
        egc_status status = egc_network_forward(network, parameters, count, &outcome, err);
        if (status)
            return status;
        total.loss += outcome.loss;
        total.correct += outcome.correct;
    }
    *out = (egc_evaluation){
        .loss = total.loss / (double)test->count,
        .accuracy = (double)total.correct / (double)test->count,
        .perplexity = NAN,
    };
    return EGC_OK;
}

const egc_workload_type egc_workload_train = {
    .name = "train",
    .summary = "a network in training on a data set",
    .reference = "see the references of its models and data sets",
    .closed_loop = true,
    .params = params,
    .params_size = sizeof(train_params),
    .state_size = sizeof(train_state),
    .open = open_train,
    .initialize = initialize,
    .gradient = gradient,
    .evaluate = evaluate,
    .close = close_train,
};
