/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>

#include "cli/table.h"
#include "experiment/results/results.h"

enum { OPTION_OUT };

static const egc_option options[] = {
    [OPTION_OUT] = {"out", "DIR", "where the joined results go"},
    {0},
};

static const egc_usage usage = {
    .command = "merge",
    .arguments = "DIR... --out DIR",
    .summary = "Joins the results of all shards of an experiment into the same files that one "
               "whole run writes",
    .options = options,
    .example = "egc-sim run big.lua --shard 1/2 --out a    # on one machine\n"
               "  egc-sim run big.lua --shard 2/2 --out b    # on another\n"
               "  egc-sim merge a b --out results/big",
};

int egc_cmd_merge(int argc, char **argv)
{
    egc_options args = {.usage = &usage, .argc = argc, .argv = argv};
    const char *out = NULL, *value;
    while (egc_options_next(&args, &value) == OPTION_OUT)
        out = value;
    int n;
    char **dirs = egc_options_rest(&args, 1, INT_MAX, &n);
    if (args.stop)
        return args.exit;
    if (!out)
        return egc_options_fail(&usage, "--out DIR is missing");
    egc_error err = {0};
    if (egc_results_merge((const char *const *)dirs, (size_t)n, out, &err))
        return egc_note_error(&err);
    egc_note("joined %d folders into %s", n, out);
    return EGC_EXIT_DONE;
}
