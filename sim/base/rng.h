/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Randomness: one generator, and one rule to derive seeds.
 *
 * All code that draws random numbers seeds a generator of its own from the run's seed and the name
 * of the thing drawn (worker, step, layer), so that no result depends on the order in which workers
 * run. The generator is SplitMix64 (Steele, Lea, Flood 2014), with 8 bytes of state and seeding by
 * one assignment. All distributions are those of GSL. */
#ifndef EGC_BASE_RNG_H
#define EGC_BASE_RNG_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

extern const gsl_rng_type *const egc_rng_splitmix64;

/* Returns the next output of SplitMix64 and advances *state. */
uint64_t egc_rng_next(uint64_t *state);

/* Returns the seed of the stream (seed, a, b). Different arguments give unrelated streams. */
uint64_t egc_rng_derive_seed(uint64_t seed, uint64_t a, uint64_t b);

#endif
