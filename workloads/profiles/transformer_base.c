/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The base Transformer: six layers each of encoder and decoder, width 512, feed-forward 2048, and
 * one embedding of 37,000 sub-words for source, target and output. Layers are those of PyTorch's
 * nn.Transformer with its defaults (44,140,544 parameters, biases and a last normalisation of
 * either side included); with the embedding, 63,084,544. The paper says 65 million. */
#include <stdio.h>

#include "workloads/profiles/profile.h"

enum { SUBWORDS = 37000, WIDTH = 512, INNER = 2048, LAYERS = 6, SOURCE = 32, TARGET = 32 };

/* Queries come from n_queries positions, keys and values from n_keys. */
static void list_attention(egc_profile_list *list, const char *name, size_t n_queries,
                           size_t n_keys)
{
    char projection[EGC_LAYER_NAME];
    double matrix = 2.0 * WIDTH * WIDTH;
    egc_profile_tensor(list, (egc_profile_shape){{3 * WIDTH, WIDTH}},
                       matrix * (double)(n_queries + 2 * n_keys), "%s.in_proj_weight", name);
    egc_profile_tensor(list, (egc_profile_shape){{3 * WIDTH}}, 0, "%s.in_proj_bias", name);
    egc_profile_charge(list, 4.0 * (double)(n_queries * n_keys * WIDTH));
    snprintf(projection, sizeof projection, "%s.out_proj", name);
    egc_profile_linear(list, projection, WIDTH, WIDTH, n_queries);
}

static void list_feed_forward(egc_profile_list *list, size_t positions)
{
    egc_profile_linear(list, "linear1", WIDTH, INNER, positions);
    egc_profile_linear(list, "linear2", INNER, WIDTH, positions);
}

static void list_tensors(egc_profile_list *list)
{
    egc_profile_tensor(list, (egc_profile_shape){{SUBWORDS, WIDTH}}, 0, "embedding.weight");
    for (int i = 0; i < LAYERS; i++) {
        egc_profile_scope(list, "encoder.layers.%d.", i);
        list_attention(list, "self_attn", SOURCE, SOURCE);
        egc_profile_norm(list, "norm1", WIDTH);
        list_feed_forward(list, SOURCE);
        egc_profile_norm(list, "norm2", WIDTH);
    }
    egc_profile_scope_end(list);
    egc_profile_norm(list, "encoder.norm", WIDTH);
    for (int i = 0; i < LAYERS; i++) {
        egc_profile_scope(list, "decoder.layers.%d.", i);
        list_attention(list, "self_attn", TARGET, TARGET);
        egc_profile_norm(list, "norm1", WIDTH);
        list_attention(list, "multihead_attn", TARGET, SOURCE);
        egc_profile_norm(list, "norm2", WIDTH);
        list_feed_forward(list, TARGET);
        egc_profile_norm(list, "norm3", WIDTH);
    }
    egc_profile_scope_end(list);
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
