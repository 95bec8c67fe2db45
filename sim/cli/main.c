/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/param.h"
#include "cli/table.h"
#include "kernels/kernels.h"
#include "workloads/train/datasets/locate.h"

static const egc_command commands[] = {
    {"run", egc_cmd_run, "run an experiment written in Lua"},
    {"plot", egc_cmd_plot, "draw figures from the results of a run"},
    {"merge", egc_cmd_merge, "join the results of shards"},
    {"list", egc_cmd_list, "what there is: compressors, workloads, clusters ..."},
    {"describe", egc_cmd_describe, "all about one of these: reference, parameters, ranges"},
    {"trace", egc_cmd_trace, "recorded gradients: record them, show what they are"},
    {"bench", egc_cmd_bench, "measure this machine: what compressing takes, how fast it simulates"},
    {"version", egc_cmd_version, "versions of everything that can change a result"},
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static int print_help(void)
{
    egc_grid grid = {.n_columns = 2, .indent = 2};
    egc_status status = EGC_OK;
    puts("usage: egc-sim COMMAND [ARGUMENTS]\n\n"
         "Compresses real gradients of distributed training inside a simulated cluster.\n");
    for (size_t i = 0; i < N_COMMANDS && !status; i++)
        status = egc_grid_add(&grid, (const char *[]){commands[i].name, commands[i].summary}, NULL);
    egc_grid_print(&grid);
    puts("\n`egc-sim COMMAND --help` tells more about each.\n\n"
         "The environment variable EGC_KERNELS chooses the variant of the inner loops; results are "
         "the\nsame with each. Data sets are looked for in the folder EGC_DATA, then "
         "in " EGC_DATA_SYSTEM ".\n\nexample:\n"
         "  egc-sim run scripts/compare.lua && egc-sim plot results/compare");
    return EGC_EXIT_DONE;
}

static int fail_unknown(const char *name)
{
    const void *items[N_COMMANDS + 1] = {0};
    egc_error err;
    for (size_t i = 0; i < N_COMMANDS; i++)
        items[i] = &commands[i];
    egc_registry_fail_unknown(&err, "command", name, items);
    egc_note("%s, help", err.message);
    return EGC_EXIT_USAGE;
}

static const egc_command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* `egc-sim help X` is `egc-sim X --help`. */
static int help_on(char *name)
{
    const egc_command *command = find_command(name);
    char option[] = "--help";
    char *argv[] = {name, option, NULL};
    return command ? command->main(2, argv) : fail_unknown(name);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        egc_note("a command is missing; `egc-sim --help` lists them");
        return EGC_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0)
        name = "version";
    if (strcmp(name, "help") == 0 && argc > 2)
        return help_on(argv[2]);
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return print_help();
    const egc_command *command = find_command(name);
    return command ? command->main(argc - 1, argv + 1) : fail_unknown(name);
}

/* Data that could not be written must not look like success. */
static int check_stdout(int exit_code)
{
    int reason = egc_note_flush_stdout();
    if (!reason)
        return exit_code;
    egc_note("cannot write to standard output: %s", strerror(reason));
    return exit_code == EGC_EXIT_DONE ? EGC_EXIT_FAILED : exit_code;
}

int main(int argc, char **argv)
{
    const char *kernels = getenv("EGC_KERNELS");
    egc_data_set_root(getenv("EGC_DATA"));
    egc_error err = {0};
    if (kernels && egc_kernels_use(kernels, &err)) {
        egc_note("EGC_KERNELS: %s", err.message);
        return EGC_EXIT_USAGE;
    }
    return check_stdout(dispatch(argc, argv));
}
