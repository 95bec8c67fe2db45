/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/catalog.h"
#include "cli/cli.h"

static const egc_usage usage = {
    .command = "describe",
    .arguments = "NAME",
    .summary = "Says all about NAME, as each kind of thing it names: summary, formula, reference, "
               "and a table of\nparameters with defaults and valid values. `egc-sim list` shows "
               "the names",
    .example = "egc-sim describe topk",
};

static egc_status print_item(const egc_kind *kind, const egc_named *item, egc_error *err)
{
    printf("%s (%s): %s\n", item->name, kind->one, item->summary);
    return kind->print(item, err);
}

/* Prints every item called name, and counts them. */
static egc_status describe(egc_catalog *catalog, const char *name, int *found, egc_error *err)
{
    *found = 0;
    egc_status status = EGC_OK;
    for (const egc_kind *kind = egc_kinds; kind->heading && !status; kind++) {
        const egc_named *const *items;
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
    for (const egc_kind *kind = egc_kinds; kind->heading && !status; kind++) {
        const egc_named *const *items;
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

int egc_cmd_describe(int argc, char **argv)
{
    egc_args args = {.usage = &usage, .argc = argc, .argv = argv};
    const char *value;
    int n, found;
    egc_args_next(&args, &value);
    char **name = egc_args_rest(&args, 1, 1, &n);
    if (args.stop)
        return args.exit;
    egc_catalog catalog = {0};
    egc_error err = {0};
    egc_status status = describe(&catalog, name[0], &found, &err);
    if (!status && !found)
        status = fail_unknown(&catalog, name[0], &err);
    egc_catalog_fini(&catalog);
    if (status == EGC_ERROR_NAME)
        return egc_args_fail(&usage, "%s", err.message);
    return status ? egc_note_error(&err) : EGC_EXIT_DONE;
}
