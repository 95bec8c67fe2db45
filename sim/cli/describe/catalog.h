/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that has a name in an experiment, from the registries: what `list` lists and
 * `describe` describes. */
#ifndef EGC_CLI_DESCRIBE_CATALOG_H
#define EGC_CLI_DESCRIBE_CATALOG_H

#include "base/arena.h"
#include "base/error.h"
#include "script/devices.h"

/* Descriptors begin with these two. */
typedef struct egc_catalog_item {
    const char *name;
    const char *summary;
} egc_catalog_item;

typedef struct egc_catalog {
    egc_devices devices;
    egc_arena arena;
} egc_catalog; /* zeroed is ready */

typedef struct egc_catalog_kind {
    const char *heading; /* the word of `list`; kinds that share one stand together */
    const char *one;     /* "compressor" */
    const char *also;    /* heading of a kind whose items count as this one's in lists, or NULL */

    /* The items, NULL-terminated; they live as long as the catalogue. */
    egc_status (*items)(egc_catalog *catalog, const egc_catalog_item *const **out, egc_error *err);

    /* Prints all about an item, beyond its name and summary, to stdout. */
    egc_status (*print)(const egc_catalog_item *item, egc_error *err);
} egc_catalog_kind;

/* Ends with a row whose heading is NULL. */
extern const egc_catalog_kind egc_catalog_kinds[];

/* A column of results files, as an item. */
typedef struct egc_metric {
    egc_catalog_item named;
    const char *unit;
    const char *files; /* "runs.csv, steps.csv" */
} egc_metric;

void egc_catalog_fini(egc_catalog *catalog);

#endif
