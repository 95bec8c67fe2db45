/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a network of words computes, for language_torch.py to compare:
 *
 *     language_dump NETWORK WORDS WIDTH STREAMS STEPS FILE
 *
 * prints the numbers of parameters and of the state, and writes floats to FILE: the parameters, the
 * words, the labels, the state in front of the first step, the loss, the gradient, and the state
 * behind the last step. All is random from a fixed seed. */
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
        fprintf(stderr, "language_dump: %s\n", err.message);
        exit(1);
    }
}

static const egc_net *find(const char *name)
{
    for (const egc_net *const *net = egc_nets(); *net; net++)
        if (strcmp((*net)->name, name) == 0)
            return *net;
    fprintf(stderr, "language_dump: there is no network %s\n", name);
    exit(1);
}

static float *draw(const gsl_rng *rng, size_t n, double deviation)
{
    float *out = egc_calloc(n + 1, sizeof *out);
    if (!out)
        exit(1);
    for (size_t i = 0; i < n; i++)
        out[i] = (float)gsl_ran_gaussian(rng, deviation);
    return out;
}

static void write_floats(FILE *file, const float *values, size_t n)
{
    if (fwrite(values, sizeof *values, n, file) != n)
        exit(1);
}

static void write_run(egc_network *network, const gsl_rng *rng, FILE *file)
{
    size_t n = network->n_params, n_state = egc_network_state_size(network);
    float *parameters = draw(rng, n, 0.2), *state = draw(rng, n_state, 0.5);
    float *gradient = draw(rng, n, 1), *labels = draw(rng, network->batch, 1);
    for (size_t i = 0; i < network->batch; i++) {
        network->examples[i] = (float)gsl_rng_uniform_int(rng, network->classes);
        network->labels[i] = (int)gsl_rng_uniform_int(rng, network->classes);
        labels[i] = (float)network->labels[i];
    }
    write_floats(file, parameters, n);
    write_floats(file, network->examples, network->batch);
    write_floats(file, labels, network->batch);
    write_floats(file, state, n_state);

    egc_network_outcome outcome;
    egc_network_set_state(network, state);
    check(egc_network_forward(network, parameters, network->batch, &outcome, &err));
    check(egc_network_backward(network, gradient, &err));
    egc_network_get_state(network, state);
    const float loss = (float)(outcome.loss / (double)network->batch);
    write_floats(file, &loss, 1);
    write_floats(file, gradient, n);
    write_floats(file, state, n_state);
    egc_free(parameters);
    egc_free(state);
    egc_free(gradient);
    egc_free(labels);
}

int main(int argc, char **argv)
{
    if (argc != 7)
        return 2;
    size_t numbers[4];
    for (int i = 0; i < 4; i++)
        numbers[i] = strtoul(argv[2 + i], NULL, 10);
    const egc_network_config config = {
        .layers = find(argv[1])->layers,
        .example = {1, {1}},
        .classes = numbers[0],
        .width = numbers[1],
        .batch = numbers[2] * numbers[3],
        .sequence = numbers[3],
        .training = true,
    };
    egc_network *network;
    check(egc_network_new(&config, &network, &err));
    FILE *file = fopen(argv[6], "wb");
    if (!file)
        return 1;
    uint64_t seed = 17;
    const gsl_rng rng = {egc_rng_splitmix64, &seed};
    write_run(network, &rng, file);
    printf("%zu %zu\n", network->n_params, egc_network_state_size(network));
    egc_network_free(network);
    return fclose(file) ? 1 : 0;
}
