/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BERT-base, uncased, without a head: the 109,482,240 parameters of Hugging Face's BertModel. Most
 * of the pre-training was on sequences of 128 tokens. */
#include "workloads/profiles/profile.h"

enum { WORDS = 30522, PLACES = 512, WIDTH = 768, INNER = 3072, LAYERS = 12, TOKENS = 128 };

static void list_tensors(egc_profile_list *list)
{
    egc_profile_tensor(list, (egc_profile_shape){{WORDS, WIDTH}}, 0,
                       "embeddings.word_embeddings.weight");
    egc_profile_tensor(list, (egc_profile_shape){{PLACES, WIDTH}}, 0,
                       "embeddings.position_embeddings.weight");
    egc_profile_tensor(list, (egc_profile_shape){{2, WIDTH}}, 0,
                       "embeddings.token_type_embeddings.weight");
    egc_profile_norm(list, "embeddings.LayerNorm", WIDTH);
    for (int i = 0; i < LAYERS; i++) {
        egc_profile_scope(list, "encoder.layer.%d.", i);
        egc_profile_linear(list, "attention.self.query", WIDTH, WIDTH, TOKENS);
        egc_profile_linear(list, "attention.self.key", WIDTH, WIDTH, TOKENS);
        egc_profile_linear(list, "attention.self.value", WIDTH, WIDTH, TOKENS);
        egc_profile_charge(list, 4.0 * TOKENS * TOKENS * WIDTH);
        egc_profile_linear(list, "attention.output.dense", WIDTH, WIDTH, TOKENS);
        egc_profile_norm(list, "attention.output.LayerNorm", WIDTH);
        egc_profile_linear(list, "intermediate.dense", WIDTH, INNER, TOKENS);
        egc_profile_linear(list, "output.dense", INNER, WIDTH, TOKENS);
        egc_profile_norm(list, "output.LayerNorm", WIDTH);
    }
    egc_profile_scope_end(list);
    egc_profile_linear(list, "pooler.dense", WIDTH, WIDTH, 1);
}

const egc_profile egc_profile_bert_base = {
    .name = "bert-base",
    .summary = "BERT-base uncased without a head, 109,482,240 parameters (for synthetic)",
    .reference = "Devlin, Chang, Lee, Toutanova: BERT, NAACL 2019 (arXiv 1810.04805); names are "
                 "Hugging Face's (bert-base-uncased, BertModel)",
    .example = "a sequence of 128 tokens",
    .batch = 16,
    .batch_reference = "Devlin et al. 2019: 256 on 16 TPU chips",
    .list = list_tensors,
};
