/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The task of images: a network learns their classes. Evaluation normalises by the running moments
 * of all workers' batches (running.h). */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workloads/train/augment.h"
#include "workloads/train/batches.h"
#include "workloads/train/running.h"
#include "workloads/train/task.h"

enum { SEED_AUGMENT = 0x6175676d }; /* "augm": stream of random numbers */

enum { EVALUATION_BATCH = 100 }; /* large enough to be fast, small enough to stay in the cache */

typedef struct images {
    egc_task task;
    egc_dataset dataset;
    egc_batches batches;
    egc_running running;
    uint64_t seed;
    float *original; /* an image before augmentation; NULL without augmentation */
} images;

/* ---- opening --------------------------------------------------------------------------------- */

static egc_status load_dataset(const egc_task_config *config, egc_dataset *out, egc_error *err)
{
    egc_status status = egc_dataset_load(config->dataset, config->path, config->training_limit,
                                         config->test_limit, out, err);
    size_t count;
    if (!status)
        status = egc_task_count("train_examples", config->training_limit, out->training.count,
                                &count, err);
    if (!status && config->evaluate_on == EGC_EVALUATE_ON_VALIDATION)
        status = egc_dataset_hold_out(out, config->test_limit, err);
    if (!status)
        status = egc_task_count("test_examples", config->test_limit, out->test.count, &count, err);
    return status;
}

static egc_status make_batches(images *task, const egc_task_config *config, egc_error *err)
{
    const egc_examples *training = &task->dataset.training;
    const egc_workload_request *request = config->request;
    egc_status status = egc_batches_init(&task->batches, training->count, request->workers,
                                         config->batch, request->seed, err);
    if (status || config->images->split == EGC_SPLIT_IID)
        return status;
    const egc_split split = {
        .labels = training->labels.data,
        .examples = training->count,
        .classes = task->dataset.classes,
        .workers = request->workers,
        .alpha = config->images->alpha,
        .seed = request->seed,
    };
    return egc_batches_split(&task->batches, &split, err);
}

static egc_status prepare_augmentation(images *task, egc_error *err)
{
    const size_t count = egc_shape_count(&task->dataset.shape);
    task->original = egc_calloc(count, sizeof *task->original);
    return task->original ? EGC_OK : egc_fail_memory(err, count * sizeof *task->original);
}

static egc_status start_running(images *task, size_t workers, egc_error *err)
{
    egc_status status =
        egc_running_init(&task->running, egc_network_moments(task->task.training), workers, err);
    if (!status)
        egc_network_get_moments(task->task.evaluation, task->running.moments);
    return status;
}

static egc_status init(egc_task *base, const egc_task_config *config, egc_error *err)
{
    images *task = (images *)base;
    task->seed = config->request->seed;
    egc_status status = load_dataset(config, &task->dataset, err);
    if (!status)
        status = make_batches(task, config, err);
    if (!status && config->images->augment)
        status = prepare_augmentation(task, err);
    const egc_network_config network = {
        .layers = config->net->layers,
        .example = task->dataset.shape,
        .classes = task->dataset.classes,
        .batch = config->batch,
    };
    if (!status)
        status = egc_task_build(base, network, EVALUATION_BATCH, err);
    return status ? status : start_running(task, config->request->workers, err);
}

static void fini(egc_task *base)
{
    images *task = (images *)base;
    egc_running_fini(&task->running);
    egc_batches_fini(&task->batches);
    egc_dataset_fini(&task->dataset);
    egc_free(task->original);
}

/* ---- running --------------------------------------------------------------------------------- */

static void load_example(egc_network *network, size_t place, const egc_dataset *dataset,
                         const egc_examples *examples, size_t index)
{
    float *values = network->examples + place * egc_shape_count(&dataset->shape);
    network->labels[place] = egc_dataset_get(dataset, examples, index, values);
}

static void augment(const images *task, size_t place, uint64_t seed)
{
    const egc_shape *shape = &task->dataset.shape;
    const size_t count = egc_shape_count(shape);
    float *values = task->task.training->examples + place * count;
    memcpy(task->original, values, count * sizeof *values);
    egc_augment(shape, seed, task->original, values);
}

/* The augmentation of an image depends only on the seed, the step, the worker and the image's place
 * in the batch. */
static egc_status gradient(egc_task *base, uint64_t step, size_t worker, const float *parameters,
                           float *grad, double *loss, egc_error *err)
{
    images *task = (images *)base;
    egc_network *network = base->training;
    const uint32_t *indices = egc_batches_get(&task->batches, step, worker);
    const uint64_t of_step = egc_rng_derive_seed(task->seed, SEED_AUGMENT, step);
    for (size_t i = 0; i < network->batch; i++) {
        load_example(network, i, &task->dataset, &task->dataset.training, indices[i]);
        if (task->original)
            augment(task, i, egc_rng_derive_seed(of_step, worker, i));
    }
    egc_status status = egc_task_gradient(base, parameters, grad, loss, err);
    if (!status)
        egc_network_get_moments(network, egc_running_find(&task->running, step, worker));
    return status;
}

/* The last batch may be short: the rest of the network's batch is then computed but not used. */
static egc_status evaluate(egc_task *base, const float *parameters, egc_evaluation *out,
                           egc_error *err)
{
    images *task = (images *)base;
    egc_network *network = base->evaluation;
    const egc_examples *test = &task->dataset.test;
    egc_network_outcome total = {0};
    egc_network_set_moments(network, egc_running_get(&task->running));
    for (size_t first = 0; first < test->count; first += network->batch) {
        size_t left = test->count - first;
        size_t count = left < network->batch ? left : network->batch;
        for (size_t i = 0; i < count; i++)
            load_example(network, i, &task->dataset, test, first + i);
        egc_network_outcome outcome;
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

static egc_workload_share share(const egc_task *base, size_t worker)
{
    const egc_batches *batches = &((const images *)base)->batches;
    return (egc_workload_share){.examples = (double)egc_batches_examples(batches, worker),
                                .steps = egc_batches_steps(batches)};
}

const egc_task_type egc_task_images = {
    .size = sizeof(images),
    .init = init,
    .fini = fini,
    .gradient = gradient,
    .evaluate = evaluate,
    .share = share,
};
