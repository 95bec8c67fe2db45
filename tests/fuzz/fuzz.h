/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz targets: what decoders do with any bytes at all.
 *
 * A target is one file with the two functions below. The preset `fuzz` builds it with libFuzzer,
 * for scripts/fuzz.sh; all build it with a main (replay.c) that runs it over its seeds, which are
 * small real inputs and damaged ones, and over corpus/NAME, which fuzzing found. ctest does that.
 *
 * The first bytes of an input choose the type, its parameters and n; the rest is a message. */
#ifndef EGC_FUZZ_H
#define EGC_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "compressors/plugin.h"

/* ---- a target gives these -------------------------------------------------------------------- */

/* One input. Aborts when a promise is broken; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Calls fuzz_seed for each seed. */
void fuzz_seeds(void);

/* ---- and may use these ----------------------------------------------------------------------- */

/* Ends the program with a message, in which the type last chosen is named. */
#define fuzz_check(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fuzz_fail(__FILE__, __LINE__, #condition);                                             \
    } while (0)
_Noreturn void fuzz_fail(const char *file, int line, const char *what);

/* The next byte, 0 after the end. */
unsigned fuzz_byte(egc_reader *input);

/* One of some 20 lengths from 1 to 65537. */
size_t fuzz_length(egc_reader *input);

/* The type whose name the next two bytes name by its hash, or else stand next to; of those that are
 * `wanted`. So inputs keep their meaning when types are added. */
const egc_compressor_type *fuzz_type(egc_reader *input, bool wanted(const egc_compressor_type *));

/* Sets an object's parameters, one byte for each row of the table: 0 leaves it as it is. */
void fuzz_params(egc_reader *input, const egc_param *table, void *object);

/* Sets up to three of them: a byte for how many, then for each one for the row and one for the
 * value. */
void fuzz_some_params(egc_reader *input, const egc_param *table, void *object);

/* From here on decoding may allocate what so many elements can justify, and status MEMORY tells
 * that it wanted more. fuzz_allow_all ends it. */
void fuzz_allow_memory_for(size_t elements);
void fuzz_allow_all(void);

/* The bytes that the functions above turn into this type or length. */
void fuzz_put_byte(egc_buf *seed, unsigned byte);
void fuzz_put_length(egc_buf *seed, size_t n); /* one of fuzz_lengths */
void fuzz_put_type(egc_buf *seed, const egc_compressor_type *type);
void fuzz_put_some_params(egc_buf *seed, const egc_param *table, const char *name, unsigned byte);

/* Of which seeds are made: not long. */
extern const size_t fuzz_lengths[];
enum { FUZZ_N_SHORT = 3 }; /* the first of them are short */

/* Runs the target over a seed and over damaged copies of it or, if fuzz_seed_folder is set, writes
 * them there, under names by their content. Frees the seed. */
void fuzz_seed(egc_buf *seed);
extern const char *fuzz_seed_folder;
extern size_t fuzz_n_seeds; /* so far, copies included */

#endif
