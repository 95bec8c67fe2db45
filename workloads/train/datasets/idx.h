/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files MNIST and its successors come in. An IDX file is big-endian: two zero bytes, the type
 * of the numbers (8: unsigned bytes), the number of dimensions, each dimension in four bytes, then
 * the numbers in row-major order. All four files are gzipped. */
#ifndef EGC_WORKLOADS_TRAIN_DATASETS_IDX_H
#define EGC_WORKLOADS_TRAIN_DATASETS_IDX_H

#include "workloads/train/datasets/dataset.h"

/* Loads train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz and the two t10k-* files. */
egc_status egc_idx_load(const egc_dataset_type *type, const char *folder, size_t training_limit,
                        size_t test_limit, egc_dataset *out, egc_error *err) EGC_MUST_CHECK;

#endif
