/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language model on which gradient compression is usually shown (Lin et al. 2018, "DGC"): two
 * LSTM layers of 1500 units for the 10,000 words of the Penn Treebank, input and output embedding
 * tied. With the two biases that PyTorch's LSTM has, 51,034,000 parameters: 194.68 MB of 2^20
 * bytes, the gradient size that Lin et al. state. (Without tying it is Zaremba et al.'s large
 * model, 66 million.) */
#include "workloads/profiles/profile.h"

enum { WORDS = 10000, UNITS = 1500, GATES = 4 * UNITS, TOKENS = 35 };

static void list_tensors(egc_profile_list *list)
{
    const egc_profile_shape weight = {{GATES, UNITS}}, bias = {{GATES}};
    double product = 2.0 * GATES * UNITS * TOKENS;
    egc_profile_tensor(list, (egc_profile_shape){{WORDS, UNITS}}, 0, "encoder.weight");
    for (int layer = 0; layer < 2; layer++) {
        egc_profile_tensor(list, weight, product, "rnn.weight_ih_l%d", layer);
        egc_profile_tensor(list, weight, product, "rnn.weight_hh_l%d", layer);
        egc_profile_tensor(list, bias, 0, "rnn.bias_ih_l%d", layer);
        egc_profile_tensor(list, bias, 0, "rnn.bias_hh_l%d", layer);
    }
    egc_profile_charge(list, 2.0 * WORDS * UNITS * TOKENS);
    egc_profile_tensor(list, (egc_profile_shape){{WORDS}}, 0, "decoder.bias");
}

const egc_profile egc_profile_lstm_ptb = {
    .name = "lstm-ptb",
    .summary = "language model of two LSTM layers of 1500 for the Penn Treebank, embeddings tied, "
               "51,034,000 parameters (for synthetic)",
    .reference =
        "Lin et al.: Deep gradient compression, ICLR 2018 (arXiv 1712.01887), after Press, "
        "Wolf: Using the output embedding to improve language models, EACL 2017 (arXiv "
        "1608.05859); names are those of PyTorch's word_language_model",
    .example = "a sequence of 35 tokens",
    .batch = 20,
    .batch_reference = "Zaremba et al. 2014 (arXiv 1409.2329)",
    .list = list_tensors,
};
