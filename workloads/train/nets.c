/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The networks of the workload `train`. To add one, write its layers and its description, and name
 * it in NETS. egc_network_new adds a log-softmax to each as last layer. */
#include "workloads/train/nets.h"

/* clang-format off */
#define CONV(name_, width_, kernel_, ...) \
    {.kind = &egc_layer_conv, .name = name_, .width = width_, .kernel = kernel_, __VA_ARGS__}
#define LINEAR(name_, width_) {.kind = &egc_layer_linear, .name = name_, .width = width_}
#define NORM(name_, relu_) {.kind = &egc_layer_batch_norm, .name = name_, .relu = relu_}
#define POOL {.kind = &egc_layer_max_pool, .kernel = 2}
#define RELU {.kind = &egc_layer_relu}
/* clang-format on */

static const egc_layer_spec softmax_layers[] = {LINEAR("fc", EGC_WIDTH_CLASSES), {0}};

static const egc_net softmax = {
    .name = "softmax",
    .summary = "softmax regression: inputs to classes, a convex problem",
    .reference = "Cox: The regression analysis of binary sequences, J. R. Stat. Soc. B 20(2), "
                 "1958",
    .layers = softmax_layers,
    .usual_dataset = "fashion-mnist",
};

/* Nearly all parameters of this perceptron lie in one matrix, and it trains several times faster
 * than the convolutional networks. */
static const egc_layer_spec mlp_layers[] = {
    LINEAR("fc1", 256), RELU, LINEAR("fc2", 128), RELU, LINEAR("fc3", EGC_WIDTH_CLASSES), {0},
};

static const egc_net mlp = {
    .name = "mlp",
    .summary = "three linear layers: inputs to 256, to 128, to the classes",
    .reference = "Rumelhart, Hinton, Williams: Learning representations by back-propagating "
                 "errors, Nature 323, 1986",
    .layers = mlp_layers,
    .usual_dataset = "fashion-mnist",
};

/* LeNet-5's shape (LeCun et al. 1998) with max-pooling and relu. Relu comes after the pool: both
 * orders give the same numbers, and this one computes a quarter of them. */
static const egc_layer_spec cnn_layers[] = {
    CONV("conv1", 8, 5, .stride = 1),
    POOL,
    RELU,
    CONV("conv2", 16, 5, .stride = 1),
    POOL,
    RELU,
    LINEAR("fc1", 512),
    RELU,
    LINEAR("fc2", 128),
    RELU,
    LINEAR("fc3", EGC_WIDTH_CLASSES),
    {0},
};

static const egc_net cnn = {
    .name = "cnn",
    .summary = "two 5 x 5 convolutions and two linear layers, after LeNet-5",
    .reference = "LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to document "
                 "recognition, Proc. IEEE 86(11), 1998",
    .layers = cnn_layers,
    .usual_dataset = "fashion-mnist",
};

/* The first four convolutions of VGG's smallest configuration, A, at half their width, with batch
 * normalisation and one smaller linear layer: for images of 32 x 32. 768,298 parameters for ten
 * classes and three colours, two thirds of them in fc1. */
/* clang-format off */
#define CONV_NORM(number_, width_) \
    CONV("conv" number_, width_, 3, .padding = 1, .no_bias = true), NORM("bn" number_, true)
/* clang-format on */

static const egc_layer_spec vgg_layers[] = {
    CONV_NORM("1", 32),
    POOL,
    CONV_NORM("2", 64),
    POOL,
    CONV_NORM("3", 128),
    CONV_NORM("4", 128),
    POOL,
    LINEAR("fc1", 256),
    RELU,
    LINEAR("fc2", EGC_WIDTH_CLASSES),
    {0},
};

static const egc_net vgg = {
    .name = "vgg",
    .summary = "four 3 x 3 convolutions with batch normalisation and two linear layers, after VGG",
    .reference = "Simonyan, Zisserman: Very deep convolutional networks for large-scale image "
                 "recognition, ICLR 2015, arXiv:1409.1556",
    .layers = vgg_layers,
    .usual_dataset = "shapes32",
};

/* The residual network with n = 3 that He et al. use for CIFAR-10: a convolution, three stages of
 * three blocks of two convolutions, the mean of each channel, one linear layer. Stages have 16, 32
 * and 64 channels; the second and third start with stride 2 and have the parameter-free shortcut,
 * option A. Convolutions have no bias: the normalisation after each has one. 269,722 parameters
 * for ten classes and three colours. */
/* clang-format off */
#define CONV3(name_, width_, stride_) \
    CONV(name_, width_, 3, .stride = stride_, .padding = 1, .no_bias = true)
#define BLOCK(name_, width_, stride_) \
    {.kind = &egc_layer_fork}, \
    CONV3(name_ ".conv1", width_, stride_), NORM(name_ ".bn1", true), \
    CONV3(name_ ".conv2", width_, 1), NORM(name_ ".bn2", false), \
    {.kind = &egc_layer_join, .stride = stride_}, \
    RELU
/* clang-format on */

static const egc_layer_spec resnet20_layers[] = {
    CONV3("conv1", 16, 1),           NORM("bn1", true),
    BLOCK("stage1.0", 16, 1),        BLOCK("stage1.1", 16, 1),
    BLOCK("stage1.2", 16, 1),        BLOCK("stage2.0", 32, 2),
    BLOCK("stage2.1", 32, 1),        BLOCK("stage2.2", 32, 1),
    BLOCK("stage3.0", 64, 2),        BLOCK("stage3.1", 64, 1),
    BLOCK("stage3.2", 64, 1),        {.kind = &egc_layer_global_pool},
    LINEAR("fc", EGC_WIDTH_CLASSES), {0},
};

static const egc_net resnet20 = {
    .name = "resnet20",
    .summary = "20 layers with skip connections, made for images of 32 x 32",
    .reference = "He, Zhang, Ren, Sun: Deep residual learning for image recognition, CVPR "
                 "2016, arXiv:1512.03385",
    .layers = resnet20_layers,
    .usual_dataset = "shapes32",
};

/* Word-level language models: embedding, LSTM layers of the same width, and a linear decoder to the
 * vocabulary, with dropout on all connections but the recurrent ones (Zaremba, Sutskever, Vinyals
 * 2014). Parameters, for a vocabulary of V words and width W: 2 V W + V for embedding and decoder,
 * and 8 W W + 4 W for each LSTM layer. At width 200 and a vocabulary of 10,000, lstm2 is the
 * "small" model of Zaremba et al. */
/* clang-format off */
#define EMBEDDING {.kind = &egc_layer_embedding, .name = "embedding", .width = EGC_WIDTH_CHOSEN}
#define DROPOUT {.kind = &egc_layer_dropout}
#define LSTM(name_) {.kind = &egc_layer_lstm, .name = name_, .width = EGC_WIDTH_CHOSEN}
/* clang-format on */

static const egc_layer_spec lstm_layers[] = {
    EMBEDDING, DROPOUT, LSTM("lstm1"), DROPOUT, LINEAR("decoder", EGC_WIDTH_CLASSES), {0},
};

#define ZAREMBA                                                                                    \
    "Zaremba, Sutskever, Vinyals: Recurrent neural network regularization, arXiv:1409.2329"

static const egc_net lstm = {
    .name = "lstm",
    .summary = "word-level language model of one LSTM layer",
    .reference = ZAREMBA,
    .layers = lstm_layers,
    .usual_dataset = "kjv",
    .reads_text = true,
};

static const egc_layer_spec lstm2_layers[] = {
    EMBEDDING,
    DROPOUT,
    LSTM("lstm1"),
    DROPOUT,
    LSTM("lstm2"),
    DROPOUT,
    LINEAR("decoder", EGC_WIDTH_CLASSES),
    {0},
};

static const egc_net lstm2 = {
    .name = "lstm2",
    .summary = "word-level language model of two LSTM layers",
    .reference = ZAREMBA,
    .layers = lstm2_layers,
    .usual_dataset = "kjv",
    .reads_text = true,
};

/* In the order of lists and of the choices of `model`. */
#define NETS(NET) NET(cnn) NET(lstm) NET(lstm2) NET(mlp) NET(resnet20) NET(softmax) NET(vgg)
#define POINTER(net) &net,
#define NAME(net) #net,

static const egc_net *const nets[] = {NETS(POINTER) NULL};

const char *const egc_nets_names[] = {NETS(NAME) NULL};

const egc_net *const *egc_nets(void)
{
    return nets;
}
