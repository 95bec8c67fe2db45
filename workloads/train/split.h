/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a training set over workers by class: the fewer classes a worker sees, the more its
 * gradients differ from those of the others.
 *
 * Every worker draws its shares of the classes from Dirichlet(alpha, ..., alpha) and takes examples
 * by them, in turn with the others, until none are left (Hsu, Qi, Brown 2019, arXiv:1909.06335;
 * there one worker takes all its examples before the next). A large alpha makes all workers alike,
 * a small one leaves each with few classes. All get the same number of examples, up to one, so that
 * their mean gradient is one of the whole training set; therefore the last examples go to the next
 * worker whatever their class. */
#ifndef EGC_WORKLOADS_TRAIN_SPLIT_H
#define EGC_WORKLOADS_TRAIN_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum egc_split_kind { EGC_SPLIT_IID, EGC_SPLIT_DIRICHLET } egc_split_kind;

extern const char *const egc_split_names[];

typedef struct egc_split {
    const uint8_t *labels; /* label of each example */
    size_t examples, classes, workers;
    double alpha;
    uint64_t seed;
} egc_split;

/* Writes every index of 0 .. examples-1 once to out: first those of worker 0, then those of worker
 * 1 and so on. Worker w's start at out[egc_split_first(split, w)]. MEMORY. */
egc_status egc_split_dirichlet(const egc_split *split, uint32_t *out,
                               egc_error *err) EGC_MUST_CHECK;
size_t egc_split_first(const egc_split *split, size_t worker);

#endif
