/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim merge`: joins the results folders of shards by egc_results_merge. */
#include <limits.h>

#include "cli/options.h"
#include "experiment/results/merge.h"

typedef struct merge_request {
    egc_texts dirs;
    const char *out;
} merge_request;

static const egc_option options[] = {
    {"out", "DIR", "folder for the joined results", EGC_OPTION(merge_request, out, TEXT),
     .required = true},
    {0},
};

static int run(void *arg)
{
    const merge_request *request = arg;
    egc_error err;
    if (egc_results_merge(request->dirs.items, request->dirs.n, request->out, &err))
        return egc_note_error(&err);
    egc_note("joined %zu folders into %s", request->dirs.n, request->out);
    return EGC_EXIT_DONE;
}

const egc_command egc_cmd_merge = {
    .name = "merge",
    .brief = "join the results of shards",
    .arguments = "DIR... --out DIR",
    .summary = "Joins the results of all shards of an experiment into the same files that one "
               "whole run writes",
    .example = "egc-sim run big.lua --shard 1/2 --out a    # on one machine\n"
               "  egc-sim run big.lua --shard 2/2 --out b    # on another\n"
               "  egc-sim merge a b --out results/big",
    .options = options,
    .least = 1,
    .most = INT_MAX,
    .request_size = sizeof(merge_request),
    .run = run,
};
