/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/table.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NOTE_LENGTH = PATH_MAX + EGC_ERROR_LENGTH };

void egc_note(const char *format, ...)
{
    char text[NOTE_LENGTH + 1], line[NOTE_LENGTH];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    egc_error_one_line(text, line, sizeof line);
    fprintf(stderr, "egc-sim: %s\n", line);
}

int egc_note_flush_stdout(void)
{
    static int reason; /* stdout itself remembers only that it failed */
    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && !reason)
        reason = errno ? errno : EIO;
    return reason;
}

int egc_note_error(const egc_error *err)
{
    egc_note("%s", err->message);
    return EGC_EXIT_FAILED;
}

int egc_options_fail(const egc_usage *usage, const char *format, ...)
{
    char message[EGC_ERROR_LENGTH];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    egc_note("%s: %s", usage->command, message);
    return EGC_EXIT_USAGE;
}

/* ---- tables --------------------------------------------------------------------------------- */

struct egc_grid_row {
    struct egc_grid_row *next;
    const char *cells[EGC_GRID_COLUMNS];
};

/* Characters of UTF-8 text. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

egc_status egc_grid_add(egc_grid *grid, const char *const *cells, egc_error *err)
{
    struct egc_grid_row *row = egc_arena_alloc(&grid->arena, sizeof *row);
    if (!row)
        return egc_fail_memory(err, sizeof *row);
    for (size_t i = 0; i < grid->n_columns; i++) {
        row->cells[i] = egc_arena_strdup(&grid->arena, cells[i]);
        if (!row->cells[i])
            return egc_fail_memory(err, strlen(cells[i]));
        size_t width = width_of(cells[i]);
        grid->widths[i] = width > grid->widths[i] ? width : grid->widths[i];
    }
    if (grid->last)
        grid->last->next = row;
    else
        grid->first = row;
    grid->last = row;
    return EGC_OK;
}

/* Nothing follows the last text of a row. */
static void print_row(const egc_grid *grid, const struct egc_grid_row *row)
{
    size_t gap = grid->indent, last = grid->n_columns - 1;
    while (last > 0 && !*row->cells[last])
        last--;
    for (size_t i = 0; i <= last; i++) {
        size_t padding = grid->widths[i] - width_of(row->cells[i]);
        bool right = grid->right >> i & 1u;
        printf("%*s%s", (int)(gap + (right ? padding : 0)), "", row->cells[i]);
        gap = 2 + (right ? 0 : padding);
    }
    putchar('\n');
}

void egc_grid_print(egc_grid *grid)
{
    for (const struct egc_grid_row *row = grid->first; row; row = row->next)
        print_row(grid, row);
    egc_arena_fini(&grid->arena);
    *grid = (egc_grid){.n_columns = grid->n_columns, .right = grid->right, .indent = grid->indent};
}
