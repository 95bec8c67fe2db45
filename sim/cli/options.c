/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/table.h"

enum { OPTIONS_MAX = 16, HELP = 'h', OUT = 'o', FIRST = 256 }; /* option i is FIRST + i */

static size_t count_options(const egc_usage *usage)
{
    size_t n = 0;
    while (usage->options && usage->options[n].name)
        n++;
    return n;
}

/* The position of --out, which -o stands for; -1 without one. */
static int find_out(const egc_usage *usage)
{
    for (size_t i = 0; i < count_options(usage); i++)
        if (strcmp(usage->options[i].name, "out") == 0)
            return (int)i;
    return -1;
}

static void fill_long_options(const egc_usage *usage, struct option *out)
{
    size_t n = count_options(usage);
    for (size_t i = 0; i < n; i++)
        out[i] = (struct option){.name = usage->options[i].name,
                                 .has_arg = usage->options[i].value != NULL,
                                 .val = FIRST + (int)i};
    out[n] = (struct option){.name = "help", .val = HELP};
}

static void print_help(const egc_usage *usage)
{
    egc_grid grid = {.n_columns = 2, .indent = 2};
    egc_status status = EGC_OK;
    printf("usage: egc-sim %s %s\n\n%s.\n\n", usage->command, usage->arguments, usage->summary);
    for (size_t i = 0; i < count_options(usage) && !status; i++) {
        const egc_option *option = &usage->options[i];
        char left[64];
        snprintf(left, sizeof left, "%s--%s%s%s", (int)i == find_out(usage) ? "-o, " : "",
                 option->name, option->value ? " " : "", option->value ? option->value : "");
        status = egc_grid_add(&grid, (const char *[]){left, option->help}, NULL);
    }
    if (!status)
        status = egc_grid_add(&grid, (const char *[]){"--help", "show this text"}, NULL);
    egc_grid_print(&grid);
    printf("\nexample:\n  %s\n", usage->example);
}

static int stop(egc_options *args, int status)
{
    args->stop = true;
    args->exit = status;
    return -1;
}

static int fail_unknown(egc_options *args, const char *option)
{
    char valid[512] = "";
    for (size_t i = 0; i < count_options(args->usage); i++) {
        strcat(valid, "--");
        strcat(valid, args->usage->options[i].name);
        strcat(valid, ", ");
    }
    return stop(args, egc_options_fail(args->usage, "unknown option \"%s\"; valid: %s--help",
                                       option, valid));
}

/* getopt_long answers '?' for an unknown option, and for a value given to a switch, whose val it
 * then leaves in optopt. */
static int fail_option(egc_options *args, bool missing_value)
{
    const char *option = args->argv[optind - 1];
    char letter[] = {'-', (char)optopt, '\0'};
    int position = optopt == OUT ? find_out(args->usage) : optopt - FIRST;
    if (missing_value)
        return stop(args, egc_options_fail(args->usage, "option \"%s\" needs a value: %s", option,
                                           args->usage->options[position].value));
    if (optopt >= FIRST || strncmp(option, "--help=", 7) == 0)
        return stop(args, egc_options_fail(args->usage, "option \"%s\" takes no value", option));
    return fail_unknown(args, optopt ? letter : option);
}

/* `--set` takes the same form with every command. */
static int take_option(egc_options *args, int position, const char *value)
{
    const egc_option *option = &args->usage->options[position];
    bool is_setting = strcmp(option->name, "set") == 0;
    if (is_setting && (*value == '=' || !strchr(value, '=')))
        return stop(args, egc_options_fail(args->usage, "--set must be %s, got \"%s\"",
                                           option->value, value));
    return position;
}

int egc_options_next(egc_options *args, const char **value)
{
    struct option options[OPTIONS_MAX + 2] = {0};
    fill_long_options(args->usage, options);
    opterr = 0;
    const char *letters = find_out(args->usage) >= 0 ? ":ho:" : ":h";
    int got = getopt_long(args->argc, args->argv, letters, options, NULL);
    *value = optarg;
    switch (got) {
    case -1:
        return -1;
    case HELP:
        print_help(args->usage);
        return stop(args, EGC_EXIT_DONE);
    case OUT:
        return find_out(args->usage);
    case '?':
    case ':':
        return fail_option(args, got == ':');
    default:
        return take_option(args, got - FIRST, optarg);
    }
}

char **egc_options_rest(egc_options *args, int least, int most, int *n)
{
    *n = args->argc - optind;
    char **rest = args->argv + optind;
    if (args->stop || (*n >= least && *n <= most))
        return rest;
    if (*n < least)
        stop(args, egc_options_fail(args->usage, "arguments are missing; usage: egc-sim %s %s",
                                    args->usage->command, args->usage->arguments));
    else
        stop(args, egc_options_fail(args->usage, "unexpected argument \"%s\"; usage: egc-sim %s %s",
                                    rest[most], args->usage->command, args->usage->arguments));
    return rest;
}
