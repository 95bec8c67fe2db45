/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a method's messages took where somebody measured it, at some sizes, and so at any size. */
#ifndef EGC_TRAIN_COST_COST_TABLE_H
#define EGC_TRAIN_COST_COST_TABLE_H

#include <stddef.h>

typedef struct egc_cost_sample {
    double elements; /* of the unit */
    double encode_s; /* one worker's part in all rounds of a step */
    double decode_s; /* for each message delivered; of several rounds: for all in a step */
} egc_cost_sample;

/* Samples of one method with elements rising, at least one. */
typedef struct egc_cost_curve {
    const egc_cost_sample *samples;
    size_t n_samples;
    char id[17]; /* 16 hex digits that depend on the samples alone */
} egc_cost_curve;

/* Seconds for a unit of n elements. Between two samples the logarithm of the time is linear in that
 * of n (a power law; linear in n where a sample says 0 s). Beyond the first and the last sample the
 * time is a fixed part and a part for each element, as the two samples there have it. It is in
 * proportion to n instead where there is one sample only, where the two say that it falls with n,
 * and below the first where their fixed part is less than 0. */
double egc_cost_table_encode(const egc_cost_curve *curve, double n);
double egc_cost_table_decode(const egc_cost_curve *curve, double n);

#endif
