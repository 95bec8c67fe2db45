/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CIFAR-10, binary version: each example is a byte with the label, then the red, green and blue
 * planes of 32 x 32 bytes. Five files of 10,000 examples for training, one for testing. */
#include <stdio.h>

#include "workloads/train/datasets/dataset.h"
#include "workloads/train/datasets/locate.h"

enum { IMAGE_BYTES = 3 * 32 * 32, EXAMPLE_BYTES = 1 + IMAGE_BYTES };

/* Appends the examples of a file's bytes, up to `limit` examples in all. */
static egc_status take_examples(const egc_dataset_type *type, const egc_buf *file, size_t limit,
                                egc_examples *out, egc_error *err)
{
    if (file->len == 0)
        return egc_fail(err, EGC_ERROR_FORMAT, "is empty");
    for (size_t at = 0; at < file->len && out->count < limit; at += EXAMPLE_BYTES, out->count++) {
        const uint8_t *example = file->data + at;
        if (file->len - at < EXAMPLE_BYTES)
            return egc_fail(err, EGC_ERROR_FORMAT, "ends after %zu of the %d bytes of an example",
                            file->len - at, EXAMPLE_BYTES);
        if (example[0] >= type->classes)
            return egc_fail(err, EGC_ERROR_FORMAT, "label %zu is %u, want 0 to %zu", out->count,
                            example[0], type->classes - 1);
        egc_buf_put(&out->labels, example, 1);
        egc_buf_put(&out->values, example + 1, IMAGE_BYTES);
    }
    return EGC_OK;
}

static egc_status read_file(const egc_dataset_type *type, const char *folder, const char *name,
                            size_t limit, egc_examples *out, egc_error *err)
{
    egc_buf file = {0};
    egc_status status = egc_locate_read(folder, name, type->remedy, &file, err);
    if (!status && take_examples(type, &file, limit, out, err))
        status = egc_error_prefix(err, "%s/%s: damaged or not of the data set %s", folder, name,
                                  type->name);
    egc_buf_fini(&file);
    if (!status)
        status = egc_buf_check(&out->values, err);
    return status ? status : egc_buf_check(&out->labels, err);
}

static egc_status load(const egc_dataset_type *type, const char *folder, size_t training_limit,
                       size_t test_limit, egc_dataset *out, egc_error *err)
{
    egc_status status = EGC_OK;
    for (int i = 1; i <= 5 && out->training.count < training_limit && !status; i++) {
        char name[32];
        snprintf(name, sizeof name, "data_batch_%d.bin", i);
        status = read_file(type, folder, name, training_limit, &out->training, err);
    }
    return status ? status : read_file(type, folder, "test_batch.bin", test_limit, &out->test, err);
}

const egc_dataset_type egc_dataset_cifar10 = {
    .name = "cifar10",
    .summary = "60,000 colour images of 32 x 32, ten kinds of animals and vehicles",
    .reference = "Krizhevsky: Learning multiple layers of features from tiny images, 2009",
    .folder = "cifar-10-batches-bin",
    .shape = {3, {3, 32, 32}},
    .classes = 10,
    .mean = {0.4914, 0.4822, 0.4465}, /* as published with many implementations */
    .deviation = {0.2470, 0.2435, 0.2616},
    .remedy = "unpack the binary version of the data set, cifar-10-binary.tar.gz, and set path to "
              "its folder, with data_batch_1.bin to data_batch_5.bin and test_batch.bin of "
              "30,730,000 bytes each, or EGC_DATA to the folder around that",
    .load = load,
};
