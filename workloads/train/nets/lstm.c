/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A word-level language model: embedding, one layer of LSTM of the same width, and a linear decoder
 * to the vocabulary, with dropout on what is not recurrent (Zaremba, Sutskever, Vinyals 2014).
 * Parameters, for a vocabulary of V words and width W: 2 V W + V for embedding and decoder, and
 * 8 W W + 4 W for each layer. */
#include "workloads/train/nets/net.h"

static const egc_layer_spec layers[] = {
    {.kind = &egc_layer_embedding, .name = "embedding", .width = EGC_WIDTH_CHOSEN},
    {.kind = &egc_layer_dropout},
    {.kind = &egc_layer_lstm, .name = "lstm1", .width = EGC_WIDTH_CHOSEN},
    {.kind = &egc_layer_dropout},
    {.kind = &egc_layer_linear, .name = "decoder", .width = EGC_WIDTH_CLASSES},
    {0},
};

const egc_net egc_net_lstm = {
    .name = "lstm",
    .summary = "word-level language model of one LSTM layer",
    .reference = "Zaremba, Sutskever, Vinyals: Recurrent neural network regularization, "
                 "arXiv:1409.2329",
    .layers = layers,
    .usual_dataset = "kjv",
    .reads_text = true,
};
