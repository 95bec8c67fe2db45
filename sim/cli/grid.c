/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells are copied into an arena and their widths counted in characters of UTF-8, not in bytes. */
#include "cli/grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

struct egc_grid_row {
    struct egc_grid_row *next;
    const char *cells[EGC_GRID_COLUMNS];
};

static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void add_row(egc_grid *grid)
{
    struct egc_grid_row *row = egc_arena_alloc(&grid->arena, sizeof *row);
    if (grid->last)
        grid->last->next = row;
    else
        grid->first = row;
    grid->last = row;
    grid->failed = !row;
}

static void add_text(egc_grid *grid, const char *text)
{
    size_t column = grid->n_cells % grid->n_columns;
    if (!grid->failed && column == 0)
        add_row(grid);
    const char *cell = grid->failed ? NULL : egc_arena_strdup(&grid->arena, text);
    grid->failed = !cell;
    if (grid->failed)
        return;
    size_t width = width_of(cell);
    grid->last->cells[column] = cell;
    grid->widths[column] = width > grid->widths[column] ? width : grid->widths[column];
    grid->n_cells++;
}

void egc_grid_cell(egc_grid *grid, const char *format, ...)
{
    char text[EGC_ERROR_LENGTH];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_text(grid, text);
}

void egc_grid_real(egc_grid *grid, const char *format, double value)
{
    if (isnan(value))
        add_text(grid, "-");
    else
        egc_grid_cell(grid, format, value);
}

void egc_grid_texts(egc_grid *grid, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_text(grid, texts[i]);
}

/* Trailing empty cells and the padding before them are left out. */
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

egc_status egc_grid_print(egc_grid *grid, egc_error *err)
{
    bool failed = grid->failed;
    for (const struct egc_grid_row *row = grid->first; row && !failed; row = row->next)
        print_row(grid, row);
    egc_arena_fini(&grid->arena);
    *grid = (egc_grid){.n_columns = grid->n_columns, .right = grid->right, .indent = grid->indent};
    return failed ? egc_fail(err, EGC_ERROR_MEMORY, "out of memory for a table") : EGC_OK;
}
