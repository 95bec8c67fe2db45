/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a network computes, for train_torch.py to compare:
 *
 *     train_dump NETWORK CHANNELS SIZE CLASSES BATCH FILE
 *
 * prints the numbers of parameters and moments, and writes floats to FILE: the parameters, the
 * examples, the labels, the loss, the gradient, the moments of the batch, and the log-probabilities
 * of the same examples in evaluation with those moments. All is random from a fixed seed. */
#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workloads/train/nets.h"
#include "workloads/train/network.h"

static egc_error err;

static void check(egc_status status)
{
    if (status) {
        fprintf(stderr, "train_dump: %s\n", err.message);
        exit(1);
    }
}

static const egc_net *find(const char *name)
{
    for (const egc_net *const *net = egc_nets(); *net; net++)
        if (strcmp((*net)->name, name) == 0)
            return *net;
    fprintf(stderr, "train_dump: there is no network %s\n", name);
    exit(1);
}

static float *floats(size_t n)
{
    float *out = egc_calloc(n + 1, sizeof *out);
    if (!out)
        exit(1);
    return out;
}

static void write_floats(FILE *file, const float *values, size_t n)
{
    if (fwrite(values, sizeof *values, n, file) != n)
        exit(1);
}

/* Every parameter random, those that start at one value too. */
static void draw_parameters(const egc_network *network, const gsl_rng *rng, float *out)
{
    for (size_t i = 0; i < egc_network_parameters(network); i++) {
        const egc_parameter *parameter = egc_network_parameter(network, i);
        double deviation = parameter->deviation > 0 ? parameter->deviation : 0.1;
        for (size_t j = 0; j < parameter->layer.count; j++)
            *out++ = (float)(parameter->start + gsl_ran_gaussian(rng, deviation));
    }
}

static void write_training(egc_network *network, size_t n_values, const float *parameters,
                           float *moments, FILE *file)
{
    egc_network_outcome outcome;
    float *labels = floats(network->batch), *gradient = floats(network->n_params);
    check(egc_network_forward(network, parameters, network->batch, &outcome, &err));
    check(egc_network_backward(network, gradient, &err));
    egc_network_get_moments(network, moments);
    for (size_t i = 0; i < network->batch; i++)
        labels[i] = (float)network->labels[i];
    const float loss = (float)(outcome.loss / (double)network->batch);
    write_floats(file, parameters, network->n_params);
    write_floats(file, network->examples, n_values);
    write_floats(file, labels, network->batch);
    write_floats(file, &loss, 1);
    write_floats(file, gradient, network->n_params);
    write_floats(file, moments, egc_network_moments(network));
    egc_free(labels);
    egc_free(gradient);
}

static void write_evaluation(egc_network *network, const float *parameters, const float *moments,
                             FILE *file)
{
    egc_network_outcome outcome;
    egc_network_set_moments(network, moments);
    check(egc_network_forward(network, parameters, network->batch, &outcome, &err));
    write_floats(file, network->nodes[network->n_nodes - 1].output->data,
                 network->batch * network->classes);
}

int main(int argc, char **argv)
{
    if (argc != 7)
        return 2;
    const size_t channels = strtoul(argv[2], NULL, 10), size = strtoul(argv[3], NULL, 10);
    egc_network_config config = {
        .layers = find(argv[1])->layers,
        .example = {3, {channels, size, size}},
        .classes = strtoul(argv[4], NULL, 10),
        .batch = strtoul(argv[5], NULL, 10),
        .training = true,
    };
    egc_network *training, *evaluation;
    check(egc_network_new(&config, &training, &err));
    config.training = false;
    check(egc_network_new(&config, &evaluation, &err));

    uint64_t state = 11;
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    const size_t n_values = config.batch * channels * size * size;
    float *parameters = floats(training->n_params);
    float *moments = floats(egc_network_moments(training));
    draw_parameters(training, &rng, parameters);
    for (size_t i = 0; i < n_values; i++)
        training->examples[i] = evaluation->examples[i] = (float)gsl_ran_gaussian(&rng, 1);
    for (size_t i = 0; i < config.batch; i++)
        training->labels[i] = evaluation->labels[i] =
            (int)gsl_rng_uniform_int(&rng, config.classes);

    FILE *file = fopen(argv[6], "wb");
    if (!file)
        return 1;
    write_training(training, n_values, parameters, moments, file);
    write_evaluation(evaluation, parameters, moments, file);
    printf("%zu %zu\n", training->n_params, egc_network_moments(training));
    egc_free(parameters);
    egc_free(moments);
    egc_network_free(training);
    egc_network_free(evaluation);
    return fclose(file) ? 1 : 0;
}
