/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment as it was written, before it means anything: a tree of values that remembers
 * where each stood in the script. sim/script makes it from Lua; sweep.h expands its axes into
 * points; resolve.h turns each point into typed configurations.
 *
 * Everything in a tree lives in one arena and is immutable once built; expansion shares what did
 * not change. */
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
    EGC_SPEC_EACH,  /* items only: one point for each */
    EGC_SPEC_ZIP,   /* fields whose values are EACH of one length, walked together */
} egc_spec_kind;

typedef struct egc_spec egc_spec;

typedef struct egc_spec_field {
    const char *key; /* NULL for items */
    const egc_spec *value;
} egc_spec_field;

struct egc_spec {
    egc_spec_kind kind;
    const char *constructor; /* who built a TABLE: "experiment", "workload.trace", "cluster.star",
                          "method.topk"; NULL for a plain Lua table */
    const char *where;       /* "compare.lua:12" */
    egc_scalar scalar;
    const egc_spec_field *fields;
    size_t n_fields;
};

/* The value at key, or NULL. */
const egc_spec *egc_spec_get(const egc_spec *table, const char *key);

/* The value at a dotted path ("method.ratio"), or NULL. */
const egc_spec *egc_spec_at(const egc_spec *table, const char *path);

/* Puts the fields of a table into the order in which axes vary, slowest first: an experiment's as
 * its documentation lists them with the seed last, any other's by name. A ZIP stands where the
 * first of its fields would, other items come last as they were. */
void egc_spec_order(const char *constructor, egc_spec_field *fields, size_t n_fields);

/* A new node that is a copy of *model, or NULL when out of memory. */
egc_spec *egc_spec_new(egc_arena *arena, const egc_spec *model);

/* A copy of `root` in which the value at a dotted path ("method.ratio") is replaced or added.
 * Tables on the way must exist; a path through an EACH changes every item that may have the key,
 * and there must be one. NAME otherwise. */
egc_status egc_spec_set(egc_arena *arena, const egc_spec *root, const char *path,
                        const egc_spec *value, const egc_spec **out, egc_error *err) EGC_MUST_CHECK;

/* Sets the fields of object that the table names from those of spec; keys in `skip`
 * (NULL-terminated, may be NULL) are left to the caller. The items of lists come from arena. NAME,
 * listing the valid keys, for any other; RANGE. Messages read "compare.lua:12: PATH.key: must be
 * ...", and "PATH.layers[2].key: must be ..." in the second item of a list. */
egc_status egc_spec_configure(egc_arena *arena, const egc_spec *spec, const char *path,
                              const egc_param *table, void *object, const char *const *skip,
                              egc_error *err) EGC_MUST_CHECK;

/* Appends a tree as text, as written but with fields in order: "topk ratio=0.01". The same for
 * trees that say the same. MEMORY. */
egc_status egc_spec_format(const egc_spec *spec, egc_buf *out, egc_error *err) EGC_MUST_CHECK;

#endif
