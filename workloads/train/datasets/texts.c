/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data sets of words: three plain text files in a folder, which train/corpus.c reads. */
#include "workloads/train/datasets/dataset.h"

static const char *const kjv_files[] = {"kjv.train.txt", "kjv.valid.txt", "kjv.test.txt"};

const egc_dataset_type egc_dataset_kjv = {
    .name = "kjv",
    .summary = "the King James Bible, a verse in each line, in lower case",
    .reference = "The Holy Bible, Authorised Version, 1611; Debian package bible-kjv-text",
    .folder = "kjv",
    .remedy = "run scripts/make_kjv_text.sh FOLDER, which makes it from the Debian packages "
              "bible-kjv and bible-kjv-text, and set path to FOLDER",
    .text_files = kjv_files,
};

/* 929,589 words for training, 73,760 for validation and 82,430 for testing, ends of lines included;
 * 10,000 different ones, <unk> and <eos> among them. Not in any package. */
static const char *const ptb_files[] = {"ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"};

const egc_dataset_type egc_dataset_ptb = {
    .name = "ptb",
    .summary = "Penn Treebank: a million words of the Wall Street Journal, in lower case",
    .reference = "Marcus, Santorini, Marcinkiewicz: Building a large annotated corpus of English, "
                 "Computational Linguistics 19(2), 1993; as prepared by Mikolov et al. 2010",
    .folder = "ptb",
    .remedy = "set path to a folder with ptb.train.txt, ptb.valid.txt and ptb.test.txt as Mikolov "
              "et al. prepared them: a sentence in each line, words separated by spaces",
    .text_files = ptb_files,
};

static const char *const text_files[] = {"train.txt", "valid.txt", "test.txt"};

const egc_dataset_type egc_dataset_text = {
    .name = "text",
    .summary = "any plain text",
    .reference = "the user's own",
    .folder = "text",
    .remedy = "set path to a text file, or to a folder with train.txt, valid.txt and test.txt",
    .text_files = text_files,
};
