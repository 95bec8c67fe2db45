/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The base Transformer: six layers each of encoder and decoder, width 512, feed-forward 2048, and
 * one embedding of 37,000 sub-words for source, target and output. Layers are those of PyTorch's
 * nn.Transformer with its defaults (44,140,544 parameters, biases and a last normalisation of
 * either side included); with the embedding, 63,084,544. The paper says 65 million. */
#include <stdio.h>

#include "workloads/profiles/profile.h"

enum { SUBWORDS = 37000, WIDTH = 512, INNER = 2048, LAYERS = 6, SOURCE = 32, TARGET = 32 };

/* Queries come from n_queries positions, keys and values from n_keys. */
static void list_attention(egc_profile_list *list, const char *layer, const char *which,
                           size_t n_queries, size_t n_keys)
{
    char name[64];
    double matrix = 2.0 * WIDTH * WIDTH;
    snprintf(name, sizeof name, "%s.%s", layer, which);
    egc_profile_tensor(list, (egc_profile_shape){{3 * WIDTH, WIDTH}},
                       matrix * (double)(n_queries + 2 * n_keys), "%s.in_proj_weight", name);
    egc_profile_tensor(list, (egc_profile_shape){{3 * WIDTH}}, 0, "%s.in_proj_bias", name);
    egc_profile_charge(list, 4.0 * (double)(n_queries * n_keys * WIDTH));
    snprintf(name, sizeof name, "%s.%s.out_proj", layer, which);
    egc_profile_linear(list, name, WIDTH, WIDTH, n_queries);
}

static void list_norm(egc_profile_list *list, const char *layer, const char *which)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", layer, which);
    egc_profile_norm(list, name, WIDTH);
}

static void list_feed_forward(egc_profile_list *list, const char *layer, size_t positions)
{
    char name[64];
    snprintf(name, sizeof name, "%s.linear1", layer);
    egc_profile_linear(list, name, WIDTH, INNER, positions);
    snprintf(name, sizeof name, "%s.linear2", layer);
    egc_profile_linear(list, name, INNER, WIDTH, positions);
}

static void list_tensors(egc_profile_list *list)
{
    char layer[32];
    egc_profile_tensor(list, (egc_profile_shape){{SUBWORDS, WIDTH}}, 0, "embedding.weight");
    for (int i = 0; i < LAYERS; i++) {
        snprintf(layer, sizeof layer, "encoder.layers.%d", i);
        list_attention(list, layer, "self_attn", SOURCE, SOURCE);
        list_norm(list, layer, "norm1");
        list_feed_forward(list, layer, SOURCE);
        list_norm(list, layer, "norm2");
    }
    egc_profile_norm(list, "encoder.norm", WIDTH);
    for (int i = 0; i < LAYERS; i++) {
        snprintf(layer, sizeof layer, "decoder.layers.%d", i);
        list_attention(list, layer, "self_attn", TARGET, TARGET);
        list_norm(list, layer, "norm1");
        list_attention(list, layer, "multihead_attn", TARGET, SOURCE);
        list_norm(list, layer, "norm2");
        list_feed_forward(list, layer, TARGET);
        list_norm(list, layer, "norm3");
    }
    egc_profile_norm(list, "decoder.norm", WIDTH);
    egc_profile_charge(list, 2.0 * SUBWORDS * WIDTH * TARGET);
}

const egc_profile egc_profile_transformer_base = {
    .name = "transformer-base",
    .summary = "base Transformer with one shared embedding of 37,000 sub-words, 63,084,544 "
               "parameters (for synthetic)",
    .reference = "Vaswani et al.: Attention is all you need, NIPS 2017 (arXiv 1706.03762); layers "
                 "are those of PyTorch's nn.Transformer",
    .example = "a pair of sentences of 32 tokens each",
    .batch = 98,
    .batch_reference = "Vaswani et al. 2017: 25,000 tokens of either language on eight GPUs",
    .list = list_tensors,
};
