/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands of egc-sim share. stdout carries data and tables only; everything else is a
 * note on stderr. */
#ifndef EGC_CLI_TABLE_H
#define EGC_CLI_TABLE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

enum egc_exit {
    EGC_EXIT_DONE = 0,
    EGC_EXIT_FAILED = 1, /* something went wrong, a point of a sweep included */
    EGC_EXIT_USAGE = 2,  /* the command line made no sense */
};

/* A command has a file of its own, cmd_NAME.c, and a line in the table of main.c. Returns an
 * egc_exit. argv[0] is the command's name. */
typedef struct egc_command {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *summary;
} egc_command;

int egc_cmd_run(int argc, char **argv);
int egc_cmd_plot(int argc, char **argv);
int egc_cmd_merge(int argc, char **argv);
int egc_cmd_list(int argc, char **argv);
int egc_cmd_describe(int argc, char **argv);
int egc_cmd_trace(int argc, char **argv);
int egc_cmd_bench(int argc, char **argv);
int egc_cmd_version(int argc, char **argv);

/* ---- notes ---------------------------------------------------------------------------------- */

/* "egc-sim: ...\n" on stderr. */
void egc_note(const char *format, ...) EGC_PRINTF(1, 2);

/* Notes the message of err. Returns EGC_EXIT_FAILED. */
int egc_note_error(const egc_error *err);

/* Hands on what was printed. Returns 0, or the errno of the first time that this failed. */
int egc_note_flush_stdout(void);

/* ---- arguments ------------------------------------------------------------------------------ */

typedef struct egc_option {
    const char *name;  /* without the dashes */
    const char *value; /* what it takes, for --help: "DIR"; NULL for a switch */
    const char *help;  /* one line, no full stop */
} egc_option;

/* One table drives parsing and --help. */
typedef struct egc_usage {
    const char *command;
    const char *arguments; /* what follows it: "DIR... --out DIR [options]" */
    const char *summary;
    const egc_option *options; /* ends with a zeroed row; --help is there by itself */
    const char *example;       /* a command line that works, and what it does, in a comment */
} egc_usage;

typedef struct egc_options {
    const egc_usage *usage;
    int argc;
    char **argv;
    bool stop; /* nothing is left to do but to return `exit`: --help was given, or nonsense */
    int exit;
} egc_options;

/* The position in usage->options of the next option, its value in *value; -1 after the last, or
 * when args->stop was set. */
int egc_options_next(egc_options *args, const char **value);

/* After the last option: what is no option. Stops unless there are at least `least` and at most
 * `most` of them. */
char **egc_options_rest(egc_options *args, int least, int most, int *n);

/* Notes what is wrong with the command line, and how to get help. Returns EGC_EXIT_USAGE. */
int egc_options_fail(const egc_usage *usage, const char *format, ...) EGC_PRINTF(2, 3);

/* ---- tables --------------------------------------------------------------------------------- */

#define EGC_GRID_COLUMNS 8

/* Rows of text that are printed with aligned columns. Zeroed is empty. */
typedef struct egc_grid {
    size_t n_columns;
    unsigned right; /* bit i: column i is aligned to the right */
    size_t indent;
    struct egc_grid_row *first, *last;
    size_t widths[EGC_GRID_COLUMNS]; /* of what was added so far, in characters */
    egc_arena arena;
} egc_grid;

/* Adds a row of n_columns texts, which are copied. MEMORY. */
egc_status egc_grid_add(egc_grid *grid, const char *const *cells, egc_error *err) EGC_MUST_CHECK;

/* Prints the rows to stdout and empties the grid. */
void egc_grid_print(egc_grid *grid);

#endif
