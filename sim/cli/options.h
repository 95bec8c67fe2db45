/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands and their options. The option table of a command binds each option to a field of the
 * command's request; parsing, checks, usage and --help come from that table. */
#ifndef EGC_CLI_OPTIONS_H
#define EGC_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/note.h"

/* Borrowed from argv. */
typedef struct egc_texts {
    const char **items;
    size_t n;
} egc_texts;

typedef enum egc_option_kind {
    EGC_OPTION_SWITCH, /* bool: becomes true; the option takes no value */
    EGC_OPTION_TEXT,   /* const char *, borrowed from argv */
    EGC_OPTION_TEXTS,  /* egc_texts: the option may be repeated */
    EGC_OPTION_INT,    /* int64_t in [min, max] */
    EGC_OPTION_CHOICE, /* int: a position in `choices` */
} egc_option_kind;

typedef struct egc_option {
    const char *name;  /* without the dashes; -o is short for --out */
    const char *value; /* the argument's name in --help, as "DIR"; NULL for a switch */
    const char *help;  /* one line, no full stop */
    egc_option_kind kind;
    size_t offset; /* in the request */
    double min, max;
    const char *const *choices; /* ends with NULL */
    bool required;
} egc_option;

#define EGC_OPTION_C_SWITCH bool
#define EGC_OPTION_C_TEXT const char *
#define EGC_OPTION_C_TEXTS egc_texts
#define EGC_OPTION_C_INT int64_t
#define EGC_OPTION_C_CHOICE int

/* The kind and field of a row: {"jobs", "N", "points at a time", EGC_OPTION(run_request, jobs,
 * INT), .min = 1, .max = 64}. Does not compile when the C type of the field does not fit the kind.
 */
#define EGC_OPTION(type, field, kind_)                                                             \
    .kind = EGC_OPTION_##kind_,                                                                    \
    .offset = offsetof(type, field) + _Generic(&((type *)0)->field, EGC_OPTION_C_##kind_ * : 0)

/* Each command is such an object in a file cmd_NAME.c, declared below and listed in main.c. */
typedef struct egc_command {
    const char *name;          /* "trace info" */
    const char *brief;         /* for the list of commands: one line, no full stop */
    const char *arguments;     /* for the usage line: "DIR... --out DIR" */
    const char *summary;       /* for --help; no full stop at its end */
    const char *example;       /* for --help: a command line that works */
    const egc_option *options; /* ends with a zeroed row; may be NULL; --help is implied */
    size_t least, most;        /* number of arguments that are not options */

    /* The request begins with an egc_texts for those arguments. defaults may be NULL: zeros. */
    size_t request_size;
    const void *defaults;

    /* Returns an egc_exit. request was filled from the command line. */
    int (*run)(void *request);

    /* Ends with NULL. A command with subcommands has no `run`. */
    const struct egc_command *const *subcommands;
} egc_command;

/* Parses argv, whose first text is the last word of the command's name, and runs the command; or
 * prints its --help, or a note about an invalid command line. Returns an egc_exit. */
int egc_options_run(const egc_command *command, int argc, char **argv);

/* Prints a note about an invalid command line. Returns EGC_EXIT_USAGE. */
int egc_options_fail(const egc_command *command, const char *format, ...) EGC_PRINTF(2, 3);

/* The exit of a command that ended with status: an unknown name is an invalid command line. */
int egc_options_end(const egc_command *command, egc_status status, const egc_error *err);

extern const egc_command egc_cmd_bench, egc_cmd_describe, egc_cmd_list, egc_cmd_merge, egc_cmd_plot,
    egc_cmd_run, egc_cmd_trace, egc_cmd_version;

#endif
