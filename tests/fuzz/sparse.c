/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of sparsifiers, by every index and value codec, and values alone. Whatever is read is
 * either FORMAT or a valid selection, and one that exact codecs give back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compressors/core/sparse_message.h"
#include "fuzz.h"
#include "support/inputs.h"

/* On the plain heap and of their exact length, so that sanitizers see every overrun. */
static egc_selection selection_new(size_t n)
{
    egc_selection selection = {malloc(n * sizeof(uint32_t)), malloc(n * sizeof(float)), 0};
    fuzz_check(selection.index && selection.value);
    return selection;
}

static void selection_free(egc_selection *selection)
{
    free(selection->index);
    free(selection->value);
}

static void check_selection(const egc_selection *s, size_t n)
{
    fuzz_check(s->count <= n);
    for (size_t i = 0; i < s->count; i++) {
        fuzz_check(s->index[i] < n && (i == 0 || s->index[i] > s->index[i - 1]));
        fuzz_check(isfinite(s->value[i]));
    }
}

/* Written again by the codec that read it, values exact. */
static void check_comes_back(const egc_selection *s, const egc_index_codec *codec, size_t n)
{
    egc_selection written = selection_new(n), read = selection_new(n);
    memcpy(written.index, s->index, s->count * sizeof *s->index);
    memcpy(written.value, s->value, s->count * sizeof *s->value);
    written.count = s->count;
    egc_buf wire = {0};
    egc_arena scratch = {0};
    egc_codec_context coding = {.scratch = &scratch};
    const egc_value_codec *fp32 = egc_codec_value_types()[EGC_VALUE_CODEC_fp32];
    fuzz_check(egc_sparse_message_write(codec, fp32, &coding, NULL, &written, n, &wire, NULL,
                                        NULL) == EGC_OK);
    egc_reader reader = egc_reader_of(wire.data, wire.len);
    fuzz_check(egc_sparse_message_read(&reader, &read, n, NULL) == EGC_OK);
    fuzz_check(egc_reader_left(&reader) == 0 && read.count == s->count);
    for (size_t i = 0; i < s->count; i++)
        fuzz_check(read.index[i] == s->index[i] &&
                   memcmp(&read.value[i], &s->value[i], sizeof(float)) == 0);
    egc_arena_fini(&scratch);
    egc_buf_fini(&wire);
    selection_free(&read);
    selection_free(&written);
}

static void read_message(egc_reader *input, size_t n)
{
    egc_selection selection = selection_new(n);
    const uint8_t *start = input->next;
    fuzz_allow_memory_for(n);
    egc_status status = egc_sparse_message_read(input, &selection, n, NULL);
    fuzz_allow_all();
    fuzz_check(status == EGC_OK || status == EGC_ERROR_FORMAT);
    if (!status) {
        check_selection(&selection, n);
        const egc_index_codec *codec = egc_codec_index_types()[*start & 15];
        if (!codec->lossy && selection.count)
            check_comes_back(&selection, codec, n);
    }
    selection_free(&selection);
}

static void read_values(egc_reader *input, const egc_value_codec *codec, size_t n)
{
    float *value = malloc(n * sizeof *value);
    fuzz_check(value);
    size_t left = egc_reader_left(input);
    fuzz_allow_memory_for(n);
    egc_status status = egc_sparse_message_read_values(codec, input, value, n, NULL);
    fuzz_allow_all();
    fuzz_check(status == EGC_OK || status == EGC_ERROR_FORMAT);
    if (!status) {
        fuzz_check(left - egc_reader_left(input) == egc_sparse_message_values_bytes(codec, n));
        for (size_t i = 0; i < n; i++)
            fuzz_check(isfinite(value[i]));
    }
    free(value);
}

/* The first byte: 0 for a message, else a value codec for values alone. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    egc_reader input = egc_reader_of(data, size);
    unsigned what = fuzz_byte(&input) % (1 + EGC_N_VALUE_CODECS);
    size_t n = fuzz_length(&input);
    if (what == 0)
        read_message(&input, n);
    else
        read_values(&input, egc_codec_value_types()[what - 1], n);
    return 0;
}

/* ---- seeds ----------------------------------------------------------------------------------- */

static void seed_message(const egc_index_codec *index, const egc_value_codec *value, size_t n,
                         size_t every)
{
    egc_selection selection = selection_new(n);
    float x[1024];
    fill_input(x, n, GAUSSIAN, 1);
    for (size_t i = n % every; i < n; i += every)
        selection.index[selection.count++] = (uint32_t)i;
    egc_buf seed = {0};
    egc_arena scratch = {0};
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    egc_codec_context coding = {.rng = rng, .scratch = &scratch};
    fuzz_put_byte(&seed, 0);
    fuzz_put_length(&seed, n);
    fuzz_check(egc_sparse_message_write(index, value, &coding, x, &selection, n, &seed, NULL,
                                        NULL) == EGC_OK);
    fuzz_seed(&seed);
    gsl_rng_free(rng);
    egc_arena_fini(&scratch);
    selection_free(&selection);
}

static void seed_values(unsigned place, size_t n)
{
    float x[1024];
    fill_input(x, n, GAUSSIAN, 2);
    egc_buf seed = {0};
    egc_arena scratch = {0};
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    egc_codec_context coding = {.rng = rng, .scratch = &scratch};
    fuzz_put_byte(&seed, 1 + place);
    fuzz_put_length(&seed, n);
    fuzz_check(egc_sparse_message_write_values(egc_codec_value_types()[place], &coding, x, n, &seed,
                                               NULL, NULL) == EGC_OK);
    fuzz_seed(&seed);
    gsl_rng_free(rng);
    egc_arena_fini(&scratch);
}

void fuzz_seeds(void)
{
    const egc_index_codec *const *index = egc_codec_index_types();
    const egc_value_codec *const *value = egc_codec_value_types();
    for (size_t l = 0; l < FUZZ_N_SHORT; l++) {
        for (size_t every = 1; every <= 8; every += 7) {
            for (unsigned i = 0; i < EGC_N_INDEX_CODECS; i++)
                seed_message(index[i], value[0], fuzz_lengths[l], every);
            for (unsigned v = 1; v < EGC_N_VALUE_CODECS; v++)
                seed_message(index[0], value[v], fuzz_lengths[l], every);
        }
        for (unsigned v = 0; v < EGC_N_VALUE_CODECS; v++)
            seed_values(v, fuzz_lengths[l]);
    }
}
