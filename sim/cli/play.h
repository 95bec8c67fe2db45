/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of a method among a few workers that share one replica, without a network: for measuring
 * the time and the size of compression. */
#ifndef EGC_CLI_PLAY_H
#define EGC_CLI_PLAY_H

#include "compressors/core/method.h"

enum { EGC_PLAY_WORKERS = 4 }; /* at most */

typedef struct egc_play egc_play;

/* Means over the workers. */
typedef struct egc_play_costs {
    double encode_s; /* to compress a gradient, error feedback included */
    double decode_s; /* to take in one message; of a method of several rounds, all of a step */
    double sent_bytes;
} egc_play_costs;

/* Workers for gradients of n elements, compressed as one matrix that is as square as n allows.
 * method is borrowed, *out is the caller's. MEMORY, and errors of the method. */
egc_status egc_play_new(const egc_method *method, size_t n, size_t n_workers, uint64_t seed,
                        egc_play **out, egc_error *err) EGC_MUST_CHECK;
void egc_play_free(egc_play *play); /* accepts NULL */

/* The matrix; borrowed. */
const egc_unit *egc_play_unit(const egc_play *play);

/* The n elements of a worker's gradient, to be filled before each step; borrowed. */
float *egc_play_gradient(egc_play *play, size_t worker);

/* Plays all rounds of a step. lr is the learning rate, NAN if there is none. */
egc_status egc_play_step(egc_play *play, uint64_t step, double lr, egc_play_costs *out,
                         egc_error *err) EGC_MUST_CHECK;

#endif
