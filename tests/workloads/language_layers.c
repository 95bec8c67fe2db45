/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layers that networks of words are made of, against finite differences, and against the
 * formulas written out in double precision. */
#include <gsl/gsl_randist.h>

#include "base/mem.h"
#include "base/rng.h"
#include "support/test.h"
#include "workloads/train/nets.h"
#include "workloads/train/network.h"

enum { WORDS = 7, STREAMS = 3, STEPS = 4, WIDTH = 5, SAMPLES = 40 };

static egc_error err;

/* ---- networks with random words and parameters ----------------------------------------------- */

typedef struct fixture {
    egc_network *network;
    float *parameters, *gradient;
} fixture;

static egc_network *make(const egc_layer_spec *layers, size_t steps, double dropout, bool training)
{
    egc_network *network = NULL;
    const egc_network_config config = {
        .layers = layers,
        .example = {1, {1}},
        .classes = WORDS,
        .batch = steps * STREAMS,
        .training = training,
        .sequence = steps,
        .width = WIDTH,
        .dropout = dropout,
    };
    assert_ok(egc_network_new(&config, &network, &err), err);
    return network;
}

static void draw(float *x, size_t n, double deviation, uint64_t seed)
{
    gsl_rng rng = {egc_rng_splitmix64, &seed};
    for (size_t i = 0; i < n; i++)
        x[i] = (float)gsl_ran_gaussian(&rng, deviation);
}

static void draw_words(egc_network *network, uint64_t seed)
{
    gsl_rng rng = {egc_rng_splitmix64, &seed};
    for (size_t i = 0; i < network->batch; i++) {
        network->examples[i] = (float)gsl_rng_uniform_int(&rng, WORDS);
        network->labels[i] = (int)gsl_rng_uniform_int(&rng, WORDS);
    }
}

static fixture start(const egc_layer_spec *layers, double dropout)
{
    fixture f = {.network = make(layers, STEPS, dropout, true)};
    f.parameters = egc_calloc(f.network->n_params, sizeof *f.parameters);
    f.gradient = egc_calloc(f.network->n_params, sizeof *f.gradient);
    assert_true(f.parameters && f.gradient);
    draw(f.parameters, f.network->n_params, 0.5, 11);
    draw(f.gradient, f.network->n_params, 1, 12); /* whatever was there is written over */
    draw_words(f.network, 13);
    return f;
}

static void finish(fixture *f)
{
    egc_network_free(f->network);
    egc_free(f->parameters);
    egc_free(f->gradient);
}

static double loss_at(egc_network *network, const float *parameters)
{
    egc_network_outcome outcome;
    assert_ok(egc_network_forward(network, parameters, network->batch, &outcome, &err), err);
    return outcome.loss / (double)network->batch;
}

/* ---- finite differences ---------------------------------------------------------------------- */

/* Everything here is smooth: central differences are off by the square of the step and by the
 * rounding of the loss, 1e-7 / 0.02. */
static void check_parameter(fixture *f, const egc_parameter *parameter, gsl_rng *rng)
{
    for (int sample = 0; sample < SAMPLES; sample++) {
        size_t i = parameter->first + gsl_rng_uniform_int(rng, parameter->layer.count);
        float centre = f->parameters[i];
        f->parameters[i] = centre + 0.02f;
        double above = loss_at(f->network, f->parameters);
        f->parameters[i] = centre - 0.02f;
        double below = loss_at(f->network, f->parameters);
        f->parameters[i] = centre;
        double slope = (above - below) / 0.04;
        if (!(fabs(slope - (double)f->gradient[i]) <= 1e-4))
            fail_msg("%s[%zu]: gradient %g, finite difference %g", parameter->layer.name,
                     i - parameter->first, (double)f->gradient[i], slope);
    }
}

static void check_gradients(const egc_layer_spec *layers, double dropout)
{
    fixture f = start(layers, dropout);
    size_t size = egc_network_state_size(f.network);
    float *state = egc_calloc(size, sizeof *state);
    draw(state, size, 0.5, 14);
    egc_network_set_state(f.network, state);
    f.network->graph.noise = 15;
    loss_at(f.network, f.parameters);
    assert_ok(egc_network_backward(f.network, f.gradient, &err), err);
    uint64_t seed = 16;
    gsl_rng rng = {egc_rng_splitmix64, &seed};
    for (size_t i = 0; i < egc_network_parameters(f.network); i++)
        check_parameter(&f, egc_network_parameter(f.network, i), &rng);
    egc_free(state);
    finish(&f);
}

#define EMBEDDING                                                                                  \
    {                                                                                              \
        .kind = &egc_layer_embedding, .name = "e", .width = EGC_WIDTH_CHOSEN                       \
    }
#define LSTM(name_, width_)                                                                        \
    {                                                                                              \
        .kind = &egc_layer_lstm, .name = name_, .width = width_                                    \
    }
#define DROPOUT                                                                                    \
    {                                                                                              \
        .kind = &egc_layer_dropout                                                                 \
    }
#define DECODER                                                                                    \
    {                                                                                              \
        .kind = &egc_layer_linear, .name = "d", .width = EGC_WIDTH_CLASSES                         \
    }

static const egc_layer_spec embedding_alone[] = {EMBEDDING, DECODER, {0}};
static const egc_layer_spec one_lstm[] = {EMBEDDING, LSTM("l", 6), DECODER, {0}};
static const egc_layer_spec dropped[] = {EMBEDDING, DROPOUT, DECODER, {0}};

static void language_layers__embedding(void **state)
{
    (void)state;
    check_gradients(embedding_alone, 0);
}

static void language_layers__lstm(void **state)
{
    (void)state;
    check_gradients(one_lstm, 0);
    check_gradients((egc_layer_spec[]){EMBEDDING, LSTM("a", 17), LSTM("b", 3), DECODER, {0}}, 0);
}

static void language_layers__dropout(void **state)
{
    (void)state;
    check_gradients(dropped, 0.5);
    check_gradients((egc_layer_spec[]){EMBEDDING, LSTM("a", 4), DROPOUT, DECODER, {0}}, 0.3);
}

static void language_layers__every_network_of_words(void **state)
{
    (void)state;
    for (const egc_net *const *net = egc_nets(); *net; net++)
        if ((*net)->reads_text)
            check_gradients((*net)->layers, 0.2);
}

/* ---- the formulas ---------------------------------------------------------------------------- */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* One step of one stream of an LSTM of 6 units behind an embedding, in the order of the flat
 * vector. */
static void lstm_step(const float *p, size_t word, double *h, double *c)
{
    enum { UNITS = 6 };
    const float *x = p + word * WIDTH, *w = p + WORDS * WIDTH, *u = w + 4 * UNITS * WIDTH,
                *b = u + 4 * UNITS * UNITS;
    double z[4 * UNITS];
    for (size_t j = 0; j < 4 * UNITS; j++) {
        z[j] = (double)b[j];
        for (size_t k = 0; k < WIDTH; k++)
            z[j] += (double)w[j * WIDTH + k] * (double)x[k];
        for (size_t k = 0; k < UNITS; k++)
            z[j] += (double)u[j * UNITS + k] * h[k];
    }
    for (size_t j = 0; j < UNITS; j++) {
        c[j] = sigmoid(z[UNITS + j]) * c[j] + sigmoid(z[j]) * tanh(z[2 * UNITS + j]);
        h[j] = sigmoid(z[3 * UNITS + j]) * tanh(c[j]);
    }
}

static double cross_entropy(const float *weight, const float *bias, const double *h, int label)
{
    double logits[WORDS], sum = 0;
    for (size_t i = 0; i < WORDS; i++) {
        logits[i] = (double)bias[i];
        for (size_t k = 0; k < 6; k++)
            logits[i] += (double)weight[i * 6 + k] * h[k];
        sum += exp(logits[i]);
    }
    return log(sum) - logits[label];
}

/* Step t of stream s is example t * STREAMS + s. */
static void language_layers__lstm_formulas(void **state)
{
    (void)state;
    fixture f = start(one_lstm, 0);
    const float *decoder = f.parameters + f.network->n_params - WORDS * 6 - WORDS;
    double loss = 0;
    for (size_t s = 0; s < STREAMS; s++) {
        double h[6] = {0}, c[6] = {0};
        for (size_t t = 0; t < STEPS; t++) {
            size_t place = t * STREAMS + s;
            lstm_step(f.parameters, (size_t)f.network->examples[place], h, c);
            loss += cross_entropy(decoder, decoder + WORDS * 6, h, f.network->labels[place]);
        }
    }
    egc_network_outcome outcome;
    assert_ok(egc_network_forward(f.network, f.parameters, f.network->batch, &outcome, &err), err);
    assert_close(outcome.loss, loss, 1e-5);
    finish(&f);
}

/* Two batches of two steps that hand the state on give what one batch of four gives. */
static void language_layers__state_goes_on(void **state)
{
    (void)state;
    fixture f = start(one_lstm, 0);
    double whole = loss_at(f.network, f.parameters) * STEPS * STREAMS;
    egc_network *half = make(one_lstm, STEPS / 2, 0, false);
    assert_int_equal(egc_network_state_size(half), 2 * STREAMS * 6);
    float handed[2 * STREAMS * 6];
    double kept = 0, copied = 0, forgotten = 0;
    for (size_t first = 0; first < f.network->batch; first += half->batch) {
        memcpy(half->examples, f.network->examples + first, half->batch * sizeof(float));
        memcpy(half->labels, f.network->labels + first, half->batch * sizeof(int));
        if (first == 0)
            egc_network_set_state(half, NULL);
        kept += loss_at(half, f.parameters) * (double)half->batch;
        egc_network_set_state(half, first == 0 ? NULL : handed);
        copied += loss_at(half, f.parameters) * (double)half->batch;
        egc_network_get_state(half, handed);
        egc_network_set_state(half, NULL);
        forgotten += loss_at(half, f.parameters) * (double)half->batch;
        egc_network_set_state(half, first == 0 ? NULL : handed);
        loss_at(half, f.parameters);
        egc_network_keep_state(half);
    }
    assert_close(kept, whole, 1e-6);
    assert_close(copied, whole, 1e-6);
    assert_true(fabs(forgotten - whole) > 1e-3);
    egc_network_free(half);
    finish(&f);
}

/* ---- gradients by rows, noise ---------------------------------------------------------------- */

static void language_layers__rows_of_absent_words_are_zero(void **state)
{
    (void)state;
    fixture f = start(one_lstm, 0);
    for (size_t i = 0; i < f.network->batch; i++)
        f.network->examples[i] = i % 2 ? 1 : 5;
    loss_at(f.network, f.parameters);
    assert_ok(egc_network_backward(f.network, f.gradient, &err), err);
    for (size_t word = 0; word < WORDS; word++) {
        bool present = word == 1 || word == 5;
        for (size_t j = 0; j < WIDTH; j++)
            assert_true((f.gradient[word * WIDTH + j] != 0) == present);
    }
    finish(&f);
}

/* An embedding of ones behind a mask is the mask. */
static void language_layers__mask(void **state)
{
    (void)state;
    enum { MANY = 4000 };
    const egc_layer_spec layers[] = {EMBEDDING, DROPOUT, DROPOUT, DECODER, {0}};
    egc_network *network = make(layers, MANY, 0.25, true);
    float *parameters = egc_calloc(network->n_params, sizeof *parameters);
    for (size_t i = 0; i < WORDS * WIDTH; i++)
        parameters[i] = 1;
    const float *first = network->nodes[1].workspace->data, *out = network->nodes[2].output->data;
    const size_t n = (size_t)MANY * STREAMS * WIDTH;
    float *before = egc_calloc(n, sizeof *before);
    network->graph.noise = 1;
    loss_at(network, parameters);
    memcpy(before, first, n * sizeof *before);
    size_t zeros = 0, both = 0;
    for (size_t i = 0; i < n; i++) {
        assert_true(first[i] == 0 || first[i] == 1 / 0.75f);
        zeros += first[i] == 0;
        both += out[i] != 0;
    }
    /* 60,000 draws: a deviation is 0.0018; the two masks are independent */
    assert_true(fabs((double)zeros / (double)n - 0.25) < 0.008);
    assert_true(fabs((double)both / (double)n - 0.75 * 0.75) < 0.008);
    loss_at(network, parameters);
    assert_memory_equal(first, before, n * sizeof *before);
    network->graph.noise = 2;
    loss_at(network, parameters);
    assert_memory_not_equal(first, before, n * sizeof *before);
    egc_free(before);
    egc_free(parameters);
    egc_network_free(network);
}

static void language_layers__no_dropout_in_evaluation(void **state)
{
    (void)state;
    fixture f = start(dropped, 0);
    egc_network *evaluation = make(dropped, STEPS, 0.5, false);
    memcpy(evaluation->examples, f.network->examples, evaluation->batch * sizeof(float));
    memcpy(evaluation->labels, f.network->labels, evaluation->batch * sizeof(int));
    assert_true(loss_at(evaluation, f.parameters) == loss_at(f.network, f.parameters));
    egc_network_free(evaluation);
    finish(&f);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void language_layers__layer_list(void **state)
{
    (void)state;
    egc_network *network = make(one_lstm, STEPS, 0, true);
    const char *const names[] = {"e.weight", "l.weight_ih", "l.weight_hh",
                                 "l.bias",   "d.weight",    "d.bias"};
    const size_t shapes[][2] = {{WORDS, WIDTH}, {24, WIDTH}, {24, 6}, {24}, {WORDS, 6}, {WORDS}};
    assert_int_equal(egc_network_parameters(network), 6);
    for (size_t i = 0; i < 6; i++) {
        const egc_layer *layer = &egc_network_parameter(network, i)->layer;
        assert_string_equal(layer->name, names[i]);
        assert_memory_equal(layer->shape, shapes[i], sizeof shapes[i]);
    }
    const egc_layer *recurrent = &egc_network_parameter(network, 2)->layer;
    assert_true(recurrent->forward_flops == 2.0 * 24 * 6 * STEPS * STREAMS);
    assert_true(recurrent->backward_flops == 2 * recurrent->forward_flops);
    assert_true(egc_network_parameter(network, 0)->layer.forward_flops == 0);
    egc_network_free(network);
}

static void check_misfit(const egc_layer_spec *layers, egc_shape example, size_t sequence,
                         const char *message)
{
    egc_network *network = NULL;
    const egc_network_config config = {.layers = layers,
                                       .example = example,
                                       .classes = WORDS,
                                       .batch = 6,
                                       .sequence = sequence,
                                       .width = WIDTH};
    assert_fails(egc_network_new(&config, &network, &err), err, EGC_ERROR_UNSUPPORTED, message);
}

static void language_layers__misfits(void **state)
{
    (void)state;
    const egc_layer_spec late[] = {LSTM("l", 3), EMBEDDING, {0}};
    check_misfit(one_lstm, (egc_shape){3, {1, 2, 2}}, 2,
                 "layer 1 (e): an embedding comes first and takes one of at most 16777216 words, "
                 "got 4 numbers and 7 words");
    check_misfit(late, (egc_shape){1, {1}}, 2,
                 "layer 2 (e): an embedding comes first and takes one of at most 16777216 words, "
                 "got 3 numbers and 7 words");
    check_misfit(one_lstm, (egc_shape){1, {1}}, 0,
                 "layer 2 (l): an lstm needs sequences of features");
    check_misfit(one_lstm, (egc_shape){1, {1}}, 4,
                 "layer 2 (l): an lstm needs sequences of features");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(language_layers__embedding),
        cmocka_unit_test(language_layers__lstm),
        cmocka_unit_test(language_layers__dropout),
        cmocka_unit_test(language_layers__every_network_of_words),
        cmocka_unit_test(language_layers__lstm_formulas),
        cmocka_unit_test(language_layers__state_goes_on),
        cmocka_unit_test(language_layers__rows_of_absent_words_are_zero),
        cmocka_unit_test(language_layers__mask),
        cmocka_unit_test(language_layers__no_dropout_in_evaluation),
        cmocka_unit_test(language_layers__layer_list),
        cmocka_unit_test(language_layers__misfits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
