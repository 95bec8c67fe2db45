/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles of models against what is published about them. */
#include "workloads/profiles/profile.h"

#include <stdlib.h>

#include "base/mem.h"
#include "support/test.h"

typedef struct published {
    const char *name;
    size_t tensors; /* of PyTorch's model.parameters() */
    size_t params;
    double multiply_adds; /* forward, of one example; 0 where none are published */
    double tolerance;     /* what was published was rounded, or counts biases and the like too */
} published;

/* Parameters: torchvision's num_params of ResNet50_Weights, VGG16_Weights and AlexNet_Weights;
 * Hugging Face's num_parameters() of bert-base-uncased and gpt2; He et al. 2016, table 6 (0.27 M;
 * 269,722 by https://github.com/akamaster/pytorch_resnet_cifar10); LeNet-5 and LSTM from PyTorch
 * modules of the same shapes; Transformer: 44,140,544 of torch.nn.Transformer() and 37,000 x 512.
 * Multiply-adds: torchvision's GFLOPS 4.09, 15.47 and 0.71; ResNet-20: 41 M. */
static const published all[] = {
    {"lenet5", 10, 61706, 0, 0},
    {"resnet20", 59, 269722, 41e6, 0.02},
    {"resnet50", 161, 25557032, 4.09e9, 0.002},
    {"vgg16", 32, 138357544, 15.47e9, 0.001},
    {"alexnet", 16, 61100840, 0.71e9, 0.01},
    {"lstm-ptb", 10, 51034000, 0, 0},
    {"transformer-base", 185, 44140544 + 37000 * 512, 0, 0},
    {"bert-base", 199, 109482240, 0, 0},
    {"gpt2-small", 148, 124439808, 0, 0},
};
enum { N_ALL = sizeof all / sizeof *all };

static void check(const published *want)
{
    const egc_profile *profile;
    egc_layer *layers;
    egc_error err = {0};
    size_t n, params = 0;
    double forward = 0, backward = 0;
    assert_ok(egc_profile_find(want->name, &profile, &err), err);
    assert_ok(egc_profile_layers(profile, 1, &layers, &n, &err), err);
    for (size_t i = 0; i < n; i++) {
        params += layers[i].count;
        forward += layers[i].forward_flops;
        backward += layers[i].backward_flops;
    }
    egc_free(layers);
    assert_int_equal(n, want->tensors);
    assert_int_equal(params, want->params);
    if (want->multiply_adds > 0)
        assert_close(forward / 2, want->multiply_adds, want->tolerance);
    assert_true(backward > 1.5 * forward && backward <= 2 * forward);
}

static void profiles__totals_are_those_published(void **state)
{
    (void)state;
    size_t n = 0;
    for (; egc_profile_all()[n]; n++)
        assert_string_equal(egc_profile_all()[n]->name, all[n].name);
    assert_int_equal(n, N_ALL);
    for (size_t i = 0; i < N_ALL; i++)
        check(&all[i]);
}

static egc_layer layer_of(const char *model, const char *name, int64_t batch)
{
    const egc_profile *profile;
    egc_layer *layers, found = {0};
    egc_error err = {0};
    size_t n;
    assert_ok(egc_profile_find(model, &profile, &err), err);
    assert_ok(egc_profile_layers(profile, batch, &layers, &n, &err), err);
    for (size_t i = 0; i < n; i++)
        if (strcmp(layers[i].name, name) == 0)
            found = layers[i];
    egc_free(layers);
    if (found.count == 0)
        fail_msg("%s has no %s", model, name);
    return found;
}

static void assert_shape(const char *model, const char *name, size_t a, size_t b, size_t c,
                         size_t d)
{
    egc_layer layer = layer_of(model, name, 1);
    const size_t want[] = {a, b, c, d};
    for (int i = 0; i < EGC_LAYER_DIMS; i++)
        assert_int_equal(layer.shape[i], want[i]);
}

/* Names and shapes that the models' own code gives their parameters. */
static void profiles__tensors_have_their_names_and_shapes(void **state)
{
    (void)state;
    assert_shape("lenet5", "fc1.weight", 120, 400, 0, 0);
    assert_shape("resnet20", "layer2.0.conv1.weight", 32, 16, 3, 3);
    assert_shape("resnet50", "conv1.weight", 64, 3, 7, 7);
    assert_shape("resnet50", "layer1.0.downsample.0.weight", 256, 64, 1, 1);
    assert_shape("resnet50", "layer4.2.conv2.weight", 512, 512, 3, 3);
    assert_shape("resnet50", "fc.bias", 1000, 0, 0, 0);
    assert_shape("vgg16", "features.28.weight", 512, 512, 3, 3);
    assert_shape("vgg16", "classifier.0.weight", 4096, 25088, 0, 0);
    assert_shape("alexnet", "features.10.bias", 256, 0, 0, 0);
    assert_shape("alexnet", "classifier.1.weight", 4096, 9216, 0, 0);
    assert_shape("lstm-ptb", "rnn.weight_hh_l1", 6000, 1500, 0, 0);
    assert_shape("transformer-base", "decoder.layers.5.multihead_attn.in_proj_weight", 1536, 512, 0,
                 0);
    assert_shape("bert-base", "encoder.layer.11.intermediate.dense.weight", 3072, 768, 0, 0);
    assert_shape("gpt2-small", "h.11.attn.c_attn.weight", 768, 2304, 0, 0);
}

/* ResNet-50's first convolution: 112 x 112 places, 64 x 3 x 7 x 7 products each, and no gradient
 * of the image. GPT-2's 12 blocks of attention: 2 x 2 x 1024^2 x 768, after c_attn. */
static void profiles__work_is_counted_by_hand(void **state)
{
    (void)state;
    egc_layer first = layer_of("resnet50", "conv1.weight", 32);
    assert_true(first.forward_flops == 2.0 * 112 * 112 * 64 * 147 * 32);
    assert_true(first.backward_flops == first.forward_flops);
    egc_layer attention = layer_of("gpt2-small", "h.3.attn.c_attn.bias", 2);
    assert_true(attention.forward_flops == 2 * 4.0 * 1024 * 1024 * 768);
    assert_true(attention.backward_flops == 2 * attention.forward_flops);
    egc_layer norm = layer_of("resnet50", "bn1.weight", 32);
    assert_true(norm.forward_flops == 0 && isnan(norm.forward_s) && isnan(norm.backward_s));
}

static void profiles__names_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ALL; i++) {
        egc_layer *layers;
        size_t n;
        egc_error err = {0};
        assert_ok(egc_profile_layers(egc_profile_all()[i], 1, &layers, &n, &err), err);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < a; b++)
                assert_string_not_equal(layers[a].name, layers[b].name);
        egc_free(layers);
    }
}

static void profiles__an_unknown_model_lists_the_known(void **state)
{
    (void)state;
    const egc_profile *profile;
    egc_error err;
    assert_fails(egc_profile_find("resnet18", &profile, &err), err, EGC_ERROR_NAME,
                 "unknown model \"resnet18\"; valid: lenet5, resnet20, resnet50, vgg16, alexnet, "
                 "lstm-ptb, transformer-base, bert-base, gpt2-small");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles__totals_are_those_published),
        cmocka_unit_test(profiles__tensors_have_their_names_and_shapes),
        cmocka_unit_test(profiles__work_is_counted_by_hand),
        cmocka_unit_test(profiles__names_are_told_apart),
        cmocka_unit_test(profiles__an_unknown_model_lists_the_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
