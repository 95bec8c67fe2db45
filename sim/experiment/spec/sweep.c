/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of points is counted before the tree is expanded, in a double, which cannot overflow.
 * Combinations are the digits of a number in a mixed radix. */
#include "experiment/spec/sweep.h"

#include <string.h>

#include "base/text.h"

/* The first error makes all later steps do nothing. */
typedef struct expansion {
    egc_arena *arena;
    egc_status status;
    egc_error *err;
} expansion;

typedef struct list {
    const egc_spec **items;
    size_t n; /* 0 after an error */
} list;

/* Memory for n items of `size` bytes; NULL sets the status. */
static void *allocate(expansion *x, size_t n, size_t size)
{
    void *memory = x->status ? NULL : egc_arena_alloc(x->arena, n * size);
    if (!memory && !x->status)
        x->status = egc_fail_memory(x->err, n * size);
    return memory;
}

static list new_list(expansion *x, size_t n)
{
    const egc_spec **items = allocate(x, n, sizeof *items);
    return (list){items, items ? n : 0};
}

/* ---- checking and counting ----------------------------------------------------------------- */

/* True if another ZIP of the table has the key. */
static bool is_in_other_zip(const egc_spec *table, const egc_spec *zip, const char *key)
{
    for (size_t i = 0; i < table->n_fields; i++) {
        const egc_spec *other = table->fields[i].value;
        if (other != zip && other->kind == EGC_SPEC_ZIP && egc_spec_get(other, key))
            return true;
    }
    return false;
}

static egc_status check_zip(const egc_spec_field *place, const egc_spec *table, egc_error *err)
{
    const egc_spec *zip = place->value;
    if (place->key)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "must stand in a table without a key, got the key %s", place->key);
    if (table->kind != EGC_SPEC_TABLE)
        return egc_fail(err, EGC_ERROR_FORMAT, "must stand in the table whose fields it moves");
    for (size_t i = 0; i < zip->n_fields; i++) {
        const egc_spec_field *first = &zip->fields[0], *field = &zip->fields[i];
        if (egc_spec_get(table, field->key))
            return egc_fail(err, EGC_ERROR_FORMAT, "%s is also a field of the table it stands in",
                            field->key);
        if (field->value->n_fields != first->value->n_fields)
            return egc_fail(err, EGC_ERROR_FORMAT, "%s has %zu values, %s has %zu", first->key,
                            first->value->n_fields, field->key, field->value->n_fields);
        if (is_in_other_zip(table, zip, field->key))
            return egc_fail(err, EGC_ERROR_FORMAT, "%s is also in another zip", field->key);
    }
    return EGC_OK;
}

static egc_status check(const egc_spec *spec, egc_error *err)
{
    egc_status status = EGC_OK;
    if (spec->kind == EGC_SPEC_EACH && spec->n_fields == 0)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: egc.each needs at least one value",
                        spec->where);
    for (size_t i = 0; i < spec->n_fields && !status; i++) {
        const egc_spec *value = spec->fields[i].value;
        if (value->kind == EGC_SPEC_ZIP && check_zip(&spec->fields[i], spec, err))
            return egc_error_prefix(err, "%s: egc.zip", value->where);
        status = check(value, err);
    }
    return status;
}

/* The number of points of a node. */
static double count(const egc_spec *spec)
{
    double sum = 0, product = 1;
    for (size_t i = 0; i < spec->n_fields; i++) {
        double n = count(spec->fields[i].value);
        sum += n;
        product *= n;
    }
    if (spec->kind != EGC_SPEC_ZIP)
        return spec->kind == EGC_SPEC_EACH ? sum : product;
    sum = 0;
    for (size_t row = 0; spec->n_fields && row < spec->fields[0].value->n_fields; row++) {
        product = 1;
        for (size_t i = 0; i < spec->n_fields; i++)
            product *= count(spec->fields[i].value->fields[row].value);
        sum += product;
    }
    return sum;
}

/* ---- expanding ----------------------------------------------------------------------------- */

static list expand(expansion *x, const egc_spec *spec);

static list concatenate(expansion *x, const list *parts, size_t n_parts)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < n_parts; i++)
        n += parts[i].n;
    list all = new_list(x, n);
    for (size_t i = 0; i < n_parts && all.n; at += parts[i++].n)
        memcpy(all.items + at, parts[i].items, parts[i].n * sizeof *all.items);
    return all;
}

/* A table with the fields of spec, choices[i] in place of the i-th value. The choice of a ZIP is a
 * table, whose fields are added to those of spec. */
static const egc_spec *assemble(expansion *x, const egc_spec *spec, const egc_spec *const *choices)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < spec->n_fields; i++)
        n += spec->fields[i].value->kind == EGC_SPEC_ZIP ? choices[i]->n_fields : 1;
    egc_spec *table = allocate(x, 1, sizeof *table);
    egc_spec_field *fields = allocate(x, n, sizeof *fields);
    if (!table || !fields)
        return NULL;
    for (size_t i = 0; i < spec->n_fields; i++) {
        if (spec->fields[i].value->kind == EGC_SPEC_ZIP)
            for (size_t j = 0; j < choices[i]->n_fields; j++)
                fields[at++] = choices[i]->fields[j];
        else
            fields[at++] = (egc_spec_field){spec->fields[i].key, choices[i]};
    }
    egc_spec_order(spec->constructor, fields, n);
    *table = *spec;
    table->fields = fields;
    table->n_fields = n;
    return table;
}

/* All combinations of the values of the fields; the last field varies fastest. */
static list expand_table(expansion *x, const egc_spec *spec)
{
    size_t n = 1, n_fields = spec->n_fields;
    list *parts = allocate(x, n_fields, sizeof *parts);
    const egc_spec **choices = allocate(x, n_fields, sizeof *choices);
    for (size_t i = 0; i < n_fields && !x->status; i++) {
        parts[i] = expand(x, spec->fields[i].value);
        n *= parts[i].n;
    }
    list points = new_list(x, n);
    for (size_t point = 0; point < points.n && !x->status; point++) {
        size_t digits = point;
        for (size_t i = n_fields; i-- > 0; digits /= parts[i].n)
            choices[i] = parts[i].items[digits % parts[i].n];
        points.items[point] = assemble(x, spec, choices);
    }
    return points;
}

static list expand_each(expansion *x, const egc_spec *each)
{
    list *parts = allocate(x, each->n_fields, sizeof *parts);
    for (size_t i = 0; i < each->n_fields && !x->status; i++)
        parts[i] = expand(x, each->fields[i].value);
    return x->status ? (list){0} : concatenate(x, parts, each->n_fields);
}

/* The rows of a ZIP are tables with one value of each field. */
static list expand_zip(expansion *x, const egc_spec *zip)
{
    size_t n_rows = zip->n_fields ? zip->fields[0].value->n_fields : 0;
    list *parts = allocate(x, n_rows, sizeof *parts);
    egc_spec_field *fields = allocate(x, zip->n_fields, sizeof *fields);
    const egc_spec row = {
        .kind = EGC_SPEC_TABLE, .where = zip->where, .fields = fields, .n_fields = zip->n_fields};
    for (size_t i = 0; i < n_rows && !x->status; i++) {
        for (size_t j = 0; j < zip->n_fields; j++) {
            fields[j].key = zip->fields[j].key;
            fields[j].value = zip->fields[j].value->fields[i].value;
        }
        parts[i] = expand_table(x, &row);
    }
    return x->status ? (list){0} : concatenate(x, parts, n_rows);
}

static list expand(expansion *x, const egc_spec *spec)
{
    list one = {0};
    switch (spec->kind) {
    case EGC_SPEC_TABLE:
        return expand_table(x, spec);
    case EGC_SPEC_EACH:
        return expand_each(x, spec);
    case EGC_SPEC_ZIP:
        return expand_zip(x, spec);
    case EGC_SPEC_SCALAR:
        one = new_list(x, 1);
        if (one.n)
            one.items[0] = spec;
    }
    return one;
}

/* ---- axes ---------------------------------------------------------------------------------- */

typedef struct axis_list {
    expansion *x;
    const char **paths;
    size_t n;
    size_t capacity;
} axis_list;

static void add_axis(axis_list *axes, const char *path)
{
    for (size_t i = 0; i < axes->n; i++)
        if (strcmp(axes->paths[i], path) == 0)
            return;
    if (axes->n == axes->capacity) {
        size_t capacity = axes->capacity ? 2 * axes->capacity : 8;
        const char **paths = allocate(axes->x, capacity, sizeof *paths);
        if (!paths)
            return;
        if (axes->n)
            memcpy(paths, axes->paths, axes->n * sizeof *paths);
        axes->paths = paths;
        axes->capacity = capacity;
    }
    axes->paths[axes->n++] = path;
}

static void find_axes(axis_list *axes, const egc_spec *spec, const char *path)
{
    expansion *x = axes->x;
    if (spec->kind == EGC_SPEC_EACH)
        add_axis(axes, path);
    for (size_t i = 0; i < spec->n_fields && !x->status; i++) {
        const egc_spec_field *field = &spec->fields[i];
        const char *below = path;
        if (field->value->kind == EGC_SPEC_SCALAR)
            continue;
        if (field->key)
            below = egc_arena_printf(x->arena, "%s%s%s", path, *path ? "." : "", field->key);
        if (below)
            find_axes(axes, field->value, below);
        else
            x->status = egc_fail_memory(x->err, strlen(path) + strlen(field->key) + 2);
    }
}

egc_status egc_sweep_expand(egc_arena *arena, const egc_spec *experiment, egc_sweep *out,
                            egc_error *err)
{
    egc_status status = check(experiment, err);
    if (status)
        return status;
    double n = count(experiment);
    if (n > EGC_SWEEP_MAX_POINTS)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "%s: the sweep must have at most %d points, got %.15g", experiment->where,
                        EGC_SWEEP_MAX_POINTS, n);
    expansion x = {.arena = arena, .err = err};
    axis_list axes = {.x = &x};
    find_axes(&axes, experiment, "");
    list points = expand(&x, experiment);
    *out = (egc_sweep){axes.paths, axes.n, points.items, points.n};
    return x.status;
}

egc_status egc_sweep_values(egc_arena *arena, const egc_sweep *sweep, const egc_spec *point,
                            const char *const **out, egc_error *err)
{
    egc_buf text = {0};
    egc_status status = EGC_OK;
    const char **values = egc_arena_alloc(arena, sweep->n_axes * sizeof *values);
    if (!values)
        return egc_fail_memory(err, sweep->n_axes * sizeof *values);
    for (size_t i = 0; i < sweep->n_axes && !status; i++) {
        const egc_spec *value = egc_spec_at(point, sweep->axes[i]);
        egc_buf_clear(&text);
        if (value)
            egc_spec_put(value, &text);
        status = egc_buf_check(&text, err);
        values[i] = egc_arena_strdup(arena, egc_text_get(&text));
        if (!status && !values[i])
            status = egc_fail_memory(err, text.len + 1);
    }
    egc_buf_fini(&text);
    *out = values;
    return status;
}
