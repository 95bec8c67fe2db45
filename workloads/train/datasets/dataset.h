/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data sets by name, and one data set in memory.
 *
 * A data set is one const descriptor, named by one line of list.def. Values stay the bytes of the
 * file until a batch is made of them. */
#ifndef EGC_WORKLOADS_TRAIN_DATASETS_DATASET_H
#define EGC_WORKLOADS_TRAIN_DATASETS_DATASET_H

#include "base/buf.h"
#include "workloads/train/layers/layer.h"

/* One part of a data set: for training, or for testing. */
typedef struct egc_examples {
    size_t count;
    egc_buf values; /* count examples, one after the other */
    egc_buf labels; /* one byte each */
} egc_examples;

enum { EGC_CHANNELS = 3 }; /* at most */

typedef struct egc_dataset {
    egc_shape shape; /* shape of one example */
    size_t classes;
    float scale[EGC_CHANNELS], shift[EGC_CHANNELS]; /* input of a network: scale * byte + shift */
    egc_examples training;
    egc_examples test;
} egc_dataset;

typedef struct egc_dataset_type {
    const char *name;
    const char *summary;
    const char *reference;
    const char *folder; /* name of its folder, for egc_locate_find; NULL: generated */
    egc_shape shape;    /* shape of one example */
    size_t classes;     /* at most 256 */
    double mean[EGC_CHANNELS],
        deviation[EGC_CHANNELS]; /* mean and standard deviation of byte / 255 */
    const char *remedy;          /* advice when files are missing */

    /* The training, validation and test files of a text, which train/corpus.h reads; members about
     * images are then unused. NULL for images. */
    const char *const *text_files;

    /* Reads at most this many examples of each part. *out is zeroed before; egc_dataset_fini is due
     * on failure too. IO, FORMAT, MEMORY. */
    egc_status (*load)(const struct egc_dataset_type *type, const char *folder,
                       size_t training_limit, size_t test_limit, egc_dataset *out, egc_error *err);
} egc_dataset_type;

/* Every registered data set, NULL-terminated, in the order of list.def, and their names alike. */
const egc_dataset_type *const *egc_dataset_types(void);
extern const char *const egc_dataset_names[];

#define EGC_EXAMPLES_ALL SIZE_MAX

/* Loads a data set from the folder path; "": from the folder that egc_locate_find finds. Errors of
 * `load`; RANGE. */
egc_status egc_dataset_load(const egc_dataset_type *type, const char *path, size_t training_limit,
                            size_t test_limit, egc_dataset *out, egc_error *err) EGC_MUST_CHECK;
void egc_dataset_fini(egc_dataset *dataset);

/* The examples that evaluate a run. Settings chosen by the test set would be trained on it. */
typedef enum egc_evaluate_on { EGC_EVALUATE_ON_VALIDATION, EGC_EVALUATE_ON_TEST } egc_evaluate_on;

extern const char *const egc_dataset_evaluate_on[];

/* Makes the last tenth of the training set the evaluation set, at most `limit` examples from its
 * start, because image data sets have no validation set. RANGE when a tenth is less than one,
 * MEMORY. */
egc_status egc_dataset_hold_out(egc_dataset *dataset, size_t limit, egc_error *err) EGC_MUST_CHECK;

/* Writes the example's values as inputs of a network, and returns its label. */
int egc_dataset_get(const egc_dataset *dataset, const egc_examples *examples, size_t index,
                    float *out);

#endif
