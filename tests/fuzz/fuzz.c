/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"

static const char *subject = "";

_Noreturn void fuzz_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s: broken promise: %s\n", file, line, subject, what);
    abort();
}

/* ---- reading --------------------------------------------------------------------------------- */

unsigned fuzz_byte(egc_reader *input)
{
    return input->next < input->end ? *input->next++ : 0;
}

const size_t fuzz_lengths[] = {1,  7,  33,  65,  2,   3,   8,    9,    15,   16,   17,   31,   32,
                               63, 64, 100, 255, 256, 257, 1000, 1023, 1024, 1025, 4096, 65537};
enum { N_LENGTHS = sizeof fuzz_lengths / sizeof *fuzz_lengths };

size_t fuzz_length(egc_reader *input)
{
    return fuzz_lengths[fuzz_byte(input) % N_LENGTHS];
}

static unsigned hash_of(const egc_compressor_type *type)
{
    return egc_hash(EGC_HASH_START, type->name, strlen(type->name)) >> 20 & 0xffff;
}

const egc_compressor_type *fuzz_type(egc_reader *input, bool wanted(const egc_compressor_type *))
{
    unsigned place = fuzz_byte(input) << 8, nearest = UINT32_MAX;
    place |= fuzz_byte(input);
    const egc_compressor_type *found = NULL;
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++) {
        unsigned distance = (hash_of(*type) - place) & 0xffff;
        if (wanted(*type) && distance < nearest) {
            found = *type;
            nearest = distance;
        }
    }
    subject = found->name;
    return found;
}

/* A number of the row's range, from its minimum (1) to its maximum (254), in steps of equal ratio
 * where that is possible. */
static double number_of(const egc_param *row, unsigned byte)
{
    double min = row->min, max = isfinite(row->max) ? row->max : 1e9, t = (byte - 1) / 253.0;
    if (min > 0)
        return min * pow(max / min, t);
    return t * t * t * (max - min) + min;
}

static void set_from_byte(const egc_param *row, void *object, unsigned byte)
{
    size_t words = 0;
    while (row->choices && row->choices[words])
        words++;
    egc_scalar value = {.kind = EGC_SCALAR_NUMBER};
    if (row->kind == EGC_PARAM_BOOL)
        value = (egc_scalar){.kind = EGC_SCALAR_BOOL, .boolean = byte & 1};
    else if (words && (row->kind == EGC_PARAM_CHOICE || byte == 255))
        value = (egc_scalar){.kind = EGC_SCALAR_TEXT, .text = row->choices[byte % words]};
    else if (row->kind == EGC_PARAM_INT)
        value.number = floor(number_of(row, byte));
    else if (row->kind == EGC_PARAM_REAL)
        value.number = number_of(row, byte);
    else
        return;
    egc_status ignored = egc_param_set(row, object, &value, NULL); /* stays as it is */
    (void)ignored;
}

void fuzz_params(egc_reader *input, const egc_param *table, void *object)
{
    for (const egc_param *row = table; row && row->name; row++) {
        unsigned byte = fuzz_byte(input);
        if (byte)
            set_from_byte(row, object, byte);
    }
}

void fuzz_some_params(egc_reader *input, const egc_param *table, void *object)
{
    unsigned rows = 0;
    while (table[rows].name)
        rows++;
    for (unsigned left = fuzz_byte(input) % 4; left > 0; left--) {
        unsigned row = fuzz_byte(input) % rows, byte = fuzz_byte(input);
        if (byte)
            set_from_byte(&table[row], object, byte);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

void fuzz_allow_memory_for(size_t elements)
{
    egc_mem_fail_beyond(64 * elements + (1 << 16));
}

void fuzz_allow_all(void)
{
    egc_mem_fail_beyond(SIZE_MAX);
}

/* ---- seeds ----------------------------------------------------------------------------------- */

void fuzz_put_byte(egc_buf *seed, unsigned byte)
{
    uint8_t one = (uint8_t)byte;
    fuzz_check(egc_buf_append(seed, &one, 1, NULL) == EGC_OK);
}

void fuzz_put_length(egc_buf *seed, size_t n)
{
    unsigned place = 0;
    while (fuzz_lengths[place] != n)
        place++;
    fuzz_put_byte(seed, place);
}

void fuzz_put_type(egc_buf *seed, const egc_compressor_type *type)
{
    fuzz_put_byte(seed, hash_of(type) >> 8);
    fuzz_put_byte(seed, hash_of(type) & 255);
}

/* One parameter, or none if name is NULL. */
void fuzz_put_some_params(egc_buf *seed, const egc_param *table, const char *name, unsigned byte)
{
    fuzz_put_byte(seed, name != NULL);
    if (!name)
        return;
    fuzz_put_byte(seed, (unsigned)(egc_param_find(table, name) - table));
    fuzz_put_byte(seed, byte);
}

const char *fuzz_seed_folder;
size_t fuzz_n_seeds;

static void write_file(const egc_buf *seed)
{
    char path[PATH_MAX];
    unsigned long long hash = egc_hash(EGC_HASH_START, seed->data, seed->len);
    snprintf(path, sizeof path, "%s/%016llx", fuzz_seed_folder, hash);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(seed->data, 1, seed->len, file) != seed->len || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

/* Runs it on the plain heap and of its exact length, so that sanitizers see every overrun. */
static void run(const egc_buf *seed)
{
    uint8_t *exact = malloc(seed->len);
    fuzz_check(exact);
    memcpy(exact, seed->data, seed->len);
    LLVMFuzzerTestOneInput(exact, seed->len);
    free(exact);
}

static void use(const egc_buf *seed)
{
    fuzz_n_seeds++;
    if (fuzz_seed_folder)
        write_file(seed);
    else
        run(seed);
}

/* The seed, with bytes [first, end) set to `byte`. */
static void use_damaged(const egc_buf *seed, size_t first, size_t end, int byte)
{
    egc_buf copy = {0};
    fuzz_check(egc_buf_append(&copy, seed->data, seed->len, NULL) == EGC_OK);
    memset(copy.data + first, byte, end - first);
    use(&copy);
    egc_buf_fini(&copy);
}

/* Damaged copies of the lengths that messages really have are what a minimised corpus lacks: a
 * truncated message reaches the same code and is shorter. */
void fuzz_seed(egc_buf *seed)
{
    use(seed);
    if (seed->len >= 8) {
        size_t half = seed->len / 2;
        use_damaged(seed, seed->len - seed->len / 4, seed->len, 0xff);
        use_damaged(seed, 4, half, 0xff);
        use_damaged(seed, 4, half, 0);
    }
    egc_buf_fini(seed);
}
