/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SplitMix64 as published, and its adapter to the generator interface of GSL. */
#include "base/rng.h"

uint64_t egc_rng_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

uint64_t egc_rng_derive_seed(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t state = seed;
    state = egc_rng_next(&state) ^ a;
    state = egc_rng_next(&state) ^ b;
    return egc_rng_next(&state);
}

static void set(void *state, unsigned long seed)
{
    *(uint64_t *)state = seed;
}

static unsigned long get(void *state)
{
    return egc_rng_next(state);
}

static double get_double(void *state)
{
    return (double)(egc_rng_next(state) >> 11) * 0x1p-53;
}

static const gsl_rng_type splitmix64 = {
    .name = "splitmix64",
    .max = UINT64_MAX,
    .min = 0,
    .size = sizeof(uint64_t),
    .set = set,
    .get = get,
    .get_double = get_double,
};

const gsl_rng_type *const egc_rng_splitmix64 = &splitmix64;
