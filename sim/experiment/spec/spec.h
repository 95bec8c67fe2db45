/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The syntax tree of an experiment: values with their line in the script. sim/script makes it from
 * Lua, sweep.h expands its axes into points, and resolve.h turns a point into a typed
 * configuration.
 *
 * A tree lives in one arena and is immutable; trees made from it share the unchanged nodes. */
#ifndef EGC_EXPERIMENT_SPEC_SPEC_H
#define EGC_EXPERIMENT_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/param.h"

typedef enum egc_spec_kind {
    EGC_SPEC_SCALAR,
    EGC_SPEC_TABLE, /* fields with keys, and items (fields whose key is NULL) */
    EGC_SPEC_EACH,  /* items only: the values of an axis */
    EGC_SPEC_ZIP,   /* fields whose values are EACH of one length: one axis for all of them */
} egc_spec_kind;

typedef struct egc_spec egc_spec;

typedef struct egc_spec_field {
    const char *key; /* NULL for items */
    const egc_spec *value;
} egc_spec_field;

struct egc_spec {
    egc_spec_kind kind;
    const char *constructor; /* for a TABLE: "experiment", "workload.trace", "method.topk"; NULL
                                for a plain Lua table */
    const char *where;       /* "compare.lua:12" */
    egc_scalar scalar;
    const egc_spec_field *fields;
    size_t n_fields;
};

/* The value at key, or NULL. */
const egc_spec *egc_spec_get(const egc_spec *table, const char *key);

/* The value at a dotted path ("method.ratio"), or NULL. */
const egc_spec *egc_spec_at(const egc_spec *table, const char *path);

/* Sorts the fields of a table into the order in which axes vary, slowest first. In an experiment
 * this is the order of its documentation with the seed last, in other tables the alphabetic one. A
 * ZIP takes the place of its first field; other items come last in their old order. */
void egc_spec_order(const char *constructor, egc_spec_field *fields, size_t n_fields);

/* A copy of the node *model, or NULL when out of memory. */
egc_spec *egc_spec_new(egc_arena *arena, const egc_spec *model);

/* Makes a copy of root with the value at a dotted path ("method.ratio") replaced or added. Tables
 * on the path must exist. A path through an EACH changes every item that may have the key. NAME
 * when nothing may have it; MEMORY. */
egc_status egc_spec_set(egc_arena *arena, const egc_spec *root, const char *path,
                        const egc_spec *value, const egc_spec **out, egc_error *err) EGC_MUST_CHECK;

/* Sets the fields of object from those of spec, by the rows of table. Keys in skip (ends with NULL,
 * may be NULL) are ignored. Items of lists live in arena. NAME, listing the valid keys, for an
 * unknown key; RANGE, MEMORY. Messages read "compare.lua:12: PATH.key: must be ...", and
 * "PATH.layers[2].key: must be ..." in the second item of a list. */
egc_status egc_spec_configure(egc_arena *arena, const egc_spec *spec, const char *path,
                              const egc_param *table, void *object, const char *const *skip,
                              egc_error *err) EGC_MUST_CHECK;

/* Appends a tree as text with its fields sorted: "topk ratio=0.01". Trees with the same content
 * have the same text. */
void egc_spec_put(const egc_spec *spec, egc_buf *out);

#endif
