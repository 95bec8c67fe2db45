/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Randomness: one generator type for GSL, and the rule that derives seeds.
 *
 * Every consumer of randomness seeds its own generator from the run's seed and what it is doing
 * (worker, step, layer), so that no result depends on the order in which workers happen to run.
 * The generator is SplitMix64 (Steele, Lea, Flood 2014): 8 bytes of state, seeded in one
 * assignment. All distributions are GSL's. */
#ifndef EGC_BASE_RNG_H
#define EGC_BASE_RNG_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

extern const gsl_rng_type *const egc_rng_splitmix64;

/* The next output of SplitMix64; advances *state. */
uint64_t egc_rng_next(uint64_t *state);

/* A seed for the stream that (seed, a, b) names. Different arguments give unrelated streams. */
uint64_t egc_rng_derive_seed(uint64_t seed, uint64_t a, uint64_t b);

#endif
