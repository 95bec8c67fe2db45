/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The samples of a method are sorted by length; a length must not occur twice. The curve's id is a
 * hash of its samples, so that a run_id depends on the rows used and not on the rest of the file.
 */
#include "experiment/spec/cost_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/atomic_file.h"
#include "base/file/mapping.h"
#include "base/hash.h"
#include "base/rng.h"
#include "experiment/results/csv.h"

enum { METHOD, PARAMS, ELEMENTS, ENCODE_S, DECODE_S, N_COLUMNS };

const char *const egc_cost_file_columns[] = {"method",   "params",   "elements",
                                             "encode_s", "decode_s", NULL};

#define ANY_PARAMS "*"

typedef struct cost_file {
    const char *path;
    egc_csv_table table;
    int columns[N_COLUMNS];
} cost_file;

static const char *text_of(const cost_file *file, size_t row, int column)
{
    return file->table.rows[row][file->columns[column]];
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* The line of a quote that is not closed; 0 if all are. */
static size_t line_of_open_quote(const egc_mapping *bytes)
{
    size_t line = 1, opened = 0;
    for (size_t i = 0; i < bytes->len; i++) {
        if (bytes->data[i] == '"')
            opened = opened ? 0 : line;
        line += bytes->data[i] == '\n';
    }
    return opened;
}

/* egc_csv_read ignores an incomplete last line; here that would lose a row. */
static egc_status check_end(const char *path, egc_error *err)
{
    egc_mapping bytes;
    egc_status status = egc_mapping_open(path, &bytes, err);
    if (status)
        return status;
    bool is_whole = bytes.len > 0 && bytes.data[bytes.len - 1] == '\n';
    size_t open_quote = line_of_open_quote(&bytes);
    egc_mapping_close(&bytes);
    if (open_quote)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s:%zu: quote is not closed", path, open_quote);
    if (!is_whole)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: must end with a line end; the last row may be incomplete", path);
    return EGC_OK;
}

static size_t count_columns(const egc_csv_table *table, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < table->n_columns; i++)
        n += strcmp(table->columns[i], name) == 0;
    return n;
}

static egc_status find_columns(cost_file *file, egc_error *err)
{
    for (int i = 0; i < N_COLUMNS; i++) {
        file->columns[i] = egc_csv_column(&file->table, egc_cost_file_columns[i]);
        if (file->columns[i] < 0)
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "%s: has no column %s; must have method, params, elements, encode_s "
                            "and decode_s, as written by `egc-sim bench compressors --csv FILE`",
                            file->path, egc_cost_file_columns[i]);
        if (count_columns(&file->table, egc_cost_file_columns[i]) > 1)
            return egc_fail(err, EGC_ERROR_FORMAT, "%s:1: has column %s more than once", file->path,
                            egc_cost_file_columns[i]);
    }
    return EGC_OK;
}

static egc_status check_row(const cost_file *file, size_t row, egc_error *err)
{
    for (int i = ELEMENTS; i < N_COLUMNS; i++) {
        double value = egc_csv_number(&file->table, row, file->columns[i]);
        bool is_good = isfinite(value) && (i == ELEMENTS ? value >= 1 : value >= 0);
        if (!is_good)
            return egc_fail(err, EGC_ERROR_FORMAT, "%s:%zu: %s must be a number >= %d, got \"%s\"",
                            file->path, row + 2, egc_cost_file_columns[i], i == ELEMENTS,
                            text_of(file, row, i));
    }
    return EGC_OK;
}

static egc_status check_rows(const cost_file *file, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t row = 0; row < file->table.n_rows && !status; row++)
        if (*text_of(file, row, METHOD))
            status = check_row(file, row, err);
    return status;
}

/* ---- the rows of a method -------------------------------------------------------------------- */

typedef struct numbered_sample {
    egc_cost_sample sample;
    size_t row;
} numbered_sample;

static bool is_about(const cost_file *file, size_t row, const char *method, const char *params)
{
    return strcmp(text_of(file, row, METHOD), method) == 0 &&
           strcmp(text_of(file, row, PARAMS), params) == 0;
}

/* Stores the samples of a method in out, which may be NULL. Returns their number. */
static size_t collect(const cost_file *file, const char *method, const char *params,
                      numbered_sample *out)
{
    size_t n = 0;
    for (size_t row = 0; row < file->table.n_rows; row++) {
        if (!is_about(file, row, method, params))
            continue;
        if (out)
            out[n] = (numbered_sample){
                {
                    .elements = egc_csv_number(&file->table, row, file->columns[ELEMENTS]),
                    .encode_s = egc_csv_number(&file->table, row, file->columns[ENCODE_S]),
                    .decode_s = egc_csv_number(&file->table, row, file->columns[DECODE_S]),
                },
                row};
        n++;
    }
    return n;
}

static int compare_samples(const void *a, const void *b)
{
    const numbered_sample *x = a, *y = b;
    if (x->sample.elements != y->sample.elements)
        return x->sample.elements > y->sample.elements ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static egc_status fail_missing(const cost_file *file, const char *method, const char *params,
                               egc_error *err)
{
    const char *space = *params ? " " : "", *colon = *params ? ":" : "";
    return egc_fail(err, EGC_ERROR_NAME,
                    "%s: has no row of method %s%s%s; `egc-sim bench compressors --method "
                    "'%s%s%s' --csv FILE` measures it, and params \"*\" in a row means any",
                    file->path, method, space, params, method, colon, params);
}

/* Makes a curve of n samples sorted by length. */
static egc_status make_curve(const cost_file *file, egc_arena *arena, const numbered_sample *sorted,
                             size_t n, const egc_cost_curve **out, egc_error *err)
{
    egc_cost_curve *curve = egc_arena_alloc(arena, sizeof *curve);
    egc_cost_sample *samples = egc_arena_alloc(arena, n * sizeof *samples);
    if (!curve || !samples)
        return egc_fail_memory(err, n * sizeof *samples);
    for (size_t i = 0; i < n; i++) {
        samples[i] = sorted[i].sample;
        if (i > 0 && samples[i].elements == samples[i - 1].elements)
            return egc_fail(err, EGC_ERROR_FORMAT, "%s:%zu: elements %g is already in line %zu",
                            file->path, sorted[i].row + 2, samples[i].elements,
                            sorted[i - 1].row + 2);
    }
    *curve = (egc_cost_curve){.samples = samples, .n_samples = n};
    snprintf(curve->id, sizeof curve->id, "%016" PRIx64,
             egc_hash(EGC_HASH_START, samples, n * sizeof *samples));
    *out = curve;
    return EGC_OK;
}

static egc_status find_curve(const cost_file *file, egc_arena *arena, const char *method,
                             const char *params, const egc_cost_curve **out, egc_error *err)
{
    const char *found = params;
    size_t n = collect(file, method, found, NULL);
    if (n == 0)
        n = collect(file, method, found = ANY_PARAMS, NULL);
    if (n == 0)
        return fail_missing(file, method, params, err);
    numbered_sample *samples = egc_arena_alloc(arena, n * sizeof *samples);
    if (!samples)
        return egc_fail_memory(err, n * sizeof *samples);
    collect(file, method, found, samples);
    qsort(samples, n, sizeof *samples, compare_samples);
    return make_curve(file, arena, samples, n, out, err);
}

egc_status egc_cost_file_read(egc_arena *arena, const char *path, const egc_method *method,
                              const egc_cost_curve **out, egc_error *err)
{
    cost_file file = {.path = path};
    egc_buf params = {0};
    egc_status status = egc_csv_read(path, &file.table, err);
    if (!status)
        status = check_end(path, err);
    if (!status)
        status = find_columns(&file, err);
    if (!status)
        status = check_rows(&file, err);
    if (!status)
        status = egc_method_describe(method, &params, err);
    if (!status)
        status = egc_buf_append(&params, "", 1, err);
    if (!status)
        status = find_curve(&file, arena, method->name, (const char *)params.data, out, err);
    egc_csv_table_fini(&file.table);
    egc_buf_fini(&params);
    return status;
}
