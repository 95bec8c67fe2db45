/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/datasets/dataset.h"

#include <assert.h>

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

const egc_dataset_type *const *egc_datasets(void)
{
    return datasets;
}

egc_status egc_dataset_load(const egc_dataset_type *type, const char *folder, size_t training_limit,
                            size_t test_limit, egc_dataset *out, egc_error *err)
{
    *out = (egc_dataset){
        .shape = type->shape,
        .classes = type->classes,
        .scale = (float)(1 / (255 * type->deviation)),
        .shift = (float)(-type->mean / type->deviation),
    };
    const char *where = folder[0] ? folder : type->folder;
    egc_status status = type->load(type, where, training_limit, test_limit, out, err);
    if (status)
        egc_dataset_fini(out);
    return status;
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

int egc_dataset_get(const egc_dataset *dataset, const egc_examples *examples, size_t index,
                    float *out)
{
    assert(index < examples->count);
    size_t size = egc_shape_count(&dataset->shape);
    const uint8_t *bytes = examples->values.data + index * size;
    for (size_t i = 0; i < size; i++)
        out[i] = dataset->scale * (float)bytes[i] + dataset->shift;
    return examples->labels.data[index];
}
