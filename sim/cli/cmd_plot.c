/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cli/cli.h"
#include "plot/plot.h"

enum { OPTION_FORMAT };

static const egc_option options[] = {
    [OPTION_FORMAT] = {"format", "FORMAT", "svg (default), png or pdf"},
    {0},
};

static const egc_usage usage = {
    .command = "plot",
    .arguments = "DIR [--format svg|png|pdf]",
    .summary = "Draws figures from the CSV files of DIR into DIR/plots, with gnuplot. Beside each "
               "figure lie its data\n(NAME.csv) and its script (NAME.gp), to be restyled at will",
    .options = options,
    .example = "egc-sim plot results/compare --format pdf",
};

static void print_path(void *arg, const char *path)
{
    (void)arg;
    puts(path);
}

static void note_skipped(void *arg, const char *figure, const char *reason)
{
    (void)arg;
    egc_note("no figure \"%s\": it needs %s", figure, reason);
}

static void note_left_out(void *arg, size_t n_left_out, size_t n_runs)
{
    (void)arg;
    egc_note("%zu of %zu runs are left out, their status is not ok", n_left_out, n_runs);
}

int egc_cmd_plot(int argc, char **argv)
{
    egc_args args = {.usage = &usage, .argc = argc, .argv = argv};
    const char *format = "svg", *value;
    while (egc_args_next(&args, &value) == OPTION_FORMAT)
        format = value;
    int n;
    char **dir = egc_args_rest(&args, 1, 1, &n);
    if (args.stop)
        return args.exit;
    egc_plot_sink sink = {.drawn = print_path, .skipped = note_skipped, .left_out = note_left_out};
    egc_error err = {0};
    egc_status status = egc_plot(dir[0], format, &sink, &err);
    if (status == EGC_ERROR_NAME)
        return egc_args_fail(&usage, "%s", err.message);
    return status ? egc_note_error(&err) : EGC_EXIT_DONE;
}
