/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data sets by name, and one data set in memory.
 *
 * A data set is one const descriptor in one file, named by one line of list.def. Numbers stay the
 * bytes they are in the file until a batch is made of them. */
#ifndef EGC_WORKLOADS_TRAIN_DATASETS_DATASET_H
#define EGC_WORKLOADS_TRAIN_DATASETS_DATASET_H

#include "base/buf.h"
#include "workloads/train/layers/layer.h"

/* One half of a data set: for training, or for testing. */
typedef struct egc_examples {
    size_t count;
    egc_buf values; /* count examples, one after the other */
    egc_buf labels; /* one byte each */
} egc_examples;

enum { EGC_CHANNELS = 3 }; /* at most */

typedef struct egc_dataset {
    egc_shape shape; /* of one example */
    size_t classes;
    float scale[EGC_CHANNELS], shift[EGC_CHANNELS]; /* a network sees scale * byte + shift */
    egc_examples training;
    egc_examples test;
} egc_dataset;

typedef struct egc_dataset_type {
    const char *name;
    const char *summary;
    const char *reference;
    const char *folder; /* its name, by which it is looked for; NULL: it is generated */
    egc_shape shape;    /* of one example */
    size_t classes;     /* at most 256 */
    double mean[EGC_CHANNELS], deviation[EGC_CHANNELS]; /* of byte / 255 in the training set */
    const char *remedy;                                 /* what to do when it is not there */

    /* Of a text, its files for training, validation and testing (train/corpus.h reads them); what
     * describes images is then not used. NULL otherwise. */
    const char *const *text_files;

    /* Reads at most this many examples of each half. *out is zeroed before, and egc_dataset_fini
     * is due on failure too. IO, FORMAT, MEMORY. */
    egc_status (*load)(const struct egc_dataset_type *type, const char *folder,
                       size_t training_limit, size_t test_limit, egc_dataset *out, egc_error *err);
} egc_dataset_type;

/* Every registered data set, NULL-terminated, in the order of list.def, and their names alike. */
const egc_dataset_type *const *egc_dataset_types(void);
extern const char *const egc_dataset_names[];

#define EGC_EXAMPLES_ALL SIZE_MAX

/* Loads a data set from the folder path, or if that is "" from where it is found (locate.h). */
egc_status egc_dataset_load(const egc_dataset_type *type, const char *path, size_t training_limit,
                            size_t test_limit, egc_dataset *out, egc_error *err) EGC_MUST_CHECK;
void egc_dataset_fini(egc_dataset *dataset);

/* What a training run is judged by. To choose between settings by the test set would be to train on
 * it. */
typedef enum egc_evaluate_on { EGC_EVALUATE_ON_VALIDATION, EGC_EVALUATE_ON_TEST } egc_evaluate_on;

extern const char *const egc_dataset_evaluate_on[];

/* Makes the last tenth of the training set the set to evaluate on, at most `limit` examples from
 * its start: images come without a validation set. RANGE when there is less than one, MEMORY. */
egc_status egc_dataset_hold_out(egc_dataset *dataset, size_t limit, egc_error *err) EGC_MUST_CHECK;

/* Writes the example's numbers as a network sees them, and returns its label. */
int egc_dataset_get(const egc_dataset *dataset, const egc_examples *examples, size_t index,
                    float *out);

#endif
