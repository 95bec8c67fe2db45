/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim describe`: finds every item of the catalogue with the given name, and prints its page.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/describe/catalog.h"
#include "cli/options.h"
#include "script/cluster.h"

typedef struct describe_request {
    egc_texts name;
    egc_texts settings;
} describe_request;

static const egc_option options[] = {
    {"set", "KEY=VALUE", "change a parameter of a cluster; may be repeated",
     EGC_OPTION(describe_request, settings, TEXTS)},
    {0},
};

/* Prints the page of every item called name, and counts them. */
static egc_status print_pages(egc_catalog *catalog, const char *name, int *found, egc_error *err)
{
    *found = 0;
    egc_status status = EGC_OK;
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading && !status; kind++) {
        const egc_catalog_item *const *items;
        status = kind->items(catalog, &items, err);
        for (; !status && *items; items++)
            if (strcmp((*items)->name, name) == 0) {
                printf("%s%s (%s): %s\n", (*found)++ ? "\n" : "", name, kind->one,
                       (*items)->summary);
                status = egc_catalog_print(kind, *items, err);
            }
    }
    return status;
}

/* Metrics are too many to be listed in one line. */
static egc_status fail_unknown(egc_catalog *catalog, const char *name, egc_error *err)
{
    egc_buf valid = {0};
    egc_status status = EGC_OK;
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading && !status; kind++) {
        const egc_catalog_item *const *items;
        if (strcmp(kind->heading, "metrics") == 0)
            continue;
        status = kind->items(catalog, &items, err);
        for (; !status && *items; items++)
            egc_text_put(&valid, "%s, ", (*items)->name);
    }
    if (!status)
        status =
            egc_fail(err, EGC_ERROR_NAME,
                     "nothing is called \"%s\"; valid: %sand the names in `egc-sim list metrics`",
                     name, egc_text_get(&valid));
    egc_buf_fini(&valid);
    return status;
}

static egc_status describe(const char *name, egc_error *err)
{
    egc_catalog catalog = {0};
    int found;
    egc_status status = print_pages(&catalog, name, &found, err);
    if (!status && !found)
        status = fail_unknown(&catalog, name, err);
    egc_catalog_fini(&catalog);
    return status;
}

static egc_status describe_cluster(const char *name, const egc_texts *settings, egc_error *err)
{
    egc_arena arena = {0};
    egc_cluster_choice choice;
    egc_status status =
        egc_cluster_choose_by_settings(name, settings->items, settings->n, &arena, &choice, err);
    if (!status) {
        printf("%s (cluster): %s\n", choice.type->name, choice.type->summary);
        status = egc_pages_chosen_cluster(&choice, err);
    }
    egc_arena_fini(&arena);
    return status;
}

static int run(void *arg)
{
    const describe_request *request = arg;
    const char *name = request->name.items[0];
    egc_error err;
    egc_status status = request->settings.n ? describe_cluster(name, &request->settings, &err)
                                            : describe(name, &err);
    return egc_options_end(&egc_cmd_describe, status, &err);
}

const egc_command egc_cmd_describe = {
    .name = "describe",
    .brief = "describe a name: reference, parameters, valid values",
    .arguments = "NAME [--set KEY=VALUE]...",
    .summary = "Describes NAME: summary, formula, reference, and a table of parameters with "
               "defaults and valid values.\nFor a cluster also hosts, links, bisection bandwidth "
               "and diameter, with its default parameters or those\nof --set. `egc-sim list` "
               "shows the names",
    .example = "egc-sim describe fat_tree --set levels=3 --set children=8",
    .options = options,
    .least = 1,
    .most = 1,
    .request_size = sizeof(describe_request),
    .run = run,
};
