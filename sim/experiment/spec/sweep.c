/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/spec/sweep.h"

#include <string.h>

typedef struct list {
    const egc_spec **items;
    size_t n;
} list;

static egc_status list_new(egc_arena *arena, size_t n, list *out, egc_error *err)
{
    *out = (list){egc_arena_alloc(arena, n * sizeof *out->items), n};
    return out->items ? EGC_OK : egc_fail_memory(err, n * sizeof *out->items);
}

/* ---- checking and counting ----------------------------------------------------------------- */

static egc_status check_zip(const egc_spec *table, const egc_spec *zip, egc_error *err)
{
    const egc_spec_field *first = &zip->fields[0];
    for (size_t i = 0; i < zip->n_fields; i++) {
        const egc_spec_field *field = &zip->fields[i];
        if (egc_spec_get(table, field->key))
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "%s: egc.zip: %s is also a field of the table it stands in", zip->where,
                            field->key);
        if (field->value->n_fields != first->value->n_fields)
            return egc_fail(err, EGC_ERROR_FORMAT, "%s: egc.zip: %s has %zu values, %s has %zu",
                            zip->where, first->key, first->value->n_fields, field->key,
                            field->value->n_fields);
        for (size_t j = 0; j < table->n_fields; j++) {
            const egc_spec *other = table->fields[j].value;
            if (other != zip && other->kind == EGC_SPEC_ZIP && egc_spec_get(other, field->key))
                return egc_fail(err, EGC_ERROR_FORMAT, "%s: egc.zip: %s is also in another zip",
                                zip->where, field->key);
        }
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
        if (value->kind == EGC_SPEC_ZIP && spec->fields[i].key)
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "%s: egc.zip: must stand in a table without a key, got the key %s",
                            value->where, spec->fields[i].key);
        if (value->kind == EGC_SPEC_ZIP && spec->kind != EGC_SPEC_TABLE)
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "%s: egc.zip: must stand in the table whose fields it moves",
                            value->where);
        if (value->kind == EGC_SPEC_ZIP)
            status = check_zip(spec, value, err);
        if (!status)
            status = check(value, err);
    }
    return status;
}

/* How many points a node makes; a double does not overflow. */
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

static egc_status expand(egc_arena *arena, const egc_spec *spec, list *out, egc_error *err);

static egc_status concatenate(egc_arena *arena, const list *parts, size_t n_parts, list *out,
                              egc_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < n_parts; i++)
        n += parts[i].n;
    egc_status status = list_new(arena, n, out, err);
    for (size_t i = 0, at = 0; i < n_parts && !status; at += parts[i++].n)
        memcpy(out->items + at, parts[i].items, parts[i].n * sizeof *out->items);
    return status;
}

/* A table with the fields of spec, the i-th being choices[i]. What a ZIP chose is a table, whose
 * fields join those of spec. */
static egc_status assemble(egc_arena *arena, const egc_spec *spec, const egc_spec *const *choices,
                           const egc_spec **out, egc_error *err)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < spec->n_fields; i++)
        n += spec->fields[i].value->kind == EGC_SPEC_ZIP ? choices[i]->n_fields : 1;
    egc_spec *table = egc_spec_new(arena, spec);
    egc_spec_field *fields = egc_arena_alloc(arena, n * sizeof *fields);
    if (!table || !fields)
        return egc_fail_memory(err, n * sizeof *fields);
    for (size_t i = 0; i < spec->n_fields; i++) {
        if (spec->fields[i].value->kind == EGC_SPEC_ZIP)
            for (size_t j = 0; j < choices[i]->n_fields; j++)
                fields[at++] = choices[i]->fields[j];
        else
            fields[at++] = (egc_spec_field){spec->fields[i].key, choices[i]};
    }
    egc_spec_order(spec->constructor, fields, n);
    table->fields = fields;
    table->n_fields = n;
    *out = table;
    return EGC_OK;
}

/* Every combination of the fields' values, the last field varying fastest. */
static egc_status expand_table(egc_arena *arena, const egc_spec *spec, list *out, egc_error *err)
{
    size_t n = 1, n_fields = spec->n_fields;
    list *parts = egc_arena_alloc(arena, n_fields * sizeof *parts);
    const egc_spec **choices = egc_arena_alloc(arena, n_fields * sizeof *choices);
    if (!parts || !choices)
        return egc_fail_memory(err, n_fields * sizeof *parts);
    for (size_t i = 0; i < n_fields; i++) {
        egc_status status = expand(arena, spec->fields[i].value, &parts[i], err);
        if (status)
            return status;
        n *= parts[i].n;
    }
    egc_status status = list_new(arena, n, out, err);
    for (size_t point = 0; point < n && !status; point++) {
        size_t digits = point;
        for (size_t i = n_fields; i-- > 0; digits /= parts[i].n)
            choices[i] = parts[i].items[digits % parts[i].n];
        status = assemble(arena, spec, choices, &out->items[point], err);
    }
    return status;
}

static egc_status expand_each(egc_arena *arena, const egc_spec *each, list *out, egc_error *err)
{
    list *parts = egc_arena_alloc(arena, each->n_fields * sizeof *parts);
    if (!parts)
        return egc_fail_memory(err, each->n_fields * sizeof *parts);
    for (size_t i = 0; i < each->n_fields; i++) {
        egc_status status = expand(arena, each->fields[i].value, &parts[i], err);
        if (status)
            return status;
    }
    return concatenate(arena, parts, each->n_fields, out, err);
}

static egc_status expand_zip(egc_arena *arena, const egc_spec *zip, list *out, egc_error *err)
{
    size_t n_rows = zip->n_fields ? zip->fields[0].value->n_fields : 0;
    list *parts = egc_arena_alloc(arena, n_rows * sizeof *parts);
    egc_spec_field *fields = egc_arena_alloc(arena, zip->n_fields * sizeof *fields);
    if (!parts || !fields)
        return egc_fail_memory(err, n_rows * sizeof *parts);
    egc_spec row = {.kind = EGC_SPEC_TABLE, .where = zip->where, .fields = fields};
    row.n_fields = zip->n_fields;
    for (size_t i = 0; i < n_rows; i++) {
        for (size_t j = 0; j < zip->n_fields; j++) {
            fields[j].key = zip->fields[j].key;
            fields[j].value = zip->fields[j].value->fields[i].value;
        }
        egc_status status = expand_table(arena, &row, &parts[i], err);
        if (status)
            return status;
    }
    return concatenate(arena, parts, n_rows, out, err);
}

static egc_status expand(egc_arena *arena, const egc_spec *spec, list *out, egc_error *err)
{
    switch (spec->kind) {
    case EGC_SPEC_TABLE:
        return expand_table(arena, spec, out, err);
    case EGC_SPEC_EACH:
        return expand_each(arena, spec, out, err);
    case EGC_SPEC_ZIP:
        return expand_zip(arena, spec, out, err);
    case EGC_SPEC_SCALAR:
        break;
    }
    egc_status status = list_new(arena, 1, out, err);
    if (!status)
        out->items[0] = spec;
    return status;
}

/* ---- axes ---------------------------------------------------------------------------------- */

typedef struct axis_list {
    egc_arena *arena;
    const char **paths;
    size_t n;
    size_t capacity;
    egc_error *err;
} axis_list;

static egc_status add_axis(axis_list *axes, const char *path)
{
    for (size_t i = 0; i < axes->n; i++)
        if (strcmp(axes->paths[i], path) == 0)
            return EGC_OK;
    if (axes->n == axes->capacity) {
        size_t capacity = axes->capacity ? 2 * axes->capacity : 8;
        const char **paths = egc_arena_alloc(axes->arena, capacity * sizeof *paths);
        if (!paths)
            return egc_fail_memory(axes->err, capacity * sizeof *paths);
        if (axes->n)
            memcpy(paths, axes->paths, axes->n * sizeof *paths);
        axes->paths = paths;
        axes->capacity = capacity;
    }
    axes->paths[axes->n++] = path;
    return EGC_OK;
}

static egc_status find_axes(axis_list *axes, const egc_spec *spec, const char *path)
{
    egc_status status = spec->kind == EGC_SPEC_EACH ? add_axis(axes, path) : EGC_OK;
    for (size_t i = 0; i < spec->n_fields && !status; i++) {
        const egc_spec_field *field = &spec->fields[i];
        const char *below = path;
        if (field->value->kind == EGC_SPEC_SCALAR)
            continue;
        if (field->key)
            below = egc_arena_printf(axes->arena, "%s%s%s", path, *path ? "." : "", field->key);
        status = below ? find_axes(axes, field->value, below) : egc_fail_memory(axes->err, 64);
    }
    return status;
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
    axis_list axes = {.arena = arena, .err = err};
    list points = {0};
    status = find_axes(&axes, experiment, "");
    if (!status)
        status = expand(arena, experiment, &points, err);
    *out = (egc_sweep){axes.paths, axes.n, points.items, points.n};
    return status;
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
            status = egc_spec_format(value, &text, err);
        values[i] = egc_arena_printf(arena, "%s", value && text.len ? (char *)text.data : "");
        if (!status && !values[i])
            status = egc_fail_memory(err, text.len + 1);
    }
    egc_buf_fini(&text);
    *out = values;
    return status;
}
