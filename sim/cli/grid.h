/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text tables for stdout. A grid collects all its cells first, so that columns can be aligned. */
#ifndef EGC_CLI_GRID_H
#define EGC_CLI_GRID_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

#define EGC_GRID_COLUMNS 8

typedef struct egc_grid {
    size_t n_columns; /* at most EGC_GRID_COLUMNS */
    unsigned right;   /* bit i: column i is aligned to the right */
    size_t indent;    /* spaces before each row */
    struct egc_grid_row *first, *last;
    size_t n_cells;                  /* in all rows */
    size_t widths[EGC_GRID_COLUMNS]; /* characters of the longest cell so far */
    bool failed;                     /* out of memory; later cells are ignored */
    egc_arena arena;
} egc_grid; /* zeroed but for the first three is empty */

/* Appends a cell; every n_columns cells make a row. */
void egc_grid_cell(egc_grid *grid, const char *format, ...) EGC_PRINTF(2, 3);

/* Appends a number as a cell, "-" for NaN. format takes one double. */
void egc_grid_real(egc_grid *grid, const char *format, double value);

/* Appends n texts as cells. */
void egc_grid_texts(egc_grid *grid, const char *const *texts, size_t n);

#define EGC_GRID_ROW(grid, ...)                                                                    \
    egc_grid_texts(grid, (const char *const[]){__VA_ARGS__},                                       \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Prints the rows to stdout and empties the grid. MEMORY when a cell was lost. */
egc_status egc_grid_print(egc_grid *grid, egc_error *err) EGC_MUST_CHECK;

#endif
