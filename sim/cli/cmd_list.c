/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim list`: names and summaries of the catalogue's kinds. Kinds with the same heading form
 * one list. */
#include <stdio.h>
#include <string.h>

#include "cli/describe/catalog.h"
#include "cli/grid.h"
#include "cli/options.h"

/* Adds the items of all kinds with this heading. */
static egc_status add_heading(egc_catalog *catalog, const char *heading, egc_grid *grid,
                              egc_error *err)
{
    egc_status status = EGC_OK;
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading && !status; kind++) {
        const egc_catalog_item *const *items;
        if (strcmp(kind->heading, heading) != 0)
            continue;
        status = kind->items(catalog, &items, err);
        for (; !status && *items; items++)
            EGC_GRID_ROW(grid, (*items)->name, (*items)->summary);
    }
    return status;
}

static egc_status list_one(egc_catalog *catalog, const char *heading, egc_error *err)
{
    egc_grid grid = {.n_columns = 2};
    egc_status status = add_heading(catalog, heading, &grid, err);
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading && !status; kind++)
        if (kind->also && strcmp(kind->heading, heading) == 0)
            status = add_heading(catalog, kind->also, &grid, err);
    egc_status printed = egc_grid_print(&grid, status ? NULL : err);
    return status ? status : printed;
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
        egc_status printed = egc_grid_print(&grid, status ? NULL : err);
        status = status ? status : printed;
    }
    return status;
}

/* NAME, listing the headings, if name is not one of them. */
static egc_status check_heading(const char *name, egc_error *err)
{
    char valid[256] = "";
    const char *last = "";
    for (const egc_catalog_kind *kind = egc_catalog_kinds; kind->heading; kind++) {
        if (strcmp(kind->heading, name) == 0)
            return EGC_OK;
        if (strcmp(kind->heading, last) != 0)
            strcat(strcat(valid, *last ? ", " : ""), kind->heading);
        last = kind->heading;
    }
    return egc_fail(err, EGC_ERROR_NAME, "nothing is called \"%s\"; valid: %s", name, valid);
}

static int run(void *arg)
{
    const egc_texts *what = arg;
    egc_catalog catalog = {0};
    egc_error err;
    egc_status status = what->n ? check_heading(what->items[0], &err) : EGC_OK;
    if (!status)
        status = what->n ? list_one(&catalog, what->items[0], &err) : list_all(&catalog, &err);
    egc_catalog_fini(&catalog);
    return egc_options_end(&egc_cmd_list, status, &err);
}

const egc_command egc_cmd_list = {
    .name = "list",
    .brief = "list compressors, workloads, clusters and everything else that has a name",
    .arguments = "[KIND]",
    .summary = "Lists names with one line about each. KIND is compressors, methods, workloads, "
               "models, datasets,\nclusters, algorithms, exchanges, codecs, memories, devices or "
               "metrics; without it all kinds are listed",
    .example = "egc-sim list compressors",
    .most = 1,
    .request_size = sizeof(egc_texts),
    .run = run,
};
