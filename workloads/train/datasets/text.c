/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/datasets/dataset.h"

static const char *const files[] = {"train.txt", "valid.txt", "test.txt"};

const egc_dataset_type egc_dataset_text = {
    .name = "text",
    .summary = "any plain text",
    .reference = "the user's own",
    .folder = "text",
    .remedy = "set path to a text file, or to a folder with train.txt, valid.txt and test.txt",
    .text_files = files,
};
