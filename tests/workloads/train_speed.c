/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast a network trains, for train_speed.py to compare:
 *
 *     train_speed NETWORK CHANNELS SIZE BATCH REPEATS
 *
 * prints the images it takes forward and back in a second of one core, the best of the repeats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "workloads/train/nets.h"
#include "workloads/train/network.h"

enum { CLASSES = 10 };

static egc_error err;

static void check(egc_status status)
{
    if (status) {
        fprintf(stderr, "train_speed: %s\n", err.message);
        exit(1);
    }
}

static const egc_layer_spec *find(const char *name)
{
    for (const egc_net *const *net = egc_nets(); *net; net++)
        if (strcmp((*net)->name, name) == 0)
            return (*net)->layers;
    fprintf(stderr, "train_speed: there is no network %s\n", name);
    exit(1);
}

/* Of this process: others on the core do not count. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Numbers from -0.5 to 0.5. */
static void fill(float *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (float)(i * 7919 % 1009) / 1009 - 0.5f;
}

static double time_step(egc_network *network, const float *parameters, float *gradient)
{
    egc_network_outcome outcome;
    const double start = cpu_seconds();
    check(egc_network_forward(network, parameters, network->batch, &outcome, &err));
    check(egc_network_backward(network, gradient, &err));
    return cpu_seconds() - start;
}

static double time_best(egc_network *network, long repeats)
{
    float *parameters = egc_calloc(network->n_params, sizeof *parameters);
    float *gradient = egc_calloc(network->n_params, sizeof *gradient);
    if (!parameters || !gradient)
        exit(1);
    fill(parameters, network->n_params);
    double best = time_step(network, parameters, gradient);
    for (long i = 1; i < repeats; i++) {
        const double seconds = time_step(network, parameters, gradient);
        best = seconds < best ? seconds : best;
    }
    egc_free(parameters);
    egc_free(gradient);
    return best;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    const size_t size = strtoul(argv[3], NULL, 10);
    const egc_network_config config = {
        .layers = find(argv[1]),
        .example = {3, {strtoul(argv[2], NULL, 10), size, size}},
        .classes = CLASSES,
        .batch = strtoul(argv[4], NULL, 10),
        .training = true,
    };
    egc_network *network;
    check(egc_network_new(&config, &network, &err));
    fill(network->examples, config.batch * egc_shape_count(&config.example));
    for (size_t i = 0; i < config.batch; i++)
        network->labels[i] = (int)(i % CLASSES);
    printf("%.1f\n", (double)config.batch / time_best(network, strtol(argv[5], NULL, 10)));
    egc_network_free(network);
    return 0;
}
