/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kind of layer, and the networks made of them, against finite differences and against
 * values worked out by hand. */
#include <gsl/gsl_randist.h>

#include "base/mem.h"
#include "base/rng.h"
#include "support/test.h"
#include "workloads/train/nets/net.h"
#include "workloads/train/network.h"

enum { BATCH = 4, CLASSES = 5, SAMPLES = 24 };

static egc_error err;

static egc_network *make(const egc_layer_spec *layers, egc_shape example, size_t batch)
{
    egc_network *network = NULL;
    const egc_network_config config = {
        .layers = layers, .example = example, .classes = CLASSES, .batch = batch, .training = true};
    assert_ok(egc_network_new(&config, &network, &err), err);
    return network;
}

static double loss_at(egc_network *network, const float *parameters)
{
    egc_outcome outcome;
    assert_ok(egc_network_forward(network, parameters, network->batch, &outcome, &err), err);
    return outcome.loss / (double)network->batch;
}

/* ---- finite differences ---------------------------------------------------------------------- */

/* The slope of the loss between the parameters and the same with the i-th moved by h. */
static double slope(egc_network *network, float *parameters, size_t i, float h, double loss)
{
    float centre = parameters[i];
    float moved = centre + h;
    parameters[i] = moved;
    double loss_moved = loss_at(network, parameters);
    parameters[i] = centre;
    return (loss_moved - loss) / ((double)moved - (double)centre);
}

static double largest(const float *x, size_t n)
{
    double max = 0;
    for (size_t i = 0; i < n; i++)
        max = fmax(max, fabs((double)x[i]));
    return max;
}

/* Where the slopes to both sides disagree, a relu or a pool has a kink close by and the coordinate
 * says nothing; where they agree, the gradient must be their mean. Float rounding of the loss
 * allows 1e-4. At least three in four coordinates must be smooth. */
static void check_parameter(egc_network *network, const egc_parameter *parameter, float *parameters,
                            const float *gradient, double share, gsl_rng *rng)
{
    const egc_layer *layer = &parameter->layer;
    double scale = largest(gradient + parameter->first, layer->count);
    double tolerance = share * scale + 1e-4;
    assert_true(scale > 1e-2);
    double loss = loss_at(network, parameters);
    size_t smooth = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        size_t i = parameter->first + gsl_rng_uniform_int(rng, layer->count);
        double above = slope(network, parameters, i, 0.004f, loss);
        double below = slope(network, parameters, i, -0.004f, loss);
        if (fabs(above - below) > tolerance)
            continue;
        smooth++;
        double mean = (above + below) / 2;
        if (!(fabs(mean - (double)gradient[i]) <= tolerance))
            fail_msg("%s[%zu]: gradient %g, finite difference %g, tolerance %g", layer->name,
                     i - parameter->first, (double)gradient[i], mean, tolerance);
    }
    if (smooth < SAMPLES * 3 / 4)
        fail_msg("%s: only %zu of %d coordinates are smooth", layer->name, smooth, SAMPLES);
}

static void check_gradients_within(double share, const egc_layer_spec *layers, egc_shape example)
{
    egc_network *network = make(layers, example, BATCH);
    float *parameters = egc_calloc(network->n_params, sizeof *parameters);
    float *gradient = egc_calloc(network->n_params, sizeof *gradient);
    assert_true(parameters && gradient);
    uint64_t state = 7;
    gsl_rng rng = {egc_rng_splitmix64, &state};
    for (size_t i = 0; i < BATCH * egc_shape_count(&example); i++)
        network->examples[i] = (float)gsl_ran_gaussian(&rng, 1);
    for (int i = 0; i < BATCH; i++)
        network->labels[i] = (int)gsl_rng_uniform_int(&rng, CLASSES);
    for (size_t i = 0; i < egc_network_parameters(network); i++) {
        const egc_parameter *parameter = egc_network_parameter(network, i);
        double deviation = parameter->deviation > 0 ? parameter->deviation : 0.1;
        for (size_t j = 0; j < parameter->layer.count; j++)
            parameters[parameter->first + j] = (float)gsl_ran_gaussian(&rng, deviation);
    }
    loss_at(network, parameters);
    assert_ok(egc_network_backward(network, gradient, &err), err);
    for (size_t i = 0; i < egc_network_parameters(network); i++)
        check_parameter(network, egc_network_parameter(network, i), parameters, gradient, share,
                        &rng);
    egc_free(parameters);
    egc_free(gradient);
    egc_network_free(network);
}

/* 1 % of the largest gradient of each parameter. */
static void check_gradients(const egc_layer_spec *layers, egc_shape example)
{
    check_gradients_within(0.01, layers, example);
}

#define CONV(name_, width_, ...)                                                                   \
    {                                                                                              \
        .kind = &egc_layer_conv, .name = name_, .width = width_, __VA_ARGS__                       \
    }
#define LINEAR(name_, width_)                                                                      \
    {                                                                                              \
        .kind = &egc_layer_linear, .name = name_, .width = width_                                  \
    }
#define POOL(kernel_)                                                                              \
    {                                                                                              \
        .kind = &egc_layer_max_pool, .kernel = kernel_                                             \
    }
#define RELU                                                                                       \
    {                                                                                              \
        .kind = &egc_layer_relu                                                                    \
    }

static const egc_shape FEATURES = {1, {11}};
static const egc_shape IMAGE = {3, {3, 9, 7}};

static void test_linear(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){LINEAR("a", 0), {0}}, FEATURES);
    check_gradients((egc_layer_spec[]){LINEAR("a", 6), LINEAR("b", 0), {0}}, FEATURES);
    check_gradients((egc_layer_spec[]){LINEAR("a", 6), LINEAR("b", 0), {0}}, IMAGE);
}

static void test_relu(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){LINEAR("a", 9), RELU, LINEAR("b", 0), {0}}, FEATURES);
    check_gradients((egc_layer_spec[]){CONV("a", 4, .kernel = 3), RELU, LINEAR("b", 0), {0}},
                    IMAGE);
}

static void test_conv(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){CONV("a", 4, .kernel = 3), LINEAR("b", 0), {0}}, IMAGE);
    check_gradients(
        (egc_layer_spec[]){
            CONV("a", 8, .kernel = 3), CONV("b", 5, .kernel = 2), LINEAR("c", 0), {0}},
        IMAGE);
}

static void test_conv_stride_and_padding(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){CONV("a", 8, .kernel = 3, .padding = 1),
                                       CONV("b", 8, .kernel = 3, .stride = 2, .padding = 1),
                                       CONV("c", 3, .kernel = 2, .stride = 2),
                                       LINEAR("d", 0),
                                       {0}},
                    IMAGE);
}

static void test_max_pool(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){CONV("a", 4, .kernel = 2), POOL(2), LINEAR("b", 0), {0}},
                    IMAGE);
    /* 8 x 6 by windows of 3: two rows are not looked at */
    check_gradients(
        (egc_layer_spec[]){CONV("a", 8, .kernel = 2), POOL(3), RELU, LINEAR("b", 0), {0}}, IMAGE);
}

/* 3 %: one weight of a first layer moves thousands of relus and pools across small kinks. */
static void test_every_network(void **state)
{
    (void)state;
    for (const egc_net *const *net = egc_nets(); *net; net++)
        check_gradients_within(0.03, (*net)->layers, (egc_shape){3, {1, 28, 28}});
}

/* ---- known values ---------------------------------------------------------------------------- */

/* Equal logits: loss ln(classes), and nobody is the most probable class. */
static void test_zero_parameters(void **state)
{
    (void)state;
    egc_network *network = make(egc_nets()[0]->layers, (egc_shape){3, {1, 28, 28}}, 3);
    float *zeros = egc_calloc(network->n_params, sizeof *zeros);
    egc_outcome outcome;
    assert_ok(egc_network_forward(network, zeros, 2, &outcome, &err), err);
    assert_close(outcome.loss, 2 * log(CLASSES), 1e-5);
    assert_int_equal(outcome.correct, 0);
    egc_free(zeros);
    egc_network_free(network);
}

/* A 1 x 1 convolution that doubles and subtracts 20, on 1..16; pools of 2 x 2 leave 2 * {6, 8, 14,
 * 16} - 20 = {-8, -4, 8, 12}; relu {0, 0, 8, 12}. Logits: 0.1 times the last two and the first,
 * then zeros. */
static void test_hand_worked(void **state)
{
    (void)state;
    const egc_layer_spec layers[] = {CONV("a", 1, .kernel = 1), POOL(2), RELU, LINEAR("b", 0), {0}};
    egc_network *network = make(layers, (egc_shape){3, {1, 4, 4}}, 1);
    assert_int_equal(network->n_params, 2 + CLASSES * 4 + CLASSES);
    float parameters[2 + CLASSES * 4 + CLASSES] = {2, -20};
    parameters[2 + 0 * 4 + 2] = 0.1f;
    parameters[2 + 1 * 4 + 3] = 0.1f;
    parameters[2 + 2 * 4 + 0] = 0.1f;
    for (int i = 0; i < 16; i++)
        network->examples[i] = (float)(i + 1);
    network->labels[0] = 1;
    egc_outcome outcome;
    assert_ok(egc_network_forward(network, parameters, 1, &outcome, &err), err);
    assert_close(outcome.loss, log(exp(0.8) + exp(1.2) + 3) - 1.2, 1e-5);
    assert_int_equal(outcome.correct, 1);
    egc_network_free(network);
}

static void test_layer_list(void **state)
{
    (void)state;
    const egc_layer_spec layers[] = {CONV("a", 8, .kernel = 3), RELU, LINEAR("b", 0), {0}};
    egc_network *network = make(layers, IMAGE, 2);
    assert_int_equal(egc_network_parameters(network), 4);
    const egc_layer *weight = &egc_network_parameter(network, 0)->layer;
    assert_string_equal(weight->name, "a.weight");
    const size_t shape[] = {8, 3, 3, 3};
    assert_memory_equal(weight->shape, shape, sizeof shape);
    /* 7 x 5 positions, two operations a weight, two examples; no gradient for the images */
    assert_true(weight->forward_flops == 2.0 * 35 * 216 * 2);
    assert_true(weight->backward_flops == weight->forward_flops);
    const egc_layer *second = &egc_network_parameter(network, 2)->layer;
    assert_string_equal(second->name, "b.weight");
    assert_int_equal(second->count, 280 * CLASSES);
    assert_true(second->backward_flops == 2 * second->forward_flops);
    assert_string_equal(egc_network_parameter(network, 3)->layer.name, "b.bias");
    assert_int_equal(egc_network_parameter(network, 3)->first, 216 + 8 + 280 * CLASSES);
    egc_network_free(network);
}

/* ---- misfits --------------------------------------------------------------------------------- */

static void check_misfit(const egc_layer_spec *layers, egc_shape example, const char *message)
{
    egc_network *network = NULL;
    const egc_network_config config = {
        .layers = layers, .example = example, .classes = CLASSES, .batch = 1};
    assert_fails(egc_network_new(&config, &network, &err), err, EGC_ERROR_UNSUPPORTED, message);
}

static void test_misfits(void **state)
{
    (void)state;
    check_misfit((egc_layer_spec[]){CONV("a", 4, .kernel = 8), {0}}, IMAGE,
                 "layer 1 (a): a conv of 8 x 8 does not fit an input of 9 x 7");
    check_misfit((egc_layer_spec[]){LINEAR("a", 4), POOL(2), {0}}, IMAGE,
                 "layer 2 (max_pool): a layer of kind max_pool needs channels x height x width, "
                 "got 4 features");
    check_misfit((egc_layer_spec[]){RELU, {0}}, IMAGE,
                 "layer 2 (log_softmax): the outputs of a network must be a list, as a linear "
                 "layer makes them; got 3 dimensions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_relu),
        cmocka_unit_test(test_conv),
        cmocka_unit_test(test_conv_stride_and_padding),
        cmocka_unit_test(test_max_pool),
        cmocka_unit_test(test_every_network),
        cmocka_unit_test(test_zero_parameters),
        cmocka_unit_test(test_hand_worked),
        cmocka_unit_test(test_layer_list),
        cmocka_unit_test(test_misfits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
