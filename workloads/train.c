/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed loop: a network learns a data set of images or a text. Every worker holds the same
 * parameters and draws its own batches. Gradients are those of the mean cross-entropy of a batch,
 * computed by oneDNN. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workloads/train/split.h"
#include "workloads/train/task.h"
#include "workloads/workload.h"

enum { SEED_WEIGHTS = 0x77656967 }; /* "weig": stream of random numbers */

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
    int64_t lr_warmup;
    int64_t train_examples;
    int64_t test_examples;
    int evaluate_on;
    egc_images_params images;
    egc_language_params language;
} train_params;

static const char *const all[] = {"all", NULL};

static const egc_param params[] = {
    EGC_PARAM(train_params, model, CHOICE, "model", "the network", .def = 0,
              .choices = egc_nets_names),
    EGC_PARAM(train_params, dataset, CHOICE, "dataset", "the data set", .def = 0,
              .choices = egc_dataset_names),
    EGC_PARAM(train_params, path, TEXT, "path",
              "folder of the data set; empty: its own in EGC_DATA or /usr/share/datasets",
              .def_text = ""),
    EGC_PARAM(train_params, batch, INT, "batch", "examples per worker and step", .def = 32,
              .min = 1, .max = 65536),
    EGC_PARAM(train_params, lr, REAL, "lr", "highest learning rate of the schedule", .def = 0.05,
              .min = 0, .max = INFINITY, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(train_params, momentum, REAL, "momentum", "momentum of the optimiser", .def = 0.9,
              .min = 0, .max = 1, .flags = EGC_PARAM_OPEN_MAX),
    EGC_PARAM(train_params, weight_decay, REAL, "weight_decay",
              "multiple of the parameters added to the gradient", .def = 0, .min = 0,
              .max = INFINITY),
    EGC_PARAM(train_params, schedule, CHOICE, "schedule",
              "learning rate after the warm-up: constant, or falling to 0 along a half cosine",
              .def = EGC_LR_SCHEDULE_CONSTANT, .choices = egc_optimizer_schedules),
    EGC_PARAM(train_params, lr_warmup, INT, "lr_warmup",
              "steps over which the learning rate first rises to lr in equal parts", .def = 0,
              .min = 0, .max = 1e9),
    EGC_PARAM(train_params, train_examples, INT, "train_examples",
              "number of examples of the training set, from its start", .def = ALL_EXAMPLES,
              .min = 1, .max = INT32_MAX, .choices = all),
    EGC_PARAM(train_params, test_examples, INT, "test_examples",
              "number of examples of the evaluation set, from its start", .def = ALL_EXAMPLES,
              .min = 1, .max = INT32_MAX, .choices = all),
    EGC_PARAM(
        train_params, evaluate_on, CHOICE, "evaluate_on",
        "set for evaluation; validation: the file of a text, for images the last tenth of the "
        "training set, which is held out",
        .def = EGC_EVALUATE_ON_TEST, .choices = egc_dataset_evaluate_on),
    EGC_PARAM(train_params, images.augment, BOOL, "augment",
              "images: crop training images at random places and mirror half of them", .def = 0),
    EGC_PARAM(
        train_params, images.split, CHOICE, "split",
        "images: iid: all workers draw from all examples; dirichlet: each has its own examples and "
        "shares of the classes",
        .def = EGC_SPLIT_IID, .choices = egc_split_names),
    EGC_PARAM(train_params, images.alpha, REAL, "alpha",
              "images: parameter of dirichlet; a small one gives each worker few classes",
              .def = 0.5, .min = 0, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MIN | EGC_PARAM_OPEN_MAX),
    EGC_PARAM(train_params, language.sequence, INT, "sequence",
              "texts: words of each stream in a step, the length of backpropagation", .def = 35,
              .min = 1, .max = 4096),
    EGC_PARAM(train_params, language.vocabulary, INT, "vocabulary",
              "texts: number of words, the most frequent ones of the training text", .def = 10000,
              .min = 3, .max = 1 << 24, .choices = all),
    EGC_PARAM(train_params, language.width, INT, "width",
              "texts: width of embeddings and recurrent layers", .def = 128, .min = 1, .max = 8192),
    EGC_PARAM(train_params, language.dropout, REAL, "dropout",
              "texts: probability of zeroing an input of a layer in training", .def = 0, .min = 0,
              .max = 1, .flags = EGC_PARAM_OPEN_MAX),
    EGC_PARAM(train_params, language.carry, BOOL, "carry",
              "texts: carry the recurrent state of a worker from step to step of an epoch",
              .def = 1),
    EGC_PARAM_END,
};

typedef struct train_state {
    egc_task *task;
} train_state;

/* ---- opening --------------------------------------------------------------------------------- */

static size_t limit_of(int64_t examples)
{
    return examples == ALL_EXAMPLES ? EGC_EXAMPLES_ALL : (size_t)examples;
}

/* Refuses parameters that would have no effect with this data set. */
static egc_status check_parameters(const train_params *p, bool is_text, egc_error *err)
{
    size_t first = is_text ? offsetof(train_params, images) : offsetof(train_params, language);
    size_t size = is_text ? sizeof p->images : sizeof p->language;
    for (const egc_param *param = params; param->name; param++)
        if (param->offset >= first && param->offset < first + size && egc_param_changed(param, p))
            return egc_fail(err, EGC_ERROR_UNSUPPORTED, "%s is for %s, but data set %s is %s",
                            param->name, is_text ? "images" : "texts",
                            egc_dataset_names[p->dataset], is_text ? "a text" : "images");
    return EGC_OK;
}

/* Refuses a network of words for images, and the reverse. */
static egc_status check_match(const train_params *p, egc_error *err)
{
    const egc_net *net = egc_nets()[p->model];
    const egc_dataset_type *dataset = egc_dataset_types()[p->dataset];
    bool is_text = dataset->text_files != NULL;
    if (net->reads_text == is_text)
        return check_parameters(p, is_text, err);
    return egc_fail(err, EGC_ERROR_UNSUPPORTED, "model %s needs %s, but data set %s is %s",
                    net->name, net->reads_text ? "a text" : "images", dataset->name,
                    is_text ? "a text" : "images");
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

static void close_train(egc_workload *workload)
{
    train_state *state = workload->state;
    egc_task_free(state->task);
}

static egc_status open_task(const train_params *p, const egc_workload_request *request,
                            egc_task **out, egc_error *err)
{
    const egc_dataset_type *dataset = egc_dataset_types()[p->dataset];
    const egc_task_config config = {
        .dataset = dataset,
        .path = p->path,
        .net = egc_nets()[p->model],
        .images = &p->images,
        .language = &p->language,
        .batch = (size_t)p->batch,
        .training_limit = limit_of(p->train_examples),
        .test_limit = limit_of(p->test_examples),
        .evaluate_on = (egc_evaluate_on)p->evaluate_on,
        .request = request,
    };
    return egc_task_new(dataset->text_files ? &egc_task_language : &egc_task_images, &config, out,
                        err);
}

static egc_status open_train(egc_workload *workload, const void *params_in,
                             const egc_workload_request *request, egc_error *err)
{
    const train_params *p = params_in;
    train_state *state = workload->state;
    egc_status status = check_match(p, err);
    if (!status)
        status = open_task(p, request, &state->task, err);
    if (!status)
        status = list_layers(workload, state->task->training, err);
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
        .lr_warmup = (uint64_t)p->lr_warmup,
    };
    return EGC_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

static egc_status initialize(egc_workload *workload, float *parameters, egc_error *err)
{
    (void)err;
    const train_state *state = workload->state;
    for (size_t i = 0; i < workload->n_layers; i++) {
        const egc_parameter *parameter = egc_network_parameter(state->task->training, i);
        uint64_t seed = egc_rng_derive_seed(workload->request.seed, SEED_WEIGHTS, i);
        const gsl_rng rng = {egc_rng_splitmix64, &seed};
        float *values = parameters + parameter->first;
        for (size_t j = 0; j < parameter->layer.count; j++) {
            bool is_random = parameter->deviation > 0;
            double noise = is_random ? gsl_ran_gaussian(&rng, parameter->deviation) : 0;
            values[j] = (float)(parameter->start + noise);
        }
    }
    return EGC_OK;
}

static egc_status gradient(egc_workload *workload, uint64_t step, size_t worker,
                           const float *parameters, float *grad, double *loss, egc_error *err)
{
    egc_task *task = ((train_state *)workload->state)->task;
    return task->type->gradient(task, step, worker, parameters, grad, loss, err);
}

static egc_status evaluate(egc_workload *workload, const float *parameters, egc_evaluation *out,
                           egc_error *err)
{
    egc_task *task = ((train_state *)workload->state)->task;
    return task->type->evaluate(task, parameters, out, err);
}

static egc_workload_share share(const egc_workload *workload, size_t worker)
{
    const egc_task *task = ((const train_state *)workload->state)->task;
    return task->type->share(task, worker);
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
    .share = share,
    .close = close_train,
};
