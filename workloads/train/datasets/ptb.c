/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 929,589 words for training, 73,760 for validation and 82,430 for testing, the ends of lines
 * included; 10,000 different ones, <unk> and <eos> among them. Not in any package. */
#include "workloads/train/datasets/dataset.h"

static const char *const files[] = {"ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"};

const egc_dataset_type egc_dataset_ptb = {
    .name = "ptb",
    .summary = "Penn Treebank: a million words of the Wall Street Journal, in lower case",
    .reference = "Marcus, Santorini, Marcinkiewicz: Building a large annotated corpus of English, "
                 "Computational Linguistics 19(2), 1993; as prepared by Mikolov et al. 2010",
    .folder = "ptb",
    .remedy = "set path to a folder with ptb.train.txt, ptb.valid.txt and ptb.test.txt as Mikolov "
              "et al. prepared them: a sentence in each line, words separated by spaces",
    .text_files = files,
};
