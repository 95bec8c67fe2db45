/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recursive walk over the Lua value. Each level has a `place` on the C stack, which links to its
 * parent: a table that is among its own ancestors is a cycle. */
#include "script/convert.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "script/api.h"

/* More than any experiment needs, and small enough for the C stack and for memory. */
enum { MAX_DEPTH = 64, MAX_VALUES = 4000000 };

#define LARGEST_EXACT_INTEGER 0x1p53

typedef struct converter {
    lua_State *L;
    egc_arena *arena;
    size_t values; /* converted so far; a shared table counts each time it is reached */
    egc_error *err;
} converter;

/* The place of a value: its path in the experiment, and the line of the table that holds it. */
typedef struct place {
    const struct place *parent;
    const char *path;
    const char *where;
    const char *constructor; /* made the table that holds it */
    const void *table;
    int depth;
} place;

static egc_status convert(converter *c, const place *at, const egc_spec **out);

static egc_status fail_at(const converter *c, const place *at, const char *message)
{
    return egc_fail(c->err, EGC_ERROR_FORMAT, "%s: %s: %s", at->where,
                    *at->path ? at->path : "experiment", message);
}

/* ---- scalars ------------------------------------------------------------------------------- */

/* Scripts give methods and algorithms by name or by constructor; both become the same table. */
static bool is_named_part(const char *path)
{
    return strcmp(path, "method") == 0 || strcmp(path, "algorithm") == 0;
}

static egc_status convert_part_name(converter *c, const place *at, egc_spec *spec)
{
    spec->kind = EGC_SPEC_TABLE;
    spec->constructor = egc_arena_printf(c->arena, "%s.%s", at->path, spec->scalar.text);
    spec->scalar = (egc_scalar){0};
    spec->where = at->where;
    return spec->constructor ? EGC_OK : egc_fail_memory(c->err, sizeof *spec);
}

static egc_status convert_text(converter *c, const place *at, egc_spec *spec)
{
    /* value */
    size_t length;
    const char *text = lua_tolstring(c->L, -1, &length);
    if (strlen(text) != length)
        return fail_at(c, at, "text must not contain a zero byte");
    spec->scalar = (egc_scalar){.kind = EGC_SCALAR_TEXT, .text = egc_arena_strdup(c->arena, text)};
    if (!spec->scalar.text)
        return egc_fail_memory(c->err, length);
    return is_named_part(at->path) ? convert_part_name(c, at, spec) : EGC_OK;
}

static egc_status convert_number(converter *c, const place *at, egc_spec *spec)
{
    /* value */
    double number = lua_tonumber(c->L, -1);
    if (lua_isinteger(c->L, -1) && fabs(number) > LARGEST_EXACT_INTEGER)
        return egc_fail(c->err, EGC_ERROR_RANGE,
                        "%s: %s: must be a whole number from -2^53 to 2^53, got %lld", at->where,
                        at->path, (long long)lua_tointeger(c->L, -1));
    spec->scalar = (egc_scalar){.kind = EGC_SCALAR_NUMBER, .number = number};
    return EGC_OK;
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Counts the named fields and the items of the table on top. */
static egc_status count_fields(converter *c, const place *at, size_t *n_named, size_t *n_items)
{
    lua_State *L = c->L;
    lua_Integer largest = 0;
    *n_named = *n_items = 0;
    lua_pushnil(L);
    /* table, key */
    while (lua_next(L, -2)) {
        /* table, key, value */
        lua_pop(L, 1);
        lua_Integer position = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
        if (lua_type(L, -1) == LUA_TSTRING) {
            ++*n_named;
        } else if (position >= 1) {
            ++*n_items;
            largest = position > largest ? position : largest;
        } else {
            return fail_at(c, at, "keys must be names, got another kind of key");
        }
    }
    return (size_t)largest == *n_items ? EGC_OK
                                       : fail_at(c, at, "must be a list without holes (nil)");
}

static egc_status convert_field(converter *c, const place *table, const char *key,
                                egc_spec_field *out)
{
    /* value */
    place at = *table;
    at.parent = table;
    at.depth++;
    at.table = NULL;
    out->key = NULL;
    if (key) {
        if (strlen(key) >= EGC_TEXT_LENGTH)
            return fail_at(c, table, "keys must be shorter than 512 bytes");
        out->key = egc_arena_strdup(c->arena, key);
        at.path = egc_arena_printf(c->arena, "%s%s%s", at.path, *at.path ? "." : "", key);
        if (!out->key || !at.path)
            return egc_fail_memory(c->err, strlen(key));
    }
    return convert(c, &at, &out->value);
}

/* The function under `where` of an experiment stays in Lua. */
static bool is_filter(const egc_spec *table, const char *key)
{
    return table->constructor && strcmp(table->constructor, "experiment") == 0 &&
           strcmp(key, "where") == 0;
}

static egc_status convert_named(converter *c, const place *at, egc_spec *spec,
                                egc_spec_field *fields)
{
    lua_State *L = c->L;
    lua_pushnil(L);
    /* table, key */
    while (lua_next(L, -2)) {
        /* table, key, value */
        if (lua_type(L, -2) == LUA_TSTRING && !is_filter(spec, lua_tostring(L, -2))) {
            egc_status status =
                convert_field(c, at, lua_tostring(L, -2), &fields[spec->n_fields++]);
            if (status)
                return status;
        }
        lua_pop(L, 1);
    }
    return EGC_OK;
}

static egc_status convert_items(converter *c, const place *at, size_t n_items, egc_spec *spec,
                                egc_spec_field *fields)
{
    for (size_t i = 1; i <= n_items; i++) {
        lua_rawgeti(c->L, -1, (lua_Integer)i);
        /* table, value */
        egc_status status = convert_field(c, at, NULL, &fields[spec->n_fields++]);
        if (status)
            return status;
        lua_pop(c->L, 1);
    }
    return EGC_OK;
}

/* Turns the fields of a ZIP, which scripts may write as plain lists, into EACH. */
static egc_status make_zip(converter *c, const place *at, egc_spec_field *fields, size_t n_fields)
{
    for (size_t i = 0; i < n_fields; i++) {
        const egc_spec *value = fields[i].value;
        bool is_list = value->kind == EGC_SPEC_EACH || (value->kind == EGC_SPEC_TABLE &&
                                                        !value->constructor && value->n_fields > 0);
        for (size_t j = 0; j < value->n_fields; j++)
            is_list = is_list && !value->fields[j].key;
        if (!is_list)
            return egc_fail(c->err, EGC_ERROR_FORMAT,
                            "%s: egc.zip: %s must be a list of values, as in %s = {1, 2}",
                            at->where, fields[i].key, fields[i].key);
        egc_spec *each = egc_spec_new(c->arena, value);
        if (!each)
            return egc_fail_memory(c->err, sizeof *each);
        each->kind = EGC_SPEC_EACH;
        fields[i].value = each;
    }
    return EGC_OK;
}

/* Sets the kind: the constructors `each` and `zip` are kinds, not parts of an experiment. */
static egc_status set_kind(converter *c, const place *at, egc_spec *spec, size_t n_named,
                           size_t n_items)
{
    bool is_each = spec->constructor && strcmp(spec->constructor, "each") == 0;
    bool is_zip = spec->constructor && strcmp(spec->constructor, "zip") == 0;
    spec->kind = is_each ? EGC_SPEC_EACH : is_zip ? EGC_SPEC_ZIP : EGC_SPEC_TABLE;
    if (is_each && n_named)
        return fail_at(c, at, "egc.each takes a list of values, got a value with a key");
    if (is_zip && (n_items || !n_named))
        return fail_at(c, at, "egc.zip takes lists with keys, as in egc.zip{a = {1, 2}}");
    if (is_each || is_zip)
        spec->constructor = NULL;
    return EGC_OK;
}

static egc_status fill_table(converter *c, const place *at, egc_spec *spec)
{
    size_t n_named, n_items;
    egc_status status = count_fields(c, at, &n_named, &n_items);
    if (!status)
        status = set_kind(c, at, spec, n_named, n_items);
    if (status)
        return status;
    egc_spec_field *fields = egc_arena_alloc(c->arena, (n_named + n_items) * sizeof *fields);
    if (!fields)
        return egc_fail_memory(c->err, (n_named + n_items) * sizeof *fields);
    status = convert_named(c, at, spec, fields);
    if (!status)
        status = convert_items(c, at, n_items, spec, fields);
    if (!status && spec->kind == EGC_SPEC_ZIP)
        status = make_zip(c, at, fields, spec->n_fields);
    if (status)
        return status;
    /* The fields of a ZIP become fields of the table that holds it. */
    const char *owner =
        spec->kind == EGC_SPEC_ZIP && at->parent ? at->parent->constructor : spec->constructor;
    if (spec->kind != EGC_SPEC_EACH)
        egc_spec_order(owner, fields, spec->n_fields);
    spec->fields = fields;
    return EGC_OK;
}

static egc_status convert_table(converter *c, const place *at, egc_spec *spec)
{
    place here = *at;
    const char *constructor, *where;
    here.table = lua_topointer(c->L, -1);
    for (const place *above = at; above; above = above->parent)
        if (above->table == here.table)
            return fail_at(c, at, "a table must not contain itself");
    if (at->depth >= MAX_DEPTH)
        return fail_at(c, at, "tables must not be nested deeper than 64");
    luaL_checkstack(c->L, 8, "tables are nested too deep");
    if (egc_api_made(c->L, -1, &constructor, &where)) {
        spec->constructor = egc_arena_strdup(c->arena, constructor);
        here.where = egc_arena_strdup(c->arena, where);
        if (!spec->constructor || !here.where)
            return egc_fail_memory(c->err, strlen(where));
    }
    here.constructor = spec->constructor;
    spec->where = here.where;
    return fill_table(c, &here, spec);
}

static egc_status convert(converter *c, const place *at, const egc_spec **out)
{
    /* value */
    egc_spec *spec = egc_arena_alloc(c->arena, sizeof *spec);
    if (!spec)
        return egc_fail_memory(c->err, sizeof *spec);
    if (++c->values > MAX_VALUES)
        return fail_at(c, at, "the experiment must have at most 4000000 values");
    spec->where = at->where;
    *out = spec;
    switch (lua_type(c->L, -1)) {
    case LUA_TBOOLEAN:
        spec->scalar = (egc_scalar){.boolean = lua_toboolean(c->L, -1)};
        return EGC_OK;
    case LUA_TNUMBER:
        return convert_number(c, at, spec);
    case LUA_TSTRING:
        return convert_text(c, at, spec);
    case LUA_TTABLE:
        return convert_table(c, at, spec);
    default:
        break;
    }
    return egc_fail(c->err, EGC_ERROR_FORMAT,
                    "%s: %s: must be a number, text, true, false or a table, got a %s", at->where,
                    at->path, luaL_typename(c->L, -1));
}

egc_status egc_convert_to_spec(lua_State *L, egc_arena *arena, const char *path, const char *where,
                               const egc_spec **out, egc_error *err)
{
    converter c = {.L = L, .arena = arena, .err = err};
    place at = {.path = path, .where = where};
    int top = lua_gettop(L);
    egc_status status = convert(&c, &at, out);
    lua_settop(L, top);
    return status;
}
