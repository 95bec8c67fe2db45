/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest GPT-2, whose output matrix is its input embedding: 124,439,808 parameters. (The
 * paper says 117 million, which its authors have since corrected to 124.) Hugging Face stores the
 * matrices of a block as {in, out}. Attention is counted in full, masked places included. */
#include "workloads/profiles/profile.h"

enum { WORDS = 50257, WIDTH = 768, INNER = 3072, LAYERS = 12, TOKENS = 1024 };

static void list_matrix(egc_profile_list *list, const char *name, size_t in, size_t out)
{
    egc_profile_tensor(list, (egc_profile_shape){{in, out}}, 2.0 * (double)(in * out * TOKENS),
                       "%s.weight", name);
    egc_profile_tensor(list, (egc_profile_shape){{out}}, 0, "%s.bias", name);
}

static void list_tensors(egc_profile_list *list)
{
    egc_profile_tensor(list, (egc_profile_shape){{WORDS, WIDTH}}, 0, "wte.weight");
    egc_profile_tensor(list, (egc_profile_shape){{TOKENS, WIDTH}}, 0, "wpe.weight");
    for (int i = 0; i < LAYERS; i++) {
        egc_profile_scope(list, "h.%d.", i);
        egc_profile_norm(list, "ln_1", WIDTH);
        list_matrix(list, "attn.c_attn", WIDTH, 3 * WIDTH);
        egc_profile_charge(list, 4.0 * TOKENS * TOKENS * WIDTH);
        list_matrix(list, "attn.c_proj", WIDTH, WIDTH);
        egc_profile_norm(list, "ln_2", WIDTH);
        list_matrix(list, "mlp.c_fc", WIDTH, INNER);
        list_matrix(list, "mlp.c_proj", INNER, WIDTH);
    }
    egc_profile_scope_end(list);
    egc_profile_norm(list, "ln_f", WIDTH);
    egc_profile_charge(list, 2.0 * WORDS * WIDTH * TOKENS);
}

const egc_profile egc_profile_gpt2_small = {
    .name = "gpt2-small",
    .summary = "the smallest GPT-2, 124,439,808 parameters (for synthetic)",
    .reference = "Radford et al.: Language models are unsupervised multitask learners, 2019; names "
                 "are Hugging Face's (gpt2)",
    .example = "a sequence of 1024 tokens",
    .batch = 8,
    .batch_reference = "an assumption: the paper's 512 sequences on 64 workers",
    .list = list_tensors,
};
