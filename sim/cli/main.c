/* SPDX-License-Identifier: GPL-3.0-or-later */
/* egc-sim: reads the environment, finds the command and runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/param.h"
#include "base/registry.h"
#include "cli/grid.h"
#include "cli/options.h"
#include "kernels/kernels.h"
#include "workloads/train/datasets/locate.h"

static const egc_command *const commands[] = {
    &egc_cmd_run,      &egc_cmd_plot,  &egc_cmd_merge, &egc_cmd_list,
    &egc_cmd_describe, &egc_cmd_trace, &egc_cmd_bench, &egc_cmd_version,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static int print_help(void)
{
    egc_grid grid = {.n_columns = 2, .indent = 2};
    egc_error err;
    puts("usage: egc-sim COMMAND [ARGUMENTS]\n\n"
         "Compresses real gradients of distributed training inside a simulated cluster.\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        EGC_GRID_ROW(&grid, commands[i]->name, commands[i]->brief);
    if (egc_grid_print(&grid, &err))
        return egc_note_error(&err);
    puts("\n`egc-sim COMMAND --help` explains a command.\n\n"
         "The environment variable EGC_KERNELS selects the variant of the inner loops; all "
         "variants give the\nsame results. Data sets are searched in the folder EGC_DATA, then "
         "in " EGC_DATA_SYSTEM ".\n\nexample:\n"
         "  egc-sim run scripts/compare.lua && egc-sim plot results/compare");
    return EGC_EXIT_DONE;
}

static int fail_unknown(const char *name)
{
    const void *items[N_COMMANDS + 1] = {0};
    egc_error err;
    for (size_t i = 0; i < N_COMMANDS; i++)
        items[i] = commands[i];
    egc_registry_fail_unknown(&err, "command", name, items);
    egc_note("%s, help", err.message);
    return EGC_EXIT_USAGE;
}

static int run_command(const char *name, int argc, char **argv)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return egc_options_run(commands[i], argc, argv);
    return fail_unknown(name);
}

/* `egc-sim help X` is `egc-sim X --help`. */
static int dispatch(int argc, char **argv)
{
    char option[] = "--help";
    if (argc < 2) {
        egc_note("a command is missing; `egc-sim --help` lists them");
        return EGC_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0)
        name = "version";
    if (strcmp(name, "help") == 0 && argc > 2)
        return run_command(argv[2], 2, (char *[]){argv[2], option, NULL});
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return print_help();
    return run_command(name, argc - 1, argv + 1);
}

/* Output that could not be written must not look like success. */
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
    egc_locate_set_root(getenv("EGC_DATA"));
    egc_error err = {0};
    if (kernels && egc_kernels_use(kernels, &err)) {
        egc_note("EGC_KERNELS: %s", err.message);
        return EGC_EXIT_USAGE;
    }
    return check_stdout(dispatch(argc, argv));
}
