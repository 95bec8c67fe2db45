/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-up, order, configuration and text of the tree; spec_set.c has its changes. */
#include "experiment/spec/spec.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "experiment/spec/constructor.h"

const egc_spec *egc_spec_get(const egc_spec *table, const char *key)
{
    for (size_t i = 0; i < table->n_fields; i++)
        if (table->fields[i].key && strcmp(table->fields[i].key, key) == 0)
            return table->fields[i].value;
    return NULL;
}

const egc_spec *egc_spec_at(const egc_spec *table, const char *path)
{
    const char *dot = strchr(path, '.');
    if (!dot)
        return egc_spec_get(table, path);
    for (size_t i = 0; i < table->n_fields; i++) {
        const egc_spec_field *field = &table->fields[i];
        if (field->key && strncmp(field->key, path, (size_t)(dot - path)) == 0 &&
            field->key[dot - path] == '\0')
            return egc_spec_at(field->value, dot + 1);
    }
    return NULL;
}

egc_spec *egc_spec_new(egc_arena *arena, const egc_spec *model)
{
    egc_spec *spec = egc_arena_alloc(arena, sizeof *spec);
    if (spec)
        *spec = *model;
    return spec;
}

/* ---- order --------------------------------------------------------------------------------- */

static const char *const leading_keys[] = {
    "name", "workload", "cluster", "workers", "method", "algorithm", "exchange",
};
enum { N_LEADING = sizeof leading_keys / sizeof *leading_keys, OTHER, LAST, ITEM };

static const char *order_key(const egc_spec_field *field)
{
    bool is_zip = field->value->kind == EGC_SPEC_ZIP && field->value->n_fields > 0;
    return field->key ? field->key : is_zip ? field->value->fields[0].key : NULL;
}

static int experiment_rank(const char *key)
{
    for (int i = 0; key && i < N_LEADING; i++)
        if (strcmp(leading_keys[i], key) == 0)
            return i;
    return !key ? ITEM : strcmp(key, "seed") == 0 ? LAST : OTHER;
}

static int table_rank(const char *key)
{
    return key ? OTHER : ITEM;
}

static int compare(const char *a, const char *b, int (*rank)(const char *key))
{
    int difference = rank(a) - rank(b);
    return difference || !a ? difference : strcmp(a, b);
}

/* Insertion sort: tables are short, and items must keep their order. */
void egc_spec_order(const char *constructor, egc_spec_field *fields, size_t n_fields)
{
    bool is_experiment = constructor && strcmp(constructor, "experiment") == 0;
    int (*rank)(const char *key) = is_experiment ? experiment_rank : table_rank;
    for (size_t i = 1; i < n_fields; i++) {
        egc_spec_field field = fields[i];
        size_t j = i;
        for (; j > 0 && compare(order_key(&fields[j - 1]), order_key(&field), rank) > 0; j--)
            fields[j] = fields[j - 1];
        fields[j] = field;
    }
}

/* ---- configuring --------------------------------------------------------------------------- */

static bool listed(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static egc_status unknown_key(const egc_param *table, const char *const *skip, egc_error *err)
{
    egc_buf valid = {0};
    egc_param_names(table, &valid);
    for (; skip && *skip; skip++)
        if (!egc_param_find(table, *skip))
            egc_text_put(&valid, "%s%s", valid.len ? ", " : "", *skip);
    egc_status status = egc_fail(err, EGC_ERROR_NAME, "unknown key; valid: %s",
                                 valid.len ? egc_text_get(&valid) : "none");
    egc_buf_fini(&valid);
    return status;
}

static egc_status not_a_scalar(const egc_param *param, const egc_spec *value, egc_error *err)
{
    egc_buf range = {0};
    char call[64];
    egc_constructor_call(value->constructor, call, sizeof call);
    egc_param_range(param, &range);
    egc_status status =
        egc_fail(err, EGC_ERROR_RANGE, "must be %s, got %s%s", egc_text_get(&range), call,
                 value->constructor ? "" : "; egc.each{...} sweeps over values");
    egc_buf_fini(&range);
    return status;
}

static bool is_list(const egc_param_item *item, const egc_spec *value)
{
    egc_spec_kind kind = egc_param_item_is_value(item) ? EGC_SPEC_SCALAR : EGC_SPEC_TABLE;
    if (value->kind == EGC_SPEC_SCALAR)
        return kind == EGC_SPEC_SCALAR;
    bool is = value->kind == EGC_SPEC_TABLE && !value->constructor;
    for (size_t i = 0; i < value->n_fields && is; i++)
        is = !value->fields[i].key && value->fields[i].value->kind == kind;
    return is;
}

/* place is the path of the item, for messages. */
static egc_status configure_item(egc_arena *arena, const egc_spec *value, const char *place,
                                 const egc_param_item *item, void *object, egc_error *err)
{
    egc_param_init(item->table, object);
    if (!egc_param_item_is_value(item))
        return egc_spec_configure(arena, value, place, item->table, object, NULL, err);
    if (egc_param_set(item->table, object, &value->scalar, err))
        return egc_error_prefix(err, "%s: %s", value->where, place);
    return EGC_OK;
}

static egc_status configure_list(egc_arena *arena, const egc_spec_field *field, const char *path,
                                 const egc_param *param, void *object, egc_error *err)
{
    const egc_param_item *item = egc_param_item_of(param);
    bool alone = field->value->kind == EGC_SPEC_SCALAR;
    size_t n = alone ? 1 : field->value->n_fields;
    char *items = egc_arena_alloc(arena, n * item->size);
    if (!items)
        return egc_fail_memory(err, n * item->size);
    for (size_t i = 0; i < n; i++) {
        char place[2 * EGC_TEXT_LENGTH], number[32] = "";
        if (!alone)
            snprintf(number, sizeof number, "[%zu]", i + 1);
        snprintf(place, sizeof place, "%s%s%s%s", path, *path ? "." : "", field->key, number);
        const egc_spec *value = alone ? field->value : field->value->fields[i].value;
        egc_status status = configure_item(arena, value, place, item, items + i * item->size, err);
        if (status)
            return status;
    }
    *(egc_param_list *)((char *)object + param->offset) = (egc_param_list){items, n};
    return EGC_OK;
}

static egc_status configure_field(const egc_spec_field *field, const egc_param *table, void *object,
                                  const char *const *skip, egc_error *err)
{
    const egc_param *param = egc_param_find(table, field->key);
    const egc_param *renamed = egc_param_renamed(table, field->key);
    if (!param && renamed)
        return egc_fail(err, EGC_ERROR_NAME, "is called %s now", renamed->name);
    if (!param)
        return unknown_key(table, skip, err);
    if (field->value->kind == EGC_SPEC_SCALAR)
        return egc_param_set(param, object, &field->value->scalar, err);
    if (param->kind == EGC_PARAM_LIST)
        return egc_fail(err, EGC_ERROR_RANGE, "must be a list of %s, got something else",
                        egc_param_item_is_value(egc_param_item_of(param))
                            ? "values, as in {4, 4}"
                            : "tables, as in {{...}, {...}}");
    return not_a_scalar(param, field->value, err);
}

egc_status egc_spec_configure(egc_arena *arena, const egc_spec *spec, const char *path,
                              const egc_param *table, void *object, const char *const *skip,
                              egc_error *err)
{
    const char *dot = *path ? "." : "";
    for (size_t i = 0; i < spec->n_fields; i++) {
        const egc_spec_field *field = &spec->fields[i];
        char call[64];
        egc_constructor_call(spec->constructor, call, sizeof call);
        if (!field->key) {
            egc_fail(err, EGC_ERROR_NAME, "%s takes KEY = VALUE only, got a value without a key",
                     call);
            return egc_error_prefix(err, "%s: %s", spec->where, *path ? path : "experiment");
        }
        if (listed(skip, field->key))
            continue;
        const egc_param *param = egc_param_find(table, field->key);
        if (param && param->kind == EGC_PARAM_LIST &&
            is_list(egc_param_item_of(param), field->value)) {
            egc_status status = configure_list(arena, field, path, param, object, err);
            if (status)
                return status;
        } else if (configure_field(field, table, object, skip, err)) {
            return egc_error_prefix(err, "%s: %s%s%s", field->value->where, path, dot, field->key);
        }
    }
    return EGC_OK;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void put_scalar(const egc_scalar *scalar, egc_buf *out)
{
    egc_text_put(out, "%s",
                 scalar->kind == EGC_SCALAR_TEXT     ? scalar->text
                 : scalar->kind == EGC_SCALAR_NUMBER ? egc_text_of_real(scalar->number).text
                 : scalar->boolean                   ? "true"
                                                     : "false");
}

void egc_spec_put(const egc_spec *spec, egc_buf *out)
{
    const char *name = spec->kind == EGC_SPEC_EACH  ? "each"
                       : spec->kind == EGC_SPEC_ZIP ? "zip"
                                                    : egc_constructor_name(spec->constructor);
    if (spec->kind == EGC_SPEC_SCALAR) {
        put_scalar(&spec->scalar, out);
        return;
    }
    egc_text_put(out, "%s", name);
    for (size_t i = 0; i < spec->n_fields; i++) {
        const egc_spec_field *field = &spec->fields[i];
        bool is_nested = field->value->kind != EGC_SPEC_SCALAR;
        egc_text_put(out, "%s%s%s%s", i || *name ? " " : "", field->key ? field->key : "",
                     field->key ? "=" : "", is_nested ? "{" : "");
        egc_spec_put(field->value, out);
        if (is_nested)
            egc_text_put(out, "}");
    }
}
