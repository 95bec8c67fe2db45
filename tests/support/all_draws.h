/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expectations of coders that round at random, by going through all draws instead of sampling. */
#ifndef EGC_TEST_ALL_DRAWS_H
#define EGC_TEST_ALL_DRAWS_H

#include "support/coder.h"

/* A generator that gives one number for all draws: with the middles of `DRAWS` equal parts of
 * [0, 1), the mean over all is the expectation of an element but for one part of it. */
enum { DRAWS = 2000 };

static inline void set_number(void *state, unsigned long draw)
{
    *(double *)state = ((double)draw + 0.5) / DRAWS;
}

static inline double get_number(void *state)
{
    return *(double *)state;
}

static inline unsigned long get_nothing(void *state)
{
    (void)state;
    fail_msg("only uniform numbers in [0, 1) are to be drawn");
    return 0;
}

static const gsl_rng_type all_draws = {
    .name = "all draws",
    .max = 1,
    .size = sizeof(double),
    .set = set_number,
    .get = get_nothing,
    .get_double = get_number,
};

typedef struct moments {
    double mean, second;
    double error2; /* mean square of what it is off x */
} moments;

/* Of what n elements are decoded to. */
static inline void moments_of(const char *name, const char *settings, const float *x, size_t n,
                              moments *m)
{
    coder c = coder_open(name, settings, n, 0);
    float *out = malloc(n * sizeof *out);
    gsl_rng_free(c.rng);
    c.rng = gsl_rng_alloc(&all_draws);
    memset(m, 0, n * sizeof *m);
    for (unsigned long draw = 0; draw < DRAWS; draw++) {
        gsl_rng_set(c.rng, draw);
        coder_round_trip(&c, x, 0, out);
        for (size_t i = 0; i < n; i++) {
            double value = (double)out[i], off = value - (double)x[i];
            m[i].mean += value / DRAWS;
            m[i].second += value * value / DRAWS;
            m[i].error2 += off * off / DRAWS;
        }
    }
    free(out);
    coder_close(&c);
}

#endif
