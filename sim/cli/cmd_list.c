/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/describe/catalog.h"
#include "cli/table.h"

static const egc_usage usage = {
    .command = "list",
    .arguments = "[WHAT]",
    .summary = "Lists names and what they stand for. WHAT is one of compressors, methods, "
               "workloads, models, datasets,\nclusters, algorithms, exchanges, codecs, memories, "
               "devices and metrics; "
               "without it everything is listed",
    .example = "egc-sim list compressors",
};

static egc_status add_items(egc_catalog *catalog, const egc_catalog_kind *kind, egc_grid *grid,
                            egc_error *err)
{
    const egc_catalog_item *const *items;
    egc_status status = kind->items(catalog, &items, err);
    for (; !status && *items; items++)
        status = egc_grid_add(grid, (const char *[]){(*items)->name, (*items)->summary}, err);
    return status;
}

/* The items of every kind with this heading. */
static egc_status add_heading(egc_catalog *catalog, const char *heading, egc_grid *grid,
                              egc_error *err)
{
    egc_status status = EGC_OK;
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading && !status; kind++)
        if (strcmp(kind->heading, heading) == 0)
            status = add_items(catalog, kind, grid, err);
    return status;
}

static egc_status list_one(egc_catalog *catalog, const char *heading, egc_error *err)
{
    egc_grid grid = {.n_columns = 2};
    egc_status status = add_heading(catalog, heading, &grid, err);
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading && !status; kind++)
        if (kind->also && strcmp(kind->heading, heading) == 0)
            status = add_heading(catalog, kind->also, &grid, err);
    egc_grid_print(&grid);
    return status;
}

static egc_status list_all(egc_catalog *catalog, egc_error *err)
{
    const char *heading = "";
    egc_status status = EGC_OK;
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading && !status; kind++) {
        if (strcmp(kind->heading, heading) == 0)
            continue;
        egc_grid grid = {.n_columns = 2, .indent = 2};
        printf("%s%s%s%s:\n", *heading ? "\n" : "", kind->heading,
               kind->also ? ", besides the " : "", kind->also ? kind->also : "");
        heading = kind->heading;
        status = add_heading(catalog, heading, &grid, err);
        egc_grid_print(&grid);
    }
    return status;
}

static bool is_heading(const char *what)
{
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading; kind++)
        if (strcmp(kind->heading, what) == 0)
            return true;
    return false;
}

static int fail_unknown(const char *what)
{
    char valid[256] = "";
    const char *last = "";
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading; kind++) {
        if (strcmp(kind->heading, last) == 0)
            continue;
        strcat(valid, *last ? ", " : "");
        strcat(valid, kind->heading);
        last = kind->heading;
    }
    return egc_options_fail(&usage, "nothing is called \"%s\"; valid: %s", what, valid);
}

int egc_cmd_list(int argc, char **argv)
{
    egc_options args = {.usage = &usage, .argc = argc, .argv = argv};
    const char *value;
    int n;
    egc_options_next(&args, &value);
    char **what = egc_options_rest(&args, 0, 1, &n);
    if (args.stop)
        return args.exit;
    if (n == 1 && !is_heading(what[0]))
        return fail_unknown(what[0]);
    egc_catalog catalog = {0};
    egc_error err = {0};
    egc_status status = n ? list_one(&catalog, what[0], &err) : list_all(&catalog, &err);
    egc_catalog_fini(&catalog);
    return status ? egc_note_error(&err) : EGC_EXIT_DONE;
}
