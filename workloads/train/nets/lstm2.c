/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language model of lstm.c with a second layer: at width 200 and a vocabulary of 10,000 the
 * "small" one of Zaremba, Sutskever, Vinyals 2014. */
#include "workloads/train/nets/net.h"

static const egc_layer_spec layers[] = {
    {.kind = &egc_layer_embedding, .name = "embedding", .width = EGC_WIDTH_CHOSEN},
    {.kind = &egc_layer_dropout},
    {.kind = &egc_layer_lstm, .name = "lstm1", .width = EGC_WIDTH_CHOSEN},
    {.kind = &egc_layer_dropout},
    {.kind = &egc_layer_lstm, .name = "lstm2", .width = EGC_WIDTH_CHOSEN},
    {.kind = &egc_layer_dropout},
    {.kind = &egc_layer_linear, .name = "decoder", .width = EGC_WIDTH_CLASSES},
    {0},
};

const egc_net egc_net_lstm2 = {
    .name = "lstm2",
    .summary = "word-level language model of two LSTM layers",
    .reference = "Zaremba, Sutskever, Vinyals: Recurrent neural network regularization, "
                 "arXiv:1409.2329",
    .layers = layers,
    .usual_dataset = "kjv",
    .reads_text = true,
};
