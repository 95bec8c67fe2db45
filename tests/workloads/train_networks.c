/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole networks against finite differences; the lists they are made of, and lists that make none.
 */
#include "workloads/train_layers.h"

/* The slope of the loss along the gradient of one parameter, which must be the gradient's length.
 * One weight of a first layer moves thousands of relus and pools across small kinks; along this
 * direction they weigh little, but in twenty layers still several per cent. train_torch.py compares
 * to rounding. */
static void check_direction(trial *t, const egc_parameter *parameter)
{
    const size_t n = parameter->layer.count;
    float *values = t->parameters + parameter->first;
    const float *gradient = t->gradient + parameter->first;
    float *centre = egc_calloc(n, sizeof *centre);
    memcpy(centre, values, n * sizeof *centre);
    double length = 0;
    for (size_t i = 0; i < n; i++)
        length += (double)gradient[i] * (double)gradient[i];
    length = sqrt(length);
    assert_true(length > 1e-3);
    double loss[2];
    const double h = fmin(0.02, 0.002 / length);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < n; i++)
            values[i] = (float)((double)centre[i] + (side ? h : -h) * (double)gradient[i] / length);
        loss[side] = loss_at(t->network, t->parameters);
    }
    memcpy(values, centre, n * sizeof *centre);
    egc_free(centre);
    double slope = (loss[1] - loss[0]) / (2 * h);
    if (!(fabs(slope - length) <= 0.1 * length + 1e-4))
        fail_msg("%s: gradient of length %g, finite difference %g", parameter->layer.name, length,
                 slope);
}

static void check_network(const egc_layer_spec *layers, egc_shape example)
{
    trial t;
    start(&t, layers, example, BATCH);
    for (size_t i = 0; i < egc_network_parameters(t.network); i++)
        check_direction(&t, egc_network_parameter(t.network, i));
    finish(&t);
}

static void train_networks__every_network(void **state)
{
    (void)state;
    for (const egc_net *const *net = egc_nets(); *net; net++) {
        if ((*net)->reads_text) /* those are in language_layers.c */
            continue;
        check_network((*net)->layers, (egc_shape){3, {1, 28, 28}});
        check_network((*net)->layers, (egc_shape){3, {3, 32, 32}});
    }
}

static void train_networks__layer_list(void **state)
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

static void check_misfit(const egc_layer_spec *layers, egc_shape example, const char *message)
{
    egc_network *network = NULL;
    const egc_network_config config = {
        .layers = layers, .example = example, .classes = CLASSES, .batch = 1};
    assert_fails(egc_network_new(&config, &network, &err), err, EGC_ERROR_UNSUPPORTED, message);
}

static void train_networks__misfits(void **state)
{
    (void)state;
    check_misfit((egc_layer_spec[]){JOIN(1), LINEAR("a", 0), {0}}, IMAGE,
                 "layer 1 (join): there is no fork in front of a join");
    check_misfit((egc_layer_spec[]){FORK, FORK, JOIN(1), LINEAR("a", 0), {0}}, IMAGE,
                 "layer 1 (fork): there is no join behind it");
    check_misfit((egc_layer_spec[]){FORK, CONV3("a", 16, 2), JOIN(1), {0}}, IMAGE,
                 "layer 3 (join): a join with stride 1 does not fit 3 x 9 x 7 from its fork to "
                 "16 x 5 x 4");
    check_misfit((egc_layer_spec[]){FORK, CONV3("a", 2, 1), JOIN(1), {0}}, IMAGE,
                 "layer 3 (join): a join with stride 1 does not fit 3 x 9 x 7 from its fork to "
                 "2 x 9 x 7");
    check_misfit((egc_layer_spec[]){FORK, LINEAR("a", 4), JOIN(1), {0}}, IMAGE,
                 "layer 3 (join): a layer of kind join needs channels x height x width on both "
                 "ways");
    check_misfit((egc_layer_spec[]){LINEAR("a", 4), NORM("n", 0), {0}}, IMAGE,
                 "layer 2 (n): a layer of kind batch_norm needs channels x height x width, got 4 "
                 "features");
    check_misfit((egc_layer_spec[]){LINEAR("a", 4), MEANS, {0}}, IMAGE,
                 "layer 2 (global_pool): a layer of kind global_pool needs channels x height x "
                 "width, got 4 features");
    check_misfit((egc_layer_spec[]){CONV("a", 4, .kernel = 8), {0}}, IMAGE,
                 "layer 1 (a): a conv of 8 x 8 does not fit an input of 9 x 7");
    check_misfit((egc_layer_spec[]){LINEAR("a", 4), POOL(2), {0}}, IMAGE,
                 "layer 2 (max_pool): a layer of kind max_pool needs channels x height x width, "
                 "got 4 features");
    check_misfit((egc_layer_spec[]){RELU, {0}}, IMAGE,
                 "layer 2 (log_softmax): the outputs of a network must be a list, as a linear "
                 "layer makes them; got 3 dimensions");
}

/* Building keeps the first error of many calls: each must leave a graph that can be freed. */
static void train_networks__every_failing_allocation(void **state)
{
    (void)state;
    for (const egc_net *const *net = egc_nets(); *net; net++) {
        bool text = (*net)->reads_text;
        const egc_network_config config = {
            .layers = (*net)->layers,
            .example = text ? (egc_shape){1, {1}} : (egc_shape){3, {3, 32, 32}},
            .classes = 30,
            .batch = 8,
            .training = true,
            .sequence = text ? 4 : 0,
            .width = 16,
            .dropout = 0.5,
        };
        egc_status status = EGC_ERROR_MEMORY;
        long countdown = 0;
        for (; status; countdown++) {
            egc_network *network = NULL;
            egc_mem_fail_after(countdown);
            status = egc_network_new(&config, &network, &err);
            egc_mem_fail_after(-1);
            if (status)
                assert_int_equal(status, EGC_ERROR_MEMORY);
            egc_network_free(network);
        }
        assert_true(countdown > 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_networks__every_network),
        cmocka_unit_test(train_networks__layer_list),
        cmocka_unit_test(train_networks__misfits),
        cmocka_unit_test(train_networks__every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
