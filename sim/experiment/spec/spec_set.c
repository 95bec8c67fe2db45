/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces a value deep in a tree: the nodes on its path are copied, all others shared with the old
 * tree. */
#include <string.h>

#include "experiment/spec/constructor.h"
#include "experiment/spec/spec.h"

typedef struct change {
    egc_arena *arena;
    const char *path; /* the whole path, for messages */
    const egc_spec *value;
    egc_error *err;
} change;

static egc_status set_in(const change *c, const egc_spec *spec, const char *path,
                         const egc_spec **out);

/* A copy of spec with room for one more field. */
static egc_spec *copy_with_room(const change *c, const egc_spec *spec, egc_spec_field **fields)
{
    egc_spec *copy = egc_spec_new(c->arena, spec);
    *fields = egc_arena_alloc(c->arena, (spec->n_fields + 1) * sizeof **fields);
    if (!copy || !*fields)
        return NULL;
    if (spec->n_fields)
        memcpy(*fields, spec->fields, spec->n_fields * sizeof **fields);
    copy->fields = *fields;
    return copy;
}

static size_t find_key(const egc_spec *spec, const char *key)
{
    size_t i = 0;
    while (i < spec->n_fields && !(spec->fields[i].key && strcmp(spec->fields[i].key, key) == 0))
        i++;
    return i;
}

/* The position of the ZIP in table that has key, or n_fields. */
static size_t find_zip(const egc_spec *table, const char *key)
{
    size_t i = 0;
    while (i < table->n_fields && !(table->fields[i].value->kind == EGC_SPEC_ZIP &&
                                    egc_spec_get(table->fields[i].value, key)))
        i++;
    return i;
}

static egc_status nothing_has(const change *c)
{
    return egc_fail(c->err, EGC_ERROR_NAME, "%s: nothing in the experiment has this key", c->path);
}

/* True if this item of an EACH may have the key at path. */
static bool concerns(const egc_spec *item, const char *path)
{
    size_t length = strcspn(path, ".");
    char key[EGC_TEXT_LENGTH];
    if (item->kind != EGC_SPEC_TABLE || length >= sizeof key)
        return item->kind == EGC_SPEC_EACH;
    memcpy(key, path, length);
    key[length] = '\0';
    return path[length] ? egc_spec_get(item, key) != NULL
                        : egc_constructor_accepts(item->constructor, key);
}

static egc_status set_in_each(const change *c, const egc_spec *each, const char *path,
                              const egc_spec **out)
{
    egc_spec_field *items;
    egc_spec *copy = copy_with_room(c, each, &items);
    size_t changed = 0;
    if (!copy)
        return egc_fail_memory(c->err, each->n_fields * sizeof *items);
    for (size_t i = 0; i < each->n_fields; i++) {
        if (!concerns(items[i].value, path))
            continue;
        egc_status status = set_in(c, items[i].value, path, &items[i].value);
        if (status)
            return status;
        changed++;
    }
    *out = copy;
    return changed ? EGC_OK : nothing_has(c);
}

/* Removes key from the ZIP at position `zip`: its value is no longer swept with the others. */
static egc_status leave_zip(const change *c, egc_spec *table, egc_spec_field *fields, size_t zip,
                            const char *key)
{
    egc_spec_field *rest;
    egc_spec *copy = copy_with_room(c, fields[zip].value, &rest);
    if (!copy)
        return egc_fail_memory(c->err, sizeof *copy);
    size_t i = find_key(copy, key);
    memmove(rest + i, rest + i + 1, (--copy->n_fields - i) * sizeof *rest);
    fields[zip].value = copy;
    if (copy->n_fields == 0)
        memmove(fields + zip, fields + zip + 1, (--table->n_fields - zip) * sizeof *fields);
    return EGC_OK;
}

static egc_status set_here(const change *c, const egc_spec *table, const char *key,
                           const egc_spec **out)
{
    egc_spec_field *fields;
    egc_spec *copy = copy_with_room(c, table, &fields);
    if (!copy)
        return egc_fail_memory(c->err, sizeof *copy);
    size_t zip = find_zip(table, key);
    egc_status status = zip < table->n_fields ? leave_zip(c, copy, fields, zip, key) : EGC_OK;
    size_t i = find_key(copy, key);
    fields[i] = (egc_spec_field){key, c->value};
    copy->n_fields += i == copy->n_fields;
    egc_spec_order(copy->constructor, fields, copy->n_fields);
    *out = copy;
    return status;
}

static egc_status set_below(const change *c, const egc_spec *table, const char *key,
                            const char *rest, const egc_spec **out)
{
    egc_spec_field *fields;
    egc_spec *copy = copy_with_room(c, table, &fields);
    if (!copy)
        return egc_fail_memory(c->err, sizeof *copy);
    *out = copy;
    size_t i = find_key(table, key);
    if (i < table->n_fields)
        return set_in(c, fields[i].value, rest, &fields[i].value);
    size_t zip = find_zip(table, key);
    if (zip == table->n_fields)
        return nothing_has(c);
    egc_spec_field *zipped;
    egc_spec *zip_copy = copy_with_room(c, fields[zip].value, &zipped);
    if (!zip_copy)
        return egc_fail_memory(c->err, sizeof *zip_copy);
    fields[zip].value = zip_copy;
    i = find_key(zip_copy, key);
    return set_in(c, zipped[i].value, rest, &zipped[i].value);
}

static egc_status set_in(const change *c, const egc_spec *spec, const char *path,
                         const egc_spec **out)
{
    const char *dot = strchr(path, '.');
    if (spec->kind == EGC_SPEC_EACH)
        return set_in_each(c, spec, path, out);
    if (spec->kind != EGC_SPEC_TABLE)
        return nothing_has(c);
    char *key = egc_arena_printf(c->arena, "%.*s", (int)strcspn(path, "."), path);
    if (!key)
        return egc_fail_memory(c->err, strlen(path));
    return dot ? set_below(c, spec, key, dot + 1, out) : set_here(c, spec, key, out);
}

egc_status egc_spec_set(egc_arena *arena, const egc_spec *root, const char *path,
                        const egc_spec *value, const egc_spec **out, egc_error *err)
{
    change c = {arena, path, value, err};
    return set_in(&c, root, path, out);
}
