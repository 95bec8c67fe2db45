/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest GPT-2, whose output matrix is its input embedding: 124,439,808 parameters. (The
 * paper says 117 million, which its authors have since corrected to 124.) Hugging Face stores the
 * matrices of a block as {in, out}. Attention is counted in full, masked places included. */
#include <stdio.h>

#include "workloads/profiles/profile.h"

enum { WORDS = 50257, WIDTH = 768, INNER = 3072, LAYERS = 12, TOKENS = 1024 };

static void list_matrix(egc_profile_list *list, int block, const char *what, size_t in, size_t out)
{
    egc_profile_tensor(list, (egc_profile_shape){{in, out}}, 2.0 * (double)(in * out * TOKENS),
                       "h.%d.%s.weight", block, what);
    egc_profile_tensor(list, (egc_profile_shape){{out}}, 0, "h.%d.%s.bias", block, what);
}

static void list_norm(egc_profile_list *list, int block, const char *what)
{
    char name[32];
    snprintf(name, sizeof name, "h.%d.%s", block, what);
    egc_profile_norm(list, name, WIDTH);
}

static void list_tensors(egc_profile_list *list)
{
    egc_profile_tensor(list, (egc_profile_shape){{WORDS, WIDTH}}, 0, "wte.weight");
    egc_profile_tensor(list, (egc_profile_shape){{TOKENS, WIDTH}}, 0, "wpe.weight");
    for (int i = 0; i < LAYERS; i++) {
        list_norm(list, i, "ln_1");
        list_matrix(list, i, "attn.c_attn", WIDTH, 3 * WIDTH);
        egc_profile_charge(list, 4.0 * TOKENS * TOKENS * WIDTH);
        list_matrix(list, i, "attn.c_proj", WIDTH, WIDTH);
        list_norm(list, i, "ln_2");
        list_matrix(list, i, "mlp.c_fc", WIDTH, INNER);
        list_matrix(list, i, "mlp.c_proj", INNER, WIDTH);
    }
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
