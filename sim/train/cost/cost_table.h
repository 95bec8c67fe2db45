/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured times of a method's messages at some sizes, interpolated to any size. */
#ifndef EGC_TRAIN_COST_COST_TABLE_H
#define EGC_TRAIN_COST_COST_TABLE_H

#include <stddef.h>

typedef struct egc_cost_sample {
    double elements; /* in the unit */
    double encode_s; /* one worker's part in all rounds of a step */
    double decode_s; /* per message delivered; with several rounds: for all in a step */
} egc_cost_sample;

/* Samples of one method, at least one, ascending in elements. */
typedef struct egc_cost_curve {
    const egc_cost_sample *samples;
    size_t n_samples;
    char id[17]; /* 16 hex digits, a hash of the samples */
} egc_cost_curve;

/* Seconds for a unit of n elements.
 *
 * Between two samples the time is a power law through both, or linear in n if one of them is 0 s.
 * Below the first and above the last sample it is linear through the two samples there: a fixed
 * part and a part per element. It is proportional to n instead if there is one sample only, if the
 * two samples fall with n, and below the first if their fixed part would be negative. */
double egc_cost_table_encode(const egc_cost_curve *curve, double n);
double egc_cost_table_decode(const egc_cost_curve *curve, double n);

#endif
