/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text in memory, as the numbers of its words.
 *
 * A word is a run of bytes without white space. Every line with words ends with one more word,
 * <eos>; empty lines are skipped. The vocabulary is that of the training part. */
#ifndef EGC_WORKLOADS_TRAIN_CORPUS_H
#define EGC_WORKLOADS_TRAIN_CORPUS_H

#include "base/buf.h"
#include "workloads/train/datasets/dataset.h"

typedef enum egc_corpus_part {
    EGC_CORPUS_TRAINING,
    EGC_CORPUS_VALIDATION,
    EGC_CORPUS_TEST,
    EGC_CORPUS_PARTS
} egc_corpus_part;

typedef struct egc_corpus {
    size_t vocabulary; /* number of words with a number */
    egc_buf numbers[EGC_CORPUS_PARTS];
} egc_corpus;

/* Reads the three files of the data set from the folder `where`. If `where` is a file, the first 90
 * % of its lines are for training, the next 5 % for validation, and the rest for testing. At most
 * `limit` words get numbers of their own. *out is to be given to egc_corpus_fini after success. IO,
 * FORMAT, MEMORY. */
egc_status egc_corpus_load(const egc_dataset_type *type, const char *where, size_t limit,
                           egc_corpus *out, egc_error *err) EGC_MUST_CHECK;
void egc_corpus_fini(egc_corpus *corpus);

/* Number of words of a part, and their numbers. */
size_t egc_corpus_count(const egc_corpus *corpus, egc_corpus_part part);
const uint32_t *egc_corpus_numbers(const egc_corpus *corpus, egc_corpus_part part);

#endif
