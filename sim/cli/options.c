/* SPDX-License-Identifier: GPL-3.0-or-later */
/* getopt_long of the C library finds the options; option i of a command's table has the value
 * FIRST + i, so that its row says where the text goes and how it is checked. Numbers and words are
 * checked by egc_param_set, as parameters of experiments are. */
#include "cli/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/param.h"
#include "cli/grid.h"

enum { OPTIONS_MAX = 16, HELP = 'h', OUT = 'o', FIRST = 256, GO_ON = -1 };

typedef struct parsing {
    const egc_command *command;
    int argc;
    char **argv;
    char *request;
    const char **pool; /* free places for the items of TEXTS: argc for each option */
} parsing;

int egc_options_fail(const egc_command *command, const char *format, ...)
{
    char message[EGC_ERROR_LENGTH];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    egc_note("%s: %s", command->name, message);
    return EGC_EXIT_USAGE;
}

int egc_options_end(const egc_command *command, egc_status status, const egc_error *err)
{
    if (status == EGC_ERROR_NAME)
        return egc_options_fail(command, "%s", err->message);
    return status ? egc_note_error(err) : EGC_EXIT_DONE;
}

static size_t count_options(const egc_command *command)
{
    size_t n = 0;
    while (command->options && command->options[n].name)
        n++;
    return n;
}

/* The position of --out, which -o stands for; -1 if the command has none. */
static int find_out(const egc_command *command)
{
    for (size_t i = 0; i < count_options(command); i++)
        if (strcmp(command->options[i].name, "out") == 0)
            return (int)i;
    return -1;
}

/* ---- --help --------------------------------------------------------------------------------- */

static int print_help(const egc_command *command)
{
    egc_grid grid = {.n_columns = 2, .indent = 2};
    egc_error err;
    printf("usage: egc-sim %s %s\n\n%s.\n\n", command->name, command->arguments, command->summary);
    for (size_t i = 0; i < count_options(command); i++) {
        const egc_option *option = &command->options[i];
        egc_grid_cell(&grid, "%s--%s%s%s", (int)i == find_out(command) ? "-o, " : "", option->name,
                      option->value ? " " : "", option->value ? option->value : "");
        egc_grid_cell(&grid, "%s", option->help);
    }
    EGC_GRID_ROW(&grid, "--help", "show this text");
    if (egc_grid_print(&grid, &err))
        return egc_note_error(&err);
    printf("\nexample:\n  %s\n", command->example);
    return EGC_EXIT_DONE;
}

/* ---- options -------------------------------------------------------------------------------- */

static void fill_long_options(const egc_command *command, struct option *out)
{
    size_t n = count_options(command);
    for (size_t i = 0; i < n; i++)
        out[i] = (struct option){.name = command->options[i].name,
                                 .has_arg = command->options[i].value != NULL,
                                 .val = FIRST + (int)i};
    out[n] = (struct option){.name = "help", .val = HELP};
}

static int fail_unknown(const parsing *p, const char *option)
{
    char valid[512] = "";
    for (size_t i = 0; i < count_options(p->command); i++)
        strcat(strcat(strcat(valid, "--"), p->command->options[i].name), ", ");
    return egc_options_fail(p->command, "unknown option \"%s\"; valid: %s--help", option, valid);
}

/* getopt_long returns '?' both for an unknown option and for a value given to a switch; in the
 * second case optopt holds the switch. */
static int fail_option(const parsing *p, bool missing_value)
{
    const char *option = p->argv[optind - 1];
    char letter[] = {'-', (char)optopt, '\0'};
    int position = optopt == OUT ? find_out(p->command) : optopt - FIRST;
    if (missing_value)
        return egc_options_fail(p->command, "option \"%s\" needs a value: %s", option,
                                p->command->options[position].value);
    if (optopt >= FIRST || strncmp(option, "--help=", 7) == 0)
        return egc_options_fail(p->command, "option \"%s\" takes no value", option);
    return fail_unknown(p, optopt ? letter : option);
}

static void add_text(parsing *p, egc_texts *texts, const char *value)
{
    if (!texts->items) {
        texts->items = p->pool;
        p->pool += p->argc;
    }
    texts->items[texts->n++] = value;
}

static egc_status set_option(parsing *p, const egc_option *option, const char *value,
                             egc_error *err)
{
    void *field = p->request + option->offset;
    const egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = value};
    egc_param param = {.name = option->name, .min = option->min, .max = option->max};
    param.choices = option->choices;
    param.kind = option->kind == EGC_OPTION_INT ? EGC_PARAM_INT : EGC_PARAM_CHOICE;
    bool is_setting = strcmp(option->name, "set") == 0;
    if (is_setting && (*value == '=' || !strchr(value, '=')))
        return egc_fail(err, EGC_ERROR_FORMAT, "--set must be %s, got \"%s\"", option->value,
                        value);
    switch (option->kind) {
    case EGC_OPTION_SWITCH:
        *(bool *)field = true;
        break;
    case EGC_OPTION_TEXT:
        *(const char **)field = value;
        break;
    case EGC_OPTION_TEXTS:
        add_text(p, field, value);
        break;
    case EGC_OPTION_INT:
    case EGC_OPTION_CHOICE:
        if (egc_param_set(&param, field, &scalar, err))
            return egc_error_prefix(err, "--%s", option->name);
    }
    return EGC_OK;
}

/* Stores the arguments after the options, and checks that nothing is missing. */
static int end_parsing(const parsing *p)
{
    const egc_command *command = p->command;
    const egc_texts rest = {(const char **)p->argv + optind, (size_t)(p->argc - optind)};
    *(egc_texts *)(void *)p->request = rest;
    if (rest.n < command->least)
        return egc_options_fail(command, "arguments are missing; usage: egc-sim %s %s",
                                command->name, command->arguments);
    if (rest.n > command->most)
        return egc_options_fail(command, "unexpected argument \"%s\"; usage: egc-sim %s %s",
                                rest.items[command->most], command->name, command->arguments);
    for (size_t i = 0; i < count_options(command); i++) {
        const egc_option *option = &command->options[i];
        if (option->required && !*(const char **)(void *)(p->request + option->offset))
            return egc_options_fail(command, "--%s %s is missing", option->name, option->value);
    }
    return GO_ON;
}

/* Fills the request. Returns GO_ON, or an egc_exit when there is nothing to run. */
static int parse(parsing *p)
{
    struct option options[OPTIONS_MAX + 2] = {0};
    const char *letters = find_out(p->command) >= 0 ? ":ho:" : ":h";
    egc_error err;
    fill_long_options(p->command, options);
    opterr = 0;
    for (int got; (got = getopt_long(p->argc, p->argv, letters, options, NULL)) != -1;) {
        if (got == HELP)
            return print_help(p->command);
        if (got == '?' || got == ':')
            return fail_option(p, got == ':');
        int position = got == OUT ? find_out(p->command) : got - FIRST;
        if (set_option(p, &p->command->options[position], optarg, &err))
            return egc_options_fail(p->command, "%s", err.message);
    }
    return end_parsing(p);
}

/* ---- commands ------------------------------------------------------------------------------- */

/* "trace info" is the subcommand of argv "trace", "info". */
static int run_subcommand(const egc_command *command, int argc, char **argv)
{
    char valid[256] = "";
    for (const egc_command *const *sub = command->subcommands; *sub; sub++) {
        const char *name = (*sub)->name + strlen(command->name) + 1;
        if (strcmp(name, argv[1]) == 0)
            return egc_options_run(*sub, argc - 1, argv + 1);
        strcat(strcat(valid, *valid ? ", " : ""), name);
    }
    return egc_options_fail(command, "unknown subcommand \"%s\"; valid: %s", argv[1], valid);
}

int egc_options_run(const egc_command *command, int argc, char **argv)
{
    if (command->subcommands && argc > 1 && argv[1][0] != '-')
        return run_subcommand(command, argc, argv);
    size_t n_places = count_options(command) * (size_t)argc;
    const char **pool = egc_calloc(n_places + 1, sizeof *pool);
    parsing p = {command, argc, argv, egc_calloc(1, command->request_size), pool};
    egc_error err;
    int exit = EGC_EXIT_FAILED;
    if (pool && p.request) {
        if (command->defaults)
            memcpy(p.request, command->defaults, command->request_size);
        exit = parse(&p);
        if (exit == GO_ON)
            exit = command->run(p.request);
    } else {
        egc_fail_memory(&err, command->request_size);
        egc_note_error(&err);
    }
    egc_free(p.request);
    egc_free(pool);
    return exit;
}
