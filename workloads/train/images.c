/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/images.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workloads/train/augment.h"
#include "workloads/train/batches.h"
#include "workloads/train/running.h"

enum { SEED_AUGMENT = 0x6175676d }; /* "augm": the stream of random numbers used here */

enum { EVALUATION_BATCH = 100 }; /* large enough to be fast, small enough to stay in the cache */

const char *const egc_images_splits[] = {"iid", "dirichlet", NULL};

struct egc_images {
    egc_dataset dataset;
    egc_batches batches;
    egc_network *training;
    egc_network *evaluation;
    egc_running running;
    uint64_t seed;
    float *image; /* before it is augmented; NULL: it is not */
};

/* ---- opening -------------------------------------------------------------------------------- */

static egc_status check_count(const char *name, size_t wanted, size_t got, egc_error *err)
{
    if (wanted == EGC_EXAMPLES_ALL || wanted == got)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_RANGE, "%s must be at most %zu, which the data set has, got %zu",
                    name, got, wanted);
}

static egc_status load_dataset(const egc_images_config *config, egc_dataset *out, egc_error *err)
{
    egc_status status = egc_dataset_load(config->dataset, config->path, config->training_limit,
                                         config->test_limit, out, err);
    if (!status)
        status = check_count("train_examples", config->training_limit, out->training.count, err);
    if (!status && config->evaluate_on == EGC_EVALUATE_ON_VALIDATION)
        status = egc_dataset_hold_out(out, config->test_limit, err);
    if (!status)
        status = check_count("test_examples", config->test_limit, out->test.count, err);
    return status;
}

static egc_status make_batches(egc_images *images, const egc_images_config *config, egc_error *err)
{
    const egc_examples *training = &images->dataset.training;
    const egc_workload_request *request = config->request;
    egc_status status = egc_batches_init(&images->batches, training->count, request->workers,
                                         config->batch, request->seed, err);
    if (status || config->params->split == EGC_SPLIT_IID)
        return status;
    const egc_split split = {
        .labels = training->labels.data,
        .examples = training->count,
        .classes = images->dataset.classes,
        .workers = request->workers,
        .alpha = config->params->alpha,
        .seed = request->seed,
    };
    return egc_batches_split(&images->batches, &split, err);
}

static egc_status prepare_augmentation(egc_images *images, egc_error *err)
{
    const size_t count = egc_shape_count(&images->dataset.shape);
    images->image = egc_calloc(count, sizeof *images->image);
    return images->image ? EGC_OK : egc_fail_memory(err, count * sizeof *images->image);
}

static egc_status build_networks(egc_images *images, const egc_images_config *config,
                                 egc_error *err)
{
    egc_network_config network = {
        .layers = config->net->layers,
        .example = images->dataset.shape,
        .classes = images->dataset.classes,
        .batch = config->batch,
        .training = true,
    };
    egc_status status = egc_network_new(&network, &images->training, err);
    network.batch = EVALUATION_BATCH;
    network.training = false;
    return status ? status : egc_network_new(&network, &images->evaluation, err);
}

static egc_status start_running(egc_images *images, size_t workers, egc_error *err)
{
    egc_status status =
        egc_running_init(&images->running, egc_network_moments(images->training), workers, err);
    if (!status)
        egc_network_get_moments(images->evaluation, images->running.moments);
    return status;
}

egc_status egc_images_new(const egc_images_config *config, egc_images **out, egc_error *err)
{
    egc_images *images = egc_calloc(1, sizeof *images);
    if (!images)
        return egc_fail_memory(err, sizeof *images);
    images->seed = config->request->seed;
    egc_status status = load_dataset(config, &images->dataset, err);
    if (!status)
        status = make_batches(images, config, err);
    if (!status && config->params->augment)
        status = prepare_augmentation(images, err);
    if (!status)
        status = build_networks(images, config, err);
    if (!status)
        status = start_running(images, config->request->workers, err);
    if (status) {
        egc_images_free(images);
        return status;
    }
    *out = images;
    return EGC_OK;
}

void egc_images_free(egc_images *images)
{
    if (!images)
        return;
    egc_network_free(images->training);
    egc_network_free(images->evaluation);
    egc_running_fini(&images->running);
    egc_batches_fini(&images->batches);
    egc_dataset_fini(&images->dataset);
    egc_free(images->image);
    egc_free(images);
}

const egc_network *egc_images_network(const egc_images *images)
{
    return images->training;
}

/* ---- running -------------------------------------------------------------------------------- */

static void load_example(egc_network *network, size_t place, const egc_dataset *dataset,
                         const egc_examples *examples, size_t index)
{
    float *values = network->examples + place * egc_shape_count(&dataset->shape);
    network->labels[place] = egc_dataset_get(dataset, examples, index, values);
}

static void augment(egc_images *images, size_t place, uint64_t seed)
{
    const egc_shape *shape = &images->dataset.shape;
    const size_t count = egc_shape_count(shape);
    float *values = images->training->examples + place * count;
    memcpy(images->image, values, count * sizeof *values);
    egc_augment(shape, seed, images->image, values);
}

/* What is done to an image depends on nothing but the seed, the step, the worker and the image's
 * place in the batch. */
static void load_batch(egc_images *images, uint64_t step, size_t worker)
{
    egc_network *network = images->training;
    const egc_dataset *dataset = &images->dataset;
    const uint32_t *indices = egc_batches_get(&images->batches, step, worker);
    const uint64_t of_step = egc_rng_derive_seed(images->seed, SEED_AUGMENT, step);
    for (size_t i = 0; i < network->batch; i++) {
        load_example(network, i, dataset, &dataset->training, indices[i]);
        if (images->image)
            augment(images, i, egc_rng_derive_seed(of_step, worker, i));
    }
}

egc_status egc_images_gradient(egc_images *images, uint64_t step, size_t worker,
                               const float *parameters, float *gradient, double *loss,
                               egc_error *err)
{
    egc_network *network = images->training;
    load_batch(images, step, worker);
    egc_point_outcome outcome;
    egc_status status = egc_network_forward(network, parameters, network->batch, &outcome, err);
    if (!status)
        egc_network_get_moments(network, egc_running_find(&images->running, step, worker));
    if (!status)
        status = egc_network_backward(network, gradient, err);
    if (!status)
        *loss = outcome.loss / (double)network->batch;
    return status;
}

/* The last batch may be short: the rest of the network's batch is then computed and not looked
 * at. */
egc_status egc_images_evaluate(egc_images *images, const float *parameters, egc_evaluation *out,
                               egc_error *err)
{
    egc_network *network = images->evaluation;
    const egc_examples *test = &images->dataset.test;
    egc_point_outcome total = {0};
    egc_network_set_moments(network, egc_running_get(&images->running));
    for (size_t first = 0; first < test->count; first += network->batch) {
        size_t left = test->count - first;
        size_t count = left < network->batch ? left : network->batch;
        for (size_t i = 0; i < count; i++)
            load_example(network, i, &images->dataset, test, first + i);
        egc_point_outcome outcome;
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

egc_workload_share egc_images_share(const egc_images *images, size_t worker)
{
    return (egc_workload_share){.examples = (double)egc_batches_examples(&images->batches, worker),
                                .steps = egc_batches_steps(&images->batches)};
}
