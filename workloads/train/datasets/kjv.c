/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/datasets/dataset.h"

static const char *const files[] = {"kjv.train.txt", "kjv.valid.txt", "kjv.test.txt"};

const egc_dataset_type egc_dataset_kjv = {
    .name = "kjv",
    .summary = "the King James Bible, a verse in each line, in lower case",
    .reference = "The Holy Bible, Authorised Version, 1611; Debian package bible-kjv-text",
    .folder = "kjv",
    .remedy = "run scripts/make_kjv_text.sh FOLDER, which makes it from the Debian packages "
              "bible-kjv and bible-kjv-text, and set path to FOLDER",
    .text_files = files,
};
