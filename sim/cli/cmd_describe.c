/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/describe/catalog.h"
#include "cli/describe/pages.h"
#include "cli/table.h"
#include "script/cluster.h"

enum { OPTION_SET };

static const egc_option options[] = {
    [OPTION_SET] = {"set", "KEY=VALUE", "change a parameter of a cluster; may be given again"},
    {0},
};

static const egc_usage usage = {
    .command = "describe",
    .arguments = "NAME [--set KEY=VALUE]...",
    .summary = "Says all about NAME, as each kind of thing it names: summary, formula, reference, "
               "and a table of\nparameters with defaults and valid values. Of a cluster it says "
               "hosts, links, bisection bandwidth\nand diameter, with its defaults or what --set "
               "says. `egc-sim list` shows the names",
    .options = options,
    .example = "egc-sim describe fat_tree --set levels=3 --set children=8",
};

static egc_status print_item(const egc_catalog_kind *kind, const egc_catalog_item *item,
                             egc_error *err)
{
    printf("%s (%s): %s\n", item->name, kind->one, item->summary);
    return kind->print(item, err);
}

/* Prints every item called name, and counts them. */
static egc_status describe(egc_catalog *catalog, const char *name, int *found, egc_error *err)
{
    *found = 0;
    egc_status status = EGC_OK;
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading && !status; kind++) {
        const egc_catalog_item *const *items;
        status = kind->items(catalog, &items, err);
        for (; !status && *items; items++)
            if (strcmp((*items)->name, name) == 0) {
                fputs((*found)++ ? "\n" : "", stdout);
                status = print_item(kind, *items, err);
            }
    }
    return status;
}

/* Metrics are left to `list metrics`: there are too many for one line. */
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
            status = egc_buf_printf(&valid, err, "%s, ", (*items)->name);
    }
    if (!status)
        status = egc_fail(err, EGC_ERROR_NAME,
                          "nothing is called \"%s\"; valid: %sand those of `egc-sim list metrics`",
                          name, (const char *)valid.data);
    egc_buf_fini(&valid);
    return status;
}

/* A cluster with some of its parameters set. */
static egc_status describe_cluster(const char *name, const char *const *settings, size_t n,
                                   egc_error *err)
{
    egc_arena arena = {0};
    egc_cluster_choice choice;
    egc_status status = egc_cluster_choose_by_settings(name, settings, n, &arena, &choice, err);
    if (!status) {
        printf("%s (cluster): %s\n", choice.type->name, choice.type->summary);
        status = egc_pages_chosen_cluster(&choice, err);
    }
    egc_arena_fini(&arena);
    return status;
}

static egc_status describe_all(const char *name, egc_error *err)
{
    egc_catalog catalog = {0};
    int found;
    egc_status status = describe(&catalog, name, &found, err);
    if (!status && !found)
        status = fail_unknown(&catalog, name, err);
    egc_catalog_fini(&catalog);
    return status;
}

int egc_cmd_describe(int argc, char **argv)
{
    egc_options args = {.usage = &usage, .argc = argc, .argv = argv};
    egc_error err = {0};
    const char *value, **settings = egc_calloc((size_t)argc, sizeof *settings);
    size_t n_settings = 0;
    int n, exit = EGC_EXIT_DONE;
    if (!settings) {
        egc_fail_memory(&err, (size_t)argc * sizeof *settings);
        return egc_note_error(&err);
    }
    while (egc_options_next(&args, &value) == OPTION_SET)
        settings[n_settings++] = value;
    char **name = egc_options_rest(&args, 1, 1, &n);
    if (args.stop) {
        exit = args.exit;
    } else {
        egc_status status = n_settings ? describe_cluster(name[0], settings, n_settings, &err)
                                       : describe_all(name[0], &err);
        if (status == EGC_ERROR_NAME)
            exit = egc_options_fail(&usage, "%s", err.message);
        else if (status)
            exit = egc_note_error(&err);
    }
    egc_free(settings);
    return exit;
}
