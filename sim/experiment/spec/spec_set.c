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
    egc_status status; /* the first failure; later steps do nothing */
    egc_error *err;
} change;

static const egc_spec *set_in(change *c, const egc_spec *spec, const char *path);

/* A copy of spec with room for one more field, or NULL after a failure. */
static egc_spec *copy_with_room(change *c, const egc_spec *spec, egc_spec_field **fields)
{
    size_t bytes = (spec->n_fields + 1) * sizeof **fields;
    egc_spec *copy = c->status ? NULL : egc_spec_new(c->arena, spec);
    *fields = copy ? egc_arena_alloc(c->arena, bytes) : NULL;
    if (!c->status && !*fields)
        c->status = egc_fail_memory(c->err, bytes);
    if (c->status)
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

static const egc_spec *nothing_has(change *c)
{
    if (!c->status)
        c->status =
            egc_fail(c->err, EGC_ERROR_NAME, "%s: nothing in the experiment has this key", c->path);
    return NULL;
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

static const egc_spec *set_in_each(change *c, const egc_spec *each, const char *path)
{
    egc_spec_field *items;
    egc_spec *copy = copy_with_room(c, each, &items);
    size_t changed = 0;
    for (size_t i = 0; i < each->n_fields && !c->status; i++)
        if (concerns(items[i].value, path)) {
            items[i].value = set_in(c, items[i].value, path);
            changed++;
        }
    return changed ? copy : nothing_has(c);
}

/* Removes key from the ZIP at position `zip`: its value is no longer swept with the others. */
static void leave_zip(change *c, egc_spec *table, egc_spec_field *fields, size_t zip,
                      const char *key)
{
    egc_spec_field *rest;
    egc_spec *copy = copy_with_room(c, fields[zip].value, &rest);
    if (!copy)
        return;
    size_t i = find_key(copy, key);
    memmove(rest + i, rest + i + 1, (--copy->n_fields - i) * sizeof *rest);
    fields[zip].value = copy;
    if (copy->n_fields == 0)
        memmove(fields + zip, fields + zip + 1, (--table->n_fields - zip) * sizeof *fields);
}

static const egc_spec *set_here(change *c, const egc_spec *table, const char *key)
{
    egc_spec_field *fields;
    egc_spec *copy = copy_with_room(c, table, &fields);
    if (!copy)
        return NULL;
    size_t zip = find_zip(table, key);
    if (zip < table->n_fields)
        leave_zip(c, copy, fields, zip, key);
    size_t i = find_key(copy, key);
    fields[i] = (egc_spec_field){key, c->value};
    copy->n_fields += i == copy->n_fields;
    egc_spec_order(copy->constructor, fields, copy->n_fields);
    return copy;
}

/* The key may be in the table or in one of its ZIPs. */
static const egc_spec *set_below(change *c, const egc_spec *table, const char *key,
                                 const char *rest)
{
    egc_spec_field *fields;
    egc_spec *copy = copy_with_room(c, table, &fields);
    size_t i = find_key(table, key), zip = find_zip(table, key);
    if (i == table->n_fields && zip == table->n_fields)
        return nothing_has(c);
    if (!copy)
        return NULL;
    if (i < table->n_fields) {
        fields[i].value = set_in(c, fields[i].value, rest);
        return copy;
    }
    egc_spec_field *zipped;
    fields[zip].value = copy_with_room(c, fields[zip].value, &zipped);
    if (fields[zip].value) {
        i = find_key(fields[zip].value, key);
        zipped[i].value = set_in(c, zipped[i].value, rest);
    }
    return copy;
}

static const egc_spec *set_in(change *c, const egc_spec *spec, const char *path)
{
    const char *dot = strchr(path, '.');
    if (spec->kind == EGC_SPEC_EACH)
        return set_in_each(c, spec, path);
    if (spec->kind != EGC_SPEC_TABLE)
        return nothing_has(c);
    char *key = egc_arena_printf(c->arena, "%.*s", (int)strcspn(path, "."), path);
    if (!key) {
        c->status = egc_fail_memory(c->err, strlen(path));
        return NULL;
    }
    return dot ? set_below(c, spec, key, dot + 1) : set_here(c, spec, key);
}

egc_status egc_spec_set(egc_arena *arena, const egc_spec *root, const char *path,
                        const egc_spec *value, const egc_spec **out, egc_error *err)
{
    change c = {.arena = arena, .path = path, .value = value, .err = err};
    *out = set_in(&c, root, path);
    return c.status;
}
