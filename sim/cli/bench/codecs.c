/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time of index and value codecs for random selections of 2^20 elements. Reading decodes the bytes
 * of the last write. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "cli/bench/bench.h"
#include "codec/codec.h"

enum { N = 1 << 20 };

static const double densities[] = {0.001, 0.01, 0.1};

/* A selection of N elements and its encoded bytes. */
typedef struct selection {
    const egc_index_codec *index_codec;
    const egc_value_codec *value_codec;
    uint32_t *picks; /* positions, chosen at random */
    uint32_t *index; /* a copy of them, which lossy codecs change */
    float *value;
    size_t n_picks, count;
    egc_codec_context coding;
    egc_arena scratch;
    egc_buf wire;
} selection;

/* ---- one call of each ------------------------------------------------------------------------ */

static void reset(void *arg)
{
    selection *at = arg;
    memcpy(at->index, at->picks, at->n_picks * sizeof *at->index);
    at->count = at->n_picks;
    egc_buf_clear(&at->wire);
    egc_arena_reset(&at->scratch);
}

static egc_status write_codec(void *arg, egc_error *err)
{
    selection *at = arg;
    egc_bits_writer bits = egc_bits_writer_to(&at->wire);
    if (at->index_codec)
        at->index_codec->write(&bits, &at->coding, at->index, &at->count, N);
    else
        at->value_codec->write(&bits, &at->coding, at->value, at->count);
    return egc_bits_flush(&bits, err);
}

static egc_status read_codec(void *arg, egc_error *err)
{
    selection *at = arg;
    egc_reader wire = egc_reader_of(at->wire.data, at->wire.len);
    egc_bits_reader bits = egc_bits_reader_of(&wire);
    at->count = at->n_picks; /* known from the header of a message */
    return at->index_codec ? at->index_codec->read(&bits, at->index, &at->count, N, err)
                           : at->value_codec->read(&bits, at->value, at->count, err);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static egc_status bench_codec(selection *at, const egc_bench_sink *sink, double density,
                              egc_error *err)
{
    const char *name = at->index_codec ? at->index_codec->name : at->value_codec->name;
    const char *elements = at->index_codec ? "indices" : "values";
    double n = (double)at->n_picks, seconds;
    egc_bench_row row = {"codecs", name, "", "ns/element", 0};
    egc_status status = egc_bench_timer_run(write_codec, reset, at, &seconds, err);
    snprintf(row.setting, sizeof row.setting, "write %s at k/n = %g", elements, density);
    row.value = 1e9 * seconds / n;
    if (!status)
        status = sink->row(sink->arg, &row, err);
    if (!status)
        status = egc_bench_timer_run(read_codec, NULL, at, &seconds, err);
    snprintf(row.setting, sizeof row.setting, "read %s at k/n = %g", elements, density);
    row.value = 1e9 * seconds / n;
    return status ? status : sink->row(sink->arg, &row, err);
}

/* Picks each element with probability `density`. */
static void pick(selection *at, double density)
{
    at->n_picks = 0;
    for (uint32_t i = 0; i < N; i++)
        if (gsl_rng_uniform(at->coding.rng) < density)
            at->picks[at->n_picks++] = i;
    for (size_t i = 0; i < at->n_picks; i++)
        at->value[i] = (float)(gsl_rng_uniform(at->coding.rng) - 0.5);
}

static egc_status bench_density(selection *at, const egc_bench_sink *sink, double density,
                                egc_error *err)
{
    egc_status status = EGC_OK;
    pick(at, density);
    for (const egc_index_codec *const *c = egc_codec_index_types(); *c && !status; c++) {
        at->index_codec = *c;
        status = bench_codec(at, sink, density, err);
    }
    at->index_codec = NULL;
    for (const egc_value_codec *const *c = egc_codec_value_types(); *c && !status; c++) {
        at->value_codec = *c;
        status = bench_codec(at, sink, density, err);
    }
    return status;
}

egc_status egc_bench_codecs(const egc_bench_sink *sink, egc_error *err)
{
    selection at = {
        .picks = egc_calloc(N, sizeof(uint32_t)),
        .index = egc_calloc(N, sizeof(uint32_t)),
        .value = egc_calloc(N, sizeof(float)),
        .coding = {.bloom_policy = EGC_BLOOM_ALL, .rng = gsl_rng_alloc(egc_rng_splitmix64)},
    };
    at.coding.scratch = &at.scratch;
    egc_status status = at.picks && at.index && at.value && at.coding.rng
                            ? EGC_OK
                            : egc_fail_memory(err, N * 3 * sizeof(float));
    for (size_t i = 0; i < sizeof densities / sizeof *densities && !status; i++)
        status = bench_density(&at, sink, densities[i], err);
    egc_free(at.picks);
    egc_free(at.index);
    egc_free(at.value);
    gsl_rng_free(at.coding.rng);
    egc_arena_fini(&at.scratch);
    egc_buf_fini(&at.wire);
    return status;
}
