/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kind of layer against finite differences and against values worked out by hand. */
#include "workloads/train_layers.h"

static double largest(const float *x, size_t n)
{
    double max = 0;
    for (size_t i = 0; i < n; i++)
        max = fmax(max, fabs((double)x[i]));
    return max;
}

/* The slopes to both sides of a coordinate enclose its gradient, within 1 % of the largest gradient
 * of the parameter; float rounding of the loss allows 4e-4. Where they disagree by more than 5 %, a
 * relu or a pool has a kink close by and the coordinate says little: at least three in four must be
 * smooth. */
static void check_parameter(egc_network *network, const egc_parameter *parameter, float *parameters,
                            const float *gradient, gsl_rng *rng)
{
    const egc_layer *layer = &parameter->layer;
    double scale = largest(gradient + parameter->first, layer->count);
    double tolerance = 0.01 * scale + 4e-4;
    assert_true(scale > 1e-2);
    double loss = loss_at(network, parameters);
    size_t smooth = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        size_t i = parameter->first + gsl_rng_uniform_int(rng, layer->count);
        double above = slope(network, parameters, i, 0.001f, loss);
        double below = slope(network, parameters, i, -0.001f, loss);
        double got = (double)gradient[i];
        if (fabs(above - below) > 5 * tolerance)
            continue;
        smooth++;
        if (!(got >= fmin(above, below) - tolerance && got <= fmax(above, below) + tolerance))
            fail_msg("%s[%zu]: gradient %g, finite differences %g and %g, tolerance %g",
                     layer->name, i - parameter->first, got, below, above, tolerance);
    }
    if (smooth < SAMPLES * 3 / 4)
        fail_msg("%s: only %zu of %d coordinates are smooth", layer->name, smooth, SAMPLES);
}

static void check_gradients_of(const egc_layer_spec *layers, egc_shape example, size_t batch)
{
    trial t;
    start(&t, layers, example, batch);
    for (size_t i = 0; i < egc_network_parameters(t.network); i++)
        check_parameter(t.network, egc_network_parameter(t.network, i), t.parameters, t.gradient,
                        &t.rng);
    finish(&t);
}

static void check_gradients(const egc_layer_spec *layers, egc_shape example)
{
    check_gradients_of(layers, example, BATCH);
}

static void train_layers__linear(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){LINEAR("a", 0), {0}}, FEATURES);
    check_gradients((egc_layer_spec[]){LINEAR("a", 6), LINEAR("b", 0), {0}}, FEATURES);
    check_gradients((egc_layer_spec[]){LINEAR("a", 6), LINEAR("b", 0), {0}}, IMAGE);
}

static void train_layers__relu(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){LINEAR("a", 9), RELU, LINEAR("b", 0), {0}}, FEATURES);
    check_gradients((egc_layer_spec[]){CONV("a", 4, .kernel = 3), RELU, LINEAR("b", 0), {0}},
                    IMAGE);
}

static void train_layers__conv(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){CONV("a", 4, .kernel = 3), LINEAR("b", 0), {0}}, IMAGE);
    check_gradients(
        (egc_layer_spec[]){
            CONV("a", 8, .kernel = 3), CONV("b", 5, .kernel = 2), LINEAR("c", 0), {0}},
        IMAGE);
}

static void train_layers__conv_stride_and_padding(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){CONV("a", 8, .kernel = 3, .padding = 1),
                                       CONV("b", 8, .kernel = 3, .stride = 2, .padding = 1),
                                       CONV("c", 3, .kernel = 2, .stride = 2),
                                       LINEAR("d", 0),
                                       {0}},
                    IMAGE);
}

static void train_layers__max_pool(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){CONV("a", 4, .kernel = 2), POOL(2), LINEAR("b", 0), {0}},
                    IMAGE);
    /* 8 x 6 by windows of 3: two rows are not looked at */
    check_gradients(
        (egc_layer_spec[]){CONV("a", 8, .kernel = 2), POOL(3), RELU, LINEAR("b", 0), {0}}, IMAGE);
}

static void train_layers__no_bias(void **state)
{
    (void)state;
    const egc_layer_spec layers[] = {CONV3("a", 4, 1), LINEAR("b", 0), {0}};
    check_gradients(layers, IMAGE);
    egc_network *network = make(layers, IMAGE, 1);
    assert_int_equal(egc_network_parameters(network), 3);
    egc_network_free(network);
}

/* The last two have as many channels as no block of oneDNN's layouts. */
static void train_layers__batch_norm(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){CONV3("a", 16, 1), NORM("n", 0), LINEAR("b", 0), {0}},
                    IMAGE);
    check_gradients(
        (egc_layer_spec[]){CONV3("a", 16, 1), NORM("n", .relu = true), LINEAR("b", 0), {0}}, IMAGE);
    check_gradients((egc_layer_spec[]){NORM("n", 0), LINEAR("b", 0), {0}}, IMAGE);
    check_gradients((egc_layer_spec[]){CONV3("a", 5, 1),
                                       NORM("n", .relu = true),
                                       CONV3("b", 7, 2),
                                       NORM("m", 0),
                                       LINEAR("c", 0),
                                       {0}},
                    IMAGE);
}

static void train_layers__global_pool(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){CONV3("a", 16, 1), RELU, MEANS, LINEAR("b", 0), {0}}, IMAGE);
    check_gradients((egc_layer_spec[]){CONV3("a", 5, 1), RELU, MEANS, LINEAR("b", 0), {0}}, IMAGE);
}

static void train_layers__skip(void **state)
{
    (void)state;
    check_gradients(
        (egc_layer_spec[]){
            CONV3("a", 16, 1), FORK, CONV3("b", 16, 1), JOIN(1), RELU, LINEAR("c", 0), {0}},
        IMAGE);
    /* 9 x 7 to 5 x 4, by 16 to 32 channels and by 3 to 5 */
    check_gradients(
        (egc_layer_spec[]){
            CONV3("a", 16, 1), FORK, CONV3("b", 32, 2), JOIN(2), RELU, LINEAR("c", 0), {0}},
        IMAGE);
    check_gradients(
        (egc_layer_spec[]){CONV3("a", 3, 1), FORK, CONV3("b", 5, 2), JOIN(2), LINEAR("c", 0), {0}},
        IMAGE);
}

/* Nothing that is read again is written over: relus directly behind a fork and in front of a join,
 * forks and joins side by side, and a skip past nothing, which doubles. */
static void train_layers__skips_and_places(void **state)
{
    (void)state;
    check_gradients((egc_layer_spec[]){CONV3("a", 16, 1),
                                       FORK,
                                       RELU,
                                       CONV3("b", 16, 1),
                                       RELU,
                                       JOIN(1),
                                       RELU,
                                       LINEAR("c", 0),
                                       {0}},
                    IMAGE);
    check_gradients((egc_layer_spec[]){CONV3("a", 16, 1),
                                       FORK,
                                       FORK,
                                       CONV3("b", 16, 1),
                                       NORM("n", .relu = true),
                                       JOIN(1),
                                       CONV3("c", 32, 2),
                                       JOIN(2),
                                       LINEAR("d", 0),
                                       {0}},
                    IMAGE);
    check_gradients((egc_layer_spec[]){CONV3("a", 16, 1),
                                       FORK,
                                       FORK,
                                       JOIN(1),
                                       RELU,
                                       CONV3("b", 16, 1),
                                       FORK,
                                       CONV3("c", 16, 1),
                                       JOIN(1),
                                       JOIN(1),
                                       LINEAR("d", 0),
                                       {0}},
                    IMAGE);
}

/* oneDNN chooses other kernels for other batches. */
static void train_layers__batch_sizes(void **state)
{
    (void)state;
    const egc_layer_spec layers[] = {CONV3("a", 16, 1),
                                     NORM("n", .relu = true),
                                     FORK,
                                     CONV3("b", 32, 2),
                                     NORM("m", 0),
                                     JOIN(2),
                                     POOL(2),
                                     RELU,
                                     MEANS,
                                     LINEAR("c", 0),
                                     {0}};
    const size_t sizes[] = {1, 2, 3, 17};
    for (int i = 0; i < 4; i++)
        check_gradients_of(layers, IMAGE, sizes[i]);
}

/* Equal logits: loss ln(classes), and nobody is the most probable class. */
static void train_layers__zero_parameters(void **state)
{
    (void)state;
    egc_network *network = make(egc_nets()[0]->layers, (egc_shape){3, {1, 28, 28}}, 3);
    float *zeros = egc_calloc(network->n_params, sizeof *zeros);
    egc_network_outcome outcome;
    assert_ok(egc_network_forward(network, zeros, 2, &outcome, &err), err);
    assert_close(outcome.loss, 2 * log(CLASSES), 1e-5);
    assert_int_equal(outcome.correct, 0);
    egc_free(zeros);
    egc_network_free(network);
}

/* A 1 x 1 convolution that doubles and subtracts 20, on 1..16; pools of 2 x 2 leave 2 * {6, 8, 14,
 * 16} - 20 = {-8, -4, 8, 12}; relu {0, 0, 8, 12}. Logits: 0.1 times the last two and the first,
 * then zeros. */
static void train_layers__hand_worked(void **state)
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
    egc_network_outcome outcome;
    assert_ok(egc_network_forward(network, parameters, 1, &outcome, &err), err);
    assert_close(outcome.loss, log(exp(0.8) + exp(1.2) + 3) - 1.2, 1e-5);
    assert_int_equal(outcome.correct, 1);
    egc_network_free(network);
}

/* 1..9 in a square of 3 x 3: past a convolution that gives zeros, the skip takes the corners {1, 3,
 * 7, 9} into the first of two channels. Logits: 0.1 times the last and the second corner, and the
 * same of the second channel, which is zero. */
static void train_layers__hand_worked_skip(void **state)
{
    (void)state;
    const egc_layer_spec layers[] = {FORK,
                                     CONV("a", 2, .kernel = 1, .stride = 2, .no_bias = true),
                                     JOIN(2),
                                     LINEAR("b", 0),
                                     {0}};
    egc_network *network = make(layers, (egc_shape){3, {1, 3, 3}}, 1);
    assert_int_equal(network->n_params, 2 + CLASSES * 8 + CLASSES);
    float parameters[2 + CLASSES * 8 + CLASSES] = {0};
    parameters[2 + 0 * 8 + 3] = 0.1f;
    parameters[2 + 1 * 8 + 1] = 0.1f;
    parameters[2 + 2 * 8 + 7] = 0.1f;
    for (int i = 0; i < 9; i++)
        network->examples[i] = (float)(i + 1);
    network->labels[0] = 0;
    egc_network_outcome outcome;
    assert_ok(egc_network_forward(network, parameters, 1, &outcome, &err), err);
    assert_close(outcome.loss, log(exp(0.9) + exp(0.3) + 3) - 0.9, 1e-5);
    egc_network_free(network);
}

static egc_network *make_norm(bool training)
{
    static const egc_layer_spec layers[] = {NORM("n", .relu = true), LINEAR("a", 0), {0}};
    egc_network *network = NULL;
    const egc_network_config config = {.layers = layers,
                                       .example = {3, {1, 2, 2}},
                                       .classes = CLASSES,
                                       .batch = 2,
                                       .training = training};
    assert_ok(egc_network_new(&config, &network, &err), err);
    assert_int_equal(egc_network_moments(network), 2);
    for (int i = 0; i < 8; i++)
        network->examples[i] = (float)(i + 1);
    return network;
}

/* 1..8 have mean 4.5 and variance 42 / 8, estimated as 42 / 7. */
static void train_layers__moments_of_a_batch(void **state)
{
    (void)state;
    egc_network *network = make_norm(true);
    float parameters[2 + CLASSES * 5] = {1};
    float moments[2];
    loss_at(network, parameters);
    egc_network_get_moments(network, moments);
    assert_close((double)moments[0], 4.5, 1e-6);
    assert_close((double)moments[1], 6, 1e-6);
    egc_network_free(network);
}

/* Mean 4 and variance 4 make {1, 2, 3, 4, 5, 6, 7, 8} into {-1.5 .. 2}; times 2, minus 1, by the
 * relu: the last number of the first example becomes 0, of the second 3. Before they are set, they
 * are 0 and 1: 7 and 15. */
static void train_layers__moments_of_evaluation(void **state)
{
    (void)state;
    egc_network *network = make_norm(false);
    float parameters[2 + CLASSES * 5] = {2, -1};
    parameters[2 + 3] = 0.1f;
    egc_network_outcome outcome;
    assert_ok(egc_network_forward(network, parameters, 2, &outcome, &err), err);
    assert_close(outcome.loss, log(exp(0.7) + 4) - 0.7 + log(exp(1.5) + 4) - 1.5, 1e-5);
    egc_network_set_moments(network, (float[]){4, 4});
    assert_ok(egc_network_forward(network, parameters, 2, &outcome, &err), err);
    assert_close(outcome.loss, log(5) + log(exp(0.3) + 4) - 0.3, 1e-5);
    egc_network_free(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_layers__linear),
        cmocka_unit_test(train_layers__relu),
        cmocka_unit_test(train_layers__conv),
        cmocka_unit_test(train_layers__conv_stride_and_padding),
        cmocka_unit_test(train_layers__max_pool),
        cmocka_unit_test(train_layers__no_bias),
        cmocka_unit_test(train_layers__batch_norm),
        cmocka_unit_test(train_layers__global_pool),
        cmocka_unit_test(train_layers__skip),
        cmocka_unit_test(train_layers__skips_and_places),
        cmocka_unit_test(train_layers__batch_sizes),
        cmocka_unit_test(train_layers__zero_parameters),
        cmocka_unit_test(train_layers__hand_worked),
        cmocka_unit_test(train_layers__hand_worked_skip),
        cmocka_unit_test(train_layers__moments_of_a_batch),
        cmocka_unit_test(train_layers__moments_of_evaluation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
