/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of data sets, made from list.def; loading, holding out a validation set, and
 * normalising one example. */
#include "workloads/train/datasets/dataset.h"

#include <assert.h>

#include "workloads/train/datasets/locate.h"

#define EGC_DATASET(name, text) extern const egc_dataset_type egc_dataset_##name;
#include "workloads/train/datasets/list.def"
#undef EGC_DATASET

static const egc_dataset_type *const datasets[] = {
#define EGC_DATASET(name, text) &egc_dataset_##name,
#include "workloads/train/datasets/list.def"
#undef EGC_DATASET
    NULL,
};

const char *const egc_dataset_names[] = {
#define EGC_DATASET(name, text) text,
#include "workloads/train/datasets/list.def"
#undef EGC_DATASET
    NULL,
};

const egc_dataset_type *const *egc_dataset_types(void)
{
    return datasets;
}

static egc_status locate(const egc_dataset_type *type, const char *path, egc_location *out,
                         egc_error *err)
{
    if (type->folder)
        return egc_locate_find(path, type->folder, out, err);
    if (path[0])
        return egc_fail(err, EGC_ERROR_RANGE, "path must be empty for %s, which is generated",
                        type->name);
    return EGC_OK;
}

egc_status egc_dataset_load(const egc_dataset_type *type, const char *path, size_t training_limit,
                            size_t test_limit, egc_dataset *out, egc_error *err)
{
    *out = (egc_dataset){.shape = type->shape, .classes = type->classes};
    for (size_t i = 0; i < type->shape.dims[0]; i++) {
        out->scale[i] = (float)(1 / (255 * type->deviation[i]));
        out->shift[i] = (float)(-type->mean[i] / type->deviation[i]);
    }
    egc_location folder = {0};
    egc_status status = locate(type, path, &folder, err);
    if (!status)
        status = type->load(type, folder.path, training_limit, test_limit, out, err);
    if (status)
        egc_dataset_fini(out);
    return egc_locate_explain(&folder, status, err);
}

void egc_dataset_fini(egc_dataset *dataset)
{
    egc_examples *halves[] = {&dataset->training, &dataset->test};
    for (int i = 0; i < 2; i++) {
        egc_buf_fini(&halves[i]->values);
        egc_buf_fini(&halves[i]->labels);
    }
    *dataset = (egc_dataset){0};
}

const char *const egc_dataset_evaluate_on[] = {"validation", "test", NULL};

egc_status egc_dataset_hold_out(egc_dataset *dataset, size_t limit, egc_error *err)
{
    egc_examples *training = &dataset->training, *held = &dataset->test;
    size_t tenth = training->count / 10, size = egc_shape_count(&dataset->shape);
    if (tenth == 0)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "evaluate_on = \"validation\" holds out a tenth of the training examples: "
                        "train_examples must be at least 10, got %zu",
                        training->count);
    training->count -= tenth;
    held->count = limit < tenth ? limit : tenth;
    egc_buf_clear(&held->values);
    egc_buf_clear(&held->labels);
    egc_status status = egc_buf_append(
        &held->values, training->values.data + training->count * size, held->count * size, err);
    if (!status)
        status = egc_buf_append(&held->labels, training->labels.data + training->count, held->count,
                                err);
    return status;
}

int egc_dataset_get(const egc_dataset *dataset, const egc_examples *examples, size_t index,
                    float *out)
{
    assert(index < examples->count);
    size_t size = egc_shape_count(&dataset->shape), plane = size / dataset->shape.dims[0];
    const uint8_t *bytes = examples->values.data + index * size;
    for (size_t channel = 0; channel < dataset->shape.dims[0]; channel++) {
        const float scale = dataset->scale[channel], shift = dataset->shift[channel];
        for (size_t i = channel * plane; i < (channel + 1) * plane; i++)
            out[i] = scale * (float)bytes[i] + shift;
    }
    return examples->labels.data[index];
}
