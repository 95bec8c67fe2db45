/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that has a name in an experiment, from the registries, by kind: the content of
 * `egc-sim list` and `egc-sim describe`. */
#ifndef EGC_CLI_DESCRIBE_CATALOG_H
#define EGC_CLI_DESCRIBE_CATALOG_H

#include "base/arena.h"
#include "cli/describe/pages.h"
#include "script/devices.h"

typedef struct egc_catalog {
    egc_devices devices; /* loaded when they are first asked for */
    egc_arena arena;
} egc_catalog; /* zeroed is ready */

/* A line of a page: a text member of the item's descriptor. */
typedef struct egc_catalog_fact {
    const char *name;
    size_t offset;
} egc_catalog_fact;

typedef struct egc_catalog_kind {
    const char *heading; /* for `list`; kinds with the same heading are listed together */
    const char *one;     /* singular: "compressor" */
    const char *also;    /* heading of a kind whose items are listed with these, or NULL */

    /* The items, NULL-terminated; they live as long as the catalogue. MEMORY, and for devices the
     * errors of their Lua file. */
    egc_status (*items)(egc_catalog *catalog, const egc_catalog_item *const **out, egc_error *err);

    egc_catalog_fact facts[2];                                        /* printed first */
    egc_status (*page)(const egc_catalog_item *item, egc_error *err); /* then; may be NULL */
} egc_catalog_kind;

/* Ends with a row whose heading is NULL. */
extern const egc_catalog_kind egc_catalog_kinds[];

/* Prints the page of an item to stdout. */
egc_status egc_catalog_print(const egc_catalog_kind *kind, const egc_catalog_item *item,
                             egc_error *err) EGC_MUST_CHECK;

void egc_catalog_fini(egc_catalog *catalog);

#endif
