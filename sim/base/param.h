/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameter tables: one row is parser, validator, default and help of one parameter.
 *
 * Each type that users configure (compressor, workload, cluster, exchange, experiment) has a plain
 * struct and a static table of rows that describe its fields. The table is the only source of Lua
 * keys, --set overrides, range checks, `egc-sim describe`, and the parameters stored with results.
 * It ends with EGC_PARAM_END. */
#ifndef EGC_BASE_PARAM_H
#define EGC_BASE_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/number/quantity.h"

#define EGC_TEXT_LENGTH 512 /* size of a text field, terminator included */

typedef enum egc_param_kind {
    EGC_PARAM_REAL,   /* double */
    EGC_PARAM_INT,    /* int64_t */
    EGC_PARAM_BOOL,   /* bool */
    EGC_PARAM_CHOICE, /* int, an index into `choices` */
    EGC_PARAM_TEXT,   /* char[max], terminator included */
    EGC_PARAM_LIST,   /* egc_param_list; the items have a table of their own */
} egc_param_kind;

enum {
    EGC_PARAM_OPEN_MIN = 1, /* the minimum itself is not valid */
    EGC_PARAM_OPEN_MAX = 2,
    EGC_PARAM_SWITCH = 4, /* a CHOICE that takes false for its first and true for its second */
};

typedef struct egc_param {
    const char *name;
    const char *help; /* one line, no full stop */
    egc_param_kind kind;
    egc_quantity quantity;
    size_t offset;
    double def, min, max; /* CHOICE, BOOL: only def. def NAN: unset by default */
    unsigned flags;
    /* CHOICE: the words, ended by NULL. REAL and INT: words for special values; word i is stored as
     * -(i + 1), so min must be >= 0. LIST: EGC_PARAM_ITEMS. */
    const char *const *choices;
    const char *formerly; /* an earlier name, refused with an error that names this one; or NULL */
    const char *def_text; /* TEXT; NULL: "". LIST: the text of an empty list; NULL: "{}" */
} egc_param;

#define EGC_PARAM_END                                                                              \
    {                                                                                              \
        0                                                                                          \
    }

/* One row: EGC_PARAM(my_params, ratio, REAL, "ratio", "share of elements to send", .def = 0.01,
 * .max = 1, .flags = EGC_PARAM_OPEN_MIN). The members after the help are designated, at least one;
 * those left out are 0. A field whose C type is not that of the kind does not compile. */
#define EGC_PARAM(type, field, kind_, key, text, ...)                                              \
    {                                                                                              \
        .name = key, .help = text, .kind = EGC_PARAM_##kind_,                                      \
        EGC_PARAM_PLACE_##kind_(type, field), __VA_ARGS__                                          \
    }

/* The one row of a table whose objects are plain values of a C type, as items of a LIST are. */
#define EGC_PARAM_VALUE(type, kind_, key, text, ...)                                               \
    {                                                                                              \
        .name = key, .help = text, .kind = EGC_PARAM_##kind_,                                      \
        .offset = _Generic((type *)0, EGC_PARAM_C_##kind_ * : 0), __VA_ARGS__                      \
    }

#define EGC_PARAM_C_REAL double
#define EGC_PARAM_C_INT int64_t
#define EGC_PARAM_C_BOOL bool
#define EGC_PARAM_C_CHOICE int
#define EGC_PARAM_C_LIST egc_param_list

/* Adds 0 to the offset where the types agree, and is an error where they do not. */
#define EGC_PARAM_PLACE(type, field, c_type)                                                       \
    .offset = offsetof(type, field) + _Generic(&((type *)0)->field, c_type * : 0)
#define EGC_PARAM_PLACE_REAL(type, field) EGC_PARAM_PLACE(type, field, double)
#define EGC_PARAM_PLACE_INT(type, field) EGC_PARAM_PLACE(type, field, int64_t)
#define EGC_PARAM_PLACE_BOOL(type, field) EGC_PARAM_PLACE(type, field, bool)
#define EGC_PARAM_PLACE_CHOICE(type, field) EGC_PARAM_PLACE(type, field, int)
#define EGC_PARAM_PLACE_LIST(type, field) EGC_PARAM_PLACE(type, field, egc_param_list)
#define EGC_PARAM_PLACE_TEXT(type, field)                                                          \
    .max = sizeof((type *)0)->field,                                                               \
    .offset = offsetof(type, field) +                                                              \
              _Generic(&((type *)0)->field, char(*)[sizeof((type *)0)->field] : 0)

/* The value of a LIST. Zeroed is empty. The code that fills it in owns the items. */
typedef struct egc_param_list {
    void *items;
    size_t n;
} egc_param_list;

/* The type of the items of a LIST, to which its row points by .choices = EGC_PARAM_ITEMS(&item).
 * Items whose table has one row are plain values in Lua: {4, 4}, and a single one needs no braces.
 */
typedef struct egc_param_item {
    const egc_param *table; /* rows of scalar kinds */
    size_t size;
} egc_param_item;

#define EGC_PARAM_ITEMS(item) ((const char *const *)(const void *)(item))

/* The type of the items of a row whose kind is LIST. */
const egc_param_item *egc_param_item_of(const egc_param *param);

/* True if the items are plain values. */
bool egc_param_item_is_value(const egc_param_item *item);

/* A scalar from Lua or from --set. */
typedef enum egc_scalar_kind {
    EGC_SCALAR_BOOL,
    EGC_SCALAR_NUMBER,
    EGC_SCALAR_TEXT
} egc_scalar_kind;

typedef struct egc_scalar {
    egc_scalar_kind kind;
    bool boolean;
    double number;
    const char *text; /* borrowed */
} egc_scalar;

/* Sets every field of the table to its default. */
void egc_param_init(const egc_param *table, void *object);

/* Returns the row called name, or NULL. */
const egc_param *egc_param_find(const egc_param *table, const char *name);

/* Returns the row whose earlier name is name, or NULL. */
const egc_param *egc_param_renamed(const egc_param *table, const char *name);

/* Sets one field. RANGE, FORMAT or NAME if the value does not fit: "must be in (0, 1], got 1.5".
 * The caller prepends the parameter's name. MEMORY. */
egc_status egc_param_set(const egc_param *param, void *object, const egc_scalar *value,
                         egc_error *err) EGC_MUST_CHECK;

/* Returns the address of the field of a row in an object. */
const void *egc_param_field(const egc_param *param, const void *object);

/* The value of a REAL, INT, BOOL or CHOICE as a number; NAN for other kinds. */
double egc_param_number(const egc_param *param, const void *object);

/* True if the field differs from its default. */
bool egc_param_changed(const egc_param *param, const void *object);

/* The functions below append to a buffer that the caller checks by egc_buf_check. */

/* The field's value as text that egc_param_set reads back. egc_param_set does not read a LIST,
 * which is "{name=a;size=3} {name=b;size=4}", without the fields at their defaults, or "{4, 4}". */
void egc_param_format(const egc_param *param, const void *object, egc_buf *out);

/* "name=value" for each row, separated by ';'. only_changed leaves out fields at their defaults;
 * without it rows are written under their former names, so that ids made of the text outlive a
 * renaming. */
void egc_param_format_all(const egc_param *table, const void *object, bool only_changed,
                          egc_buf *out);

/* The valid values of a row, to follow "must be": "in (0, 1]", "text". */
void egc_param_range(const egc_param *param, egc_buf *out);

/* The names of all rows, separated by ", ". */
void egc_param_names(const egc_param *table, egc_buf *out);

#endif
