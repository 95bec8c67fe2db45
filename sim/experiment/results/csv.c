/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsed by libcsv in strict mode. Each row is one allocation: pointers to its fields, then their
 * text. */
#include "experiment/results/csv.h"

#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    egc_csv_table *table;
    egc_buf text;   /* fields of the incomplete row, each with its terminator */
    size_t fields;  /* their number */
    egc_buf rows;   /* const char ** of each complete row but the header */
    size_t n_lines; /* complete rows, header included */
    egc_status status;
    egc_error *err;
} reading;

static void on_field(void *bytes, size_t len, void *arg)
{
    reading *r = arg;
    if (r->status)
        return;
    if (len && memchr(bytes, '\0', len)) {
        r->status = egc_fail(r->err, EGC_ERROR_FORMAT, "row %zu holds a zero byte", r->n_lines + 1);
        return;
    }
    egc_buf_put(&r->text, bytes, len);
    r->status = egc_buf_append(&r->text, "", 1, r->err);
    r->fields++;
}

/* Copies the row into the arena: pointers to its fields, followed by their text. */
static const char **take_row(reading *r)
{
    size_t pointers = r->fields * sizeof(char *);
    const char **row = egc_arena_alloc(&r->table->arena, pointers + r->text.len);
    if (!row)
        return NULL;
    char *text = memcpy((char *)row + pointers, r->text.data, r->text.len);
    for (size_t i = 0; i < r->fields; i++, text += strlen(text) + 1)
        row[i] = text;
    return row;
}

static void on_row(int terminator, void *arg)
{
    (void)terminator;
    reading *r = arg;
    if (r->status)
        return;
    egc_csv_table *table = r->table;
    if (r->n_lines > 0 && r->fields != table->n_columns) {
        r->status = egc_fail(r->err, EGC_ERROR_FORMAT, "row %zu has %zu fields, the header has %zu",
                             r->n_lines + 1, r->fields, table->n_columns);
        return;
    }
    const char **row = take_row(r);
    if (!row) {
        r->status = egc_fail_memory(r->err, r->text.len);
    } else if (r->n_lines == 0) {
        table->columns = row;
        table->n_columns = r->fields;
    } else {
        r->status = egc_buf_append(&r->rows, &row, sizeof row, r->err);
    }
    egc_buf_clear(&r->text);
    r->fields = 0;
    r->n_lines++;
}

static int never_space(unsigned char c)
{
    (void)c; /* RFC 4180: spaces are part of a field */
    return 0;
}

/* Length of the byte order mark with which spreadsheets begin UTF-8 files. */
static size_t mark_length(const char *text, size_t len)
{
    static const char mark[] = "\xef\xbb\xbf";
    return len >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
}

/* Feeds the file to the parser. csv_fini is not called, because it would deliver an incomplete last
 * line. */
static egc_status parse(FILE *file, struct csv_parser *parser, reading *r)
{
    char chunk[1 << 16];
    size_t len, skip;
    bool is_first = true;
    errno = 0;
    for (; !r->status && (len = fread(chunk, 1, sizeof chunk, file)) > 0; is_first = false) {
        skip = is_first ? mark_length(chunk, len) : 0;
        if (csv_parse(parser, chunk + skip, len - skip, on_field, on_row, r) == len - skip)
            continue;
        if (csv_error(parser) == CSV_EPARSE)
            return egc_fail(r->err, EGC_ERROR_FORMAT, "row %zu has a stray quote", r->n_lines + 1);
        return egc_fail_memory(r->err, csv_get_buffer_size(parser));
    }
    if (!r->status && ferror(file))
        return egc_fail(r->err, EGC_ERROR_IO, "cannot read: %s", strerror(errno));
    if (!r->status && r->n_lines == 0)
        return egc_fail(r->err, EGC_ERROR_FORMAT, "no header row");
    return r->status;
}

static egc_status keep_rows(reading *r)
{
    egc_csv_table *table = r->table;
    table->rows = egc_arena_alloc(&table->arena, r->rows.len);
    if (!table->rows)
        return egc_fail_memory(r->err, r->rows.len);
    if (r->rows.len)
        memcpy(table->rows, r->rows.data, r->rows.len);
    table->n_rows = r->rows.len / sizeof *table->rows;
    return EGC_OK;
}

egc_status egc_csv_read(const char *path, egc_csv_table *out, egc_error *err)
{
    *out = (egc_csv_table){0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return egc_fail_errno(err, "open", path);
    reading r = {.table = out, .err = err};
    struct csv_parser parser;
    egc_status status;
    if (csv_init(&parser, CSV_STRICT) != 0) {
        status = egc_fail_memory(err, sizeof parser);
        goto done;
    }
    csv_set_space_func(&parser, never_space);
    status = parse(file, &parser, &r);
    if (!status)
        status = keep_rows(&r);
    csv_free(&parser);
done:
    egc_buf_fini(&r.text);
    egc_buf_fini(&r.rows);
    fclose(file);
    if (status) {
        egc_csv_table_fini(out);
        egc_error_prefix(err, "%s", path);
    }
    return status;
}

int egc_csv_column(const egc_csv_table *table, const char *name)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->columns[i], name) == 0)
            return (int)i;
    return -1;
}

double egc_csv_number(const egc_csv_table *table, size_t row, int column)
{
    if (column < 0)
        return NAN;
    const char *text = table->rows[row][column];
    char *end;
    double value = strtod(text, &end);
    return end == text || *end ? NAN : value;
}

void egc_csv_table_fini(egc_csv_table *table)
{
    egc_arena_fini(&table->arena);
    *table = (egc_csv_table){0};
}
