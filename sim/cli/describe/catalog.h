/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that has a name in an experiment, from the registries: what `list` lists and
 * `describe` describes. */
#ifndef EGC_CLI_DESCRIBE_CATALOG_H
#define EGC_CLI_DESCRIBE_CATALOG_H

#include "base/arena.h"
#include "base/error.h"
#include "script/devices.h"

/* Descriptors begin with these two. */
typedef struct egc_named {
    const char *name;
    const char *summary;
} egc_named;

typedef struct egc_catalog {
    egc_device_list devices;
    egc_arena arena;
} egc_catalog; /* zeroed is ready */

typedef struct egc_kind {
    const char *heading; /* the word of `list`; kinds that share one stand together */
    const char *one;     /* "compressor" */
    const char *also;    /* heading of a kind whose items count as this one's in lists, or NULL */

    /* The items, NULL-terminated; they live as long as the catalogue. */
    egc_status (*items)(egc_catalog *catalog, const egc_named *const **out, egc_error *err);

    /* Prints all about an item, beyond its name and summary, to stdout. */
    egc_status (*print)(const egc_named *item, egc_error *err);
} egc_kind;

/* Ends with a row whose heading is NULL. */
extern const egc_kind egc_kinds[];

/* A column of results files, as an item. */
typedef struct egc_metric {
    egc_named named;
    const char *unit;
    const char *files; /* "runs.csv, steps.csv" */
} egc_metric;

void egc_catalog_fini(egc_catalog *catalog);

#endif
