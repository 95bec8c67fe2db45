/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CIFAR-10, binary version: each example is a byte with the label, then the red, green and blue
 * planes of 32 x 32 bytes. Five files of 10,000 examples for training, one for testing. */
#include <errno.h>
#include <stdio.h>

#include "workloads/train/datasets/dataset.h"
#include "workloads/train/datasets/locate.h"

enum { IMAGE_BYTES = 3 * 32 * 32, RECORD_BYTES = 1 + IMAGE_BYTES };

static egc_status take_record(const egc_dataset_type *type, const char *path, const uint8_t *record,
                              egc_examples *out, egc_error *err)
{
    if (record[0] >= type->classes)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: damaged or not of the data set %s: label %zu is %u, want 0 to %zu",
                        path, type->name, out->count, record[0], type->classes - 1);
    egc_status status = egc_buf_append(&out->labels, record, 1, err);
    if (!status)
        status = egc_buf_append(&out->values, record + 1, IMAGE_BYTES, err);
    if (!status)
        out->count++;
    return status;
}

static egc_status read_records(const egc_dataset_type *type, const char *path, FILE *file,
                               size_t limit, egc_examples *out, egc_error *err)
{
    uint8_t record[RECORD_BYTES];
    size_t got = RECORD_BYTES;
    egc_status status = EGC_OK;
    while (!status && out->count < limit) {
        errno = 0;
        got = fread(record, 1, RECORD_BYTES, file);
        if (got < RECORD_BYTES)
            break;
        status = take_record(type, path, record, out, err);
    }
    if (!status && ferror(file))
        return egc_fail_errno(err, "read", path);
    if (!status && got > 0 && got < RECORD_BYTES)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: damaged or not of the data set %s: ends after %zu of the %d bytes of "
                        "an example",
                        path, type->name, got, RECORD_BYTES);
    return status;
}

static egc_status read_file(const egc_dataset_type *type, const char *folder, const char *name,
                            size_t limit, egc_examples *out, egc_error *err)
{
    char path[PATH_MAX];
    egc_status status = egc_locate_path(folder, name, path, err);
    if (status)
        return status;
    FILE *file = fopen(path, "rb");
    if (!file)
        return egc_locate_fail_open(folder, name, type->remedy, err);
    size_t before = out->count;
    status = read_records(type, path, file, limit, out, err);
    fclose(file);
    if (!status && out->count == before)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: damaged or not of the data set %s: is empty",
                        path, type->name);
    return status;
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
