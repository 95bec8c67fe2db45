/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/param.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void *field_of(const egc_param *param, void *object)
{
    return (char *)object + param->offset;
}

static const void *const_field_of(const egc_param *param, const void *object)
{
    return (const char *)object + param->offset;
}

const egc_param_item *egc_param_item_of(const egc_param *param)
{
    assert(param->kind == EGC_PARAM_LIST);
    return (const void *)param->choices;
}

bool egc_param_item_is_value(const egc_param_item *item)
{
    return !item->table[1].name;
}

static void set_text(const egc_param *param, char *field, const char *text)
{
    size_t length = strlen(text);
    assert(length < (size_t)param->max);
    (void)param;
    memcpy(field, text, length + 1);
}

void egc_param_init(const egc_param *table, void *object)
{
    for (const egc_param *p = table; p && p->name; p++) {
        void *field = field_of(p, object);
        switch (p->kind) {
        case EGC_PARAM_REAL:
            *(double *)field = p->def;
            break;
        case EGC_PARAM_INT:
            *(int64_t *)field = (int64_t)p->def;
            break;
        case EGC_PARAM_BOOL:
            *(bool *)field = p->def != 0;
            break;
        case EGC_PARAM_CHOICE:
            *(int *)field = (int)p->def;
            break;
        case EGC_PARAM_TEXT:
            set_text(p, field, p->def_text ? p->def_text : "");
            break;
        case EGC_PARAM_LIST:
            *(egc_param_list *)field = (egc_param_list){0};
            break;
        }
    }
}

const egc_param *egc_param_find(const egc_param *table, const char *name)
{
    for (const egc_param *p = table; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

/* ---- setting ------------------------------------------------------------------------------- */

/* "must be RANGE, got VALUE" */
static egc_status must_be(const egc_param *param, const egc_scalar *value, egc_error *err)
{
    egc_buf range = {0};
    egc_status status = egc_param_range(param, &range, err);
    char number[32];
    const char *got = value->kind == EGC_SCALAR_BOOL ? (value->boolean ? "true" : "false")
                      : value->kind == EGC_SCALAR_TEXT
                          ? value->text
                          : egc_text_format_real(value->number, number, sizeof number);
    const char *quote = value->kind == EGC_SCALAR_TEXT ? "\"" : "";
    if (!status)
        status = egc_fail(err, EGC_ERROR_RANGE, "must be %s, got %s%s%s", (const char *)range.data,
                          quote, got, quote);
    egc_buf_fini(&range);
    return status;
}

static bool in_range(const egc_param *param, double value)
{
    bool above = param->flags & EGC_PARAM_OPEN_MIN ? value > param->min : value >= param->min;
    bool below = param->flags & EGC_PARAM_OPEN_MAX ? value < param->max : value <= param->max;
    return above && below; /* false for NaN */
}

/* Below DBL_MIN numbers lose digits, and strtod, thus SimGrid, takes them for errors. */
static egc_status set_real(double *field, double number, egc_error *err)
{
    if (number != 0 && fabs(number) < DBL_MIN)
        return egc_fail(err, EGC_ERROR_RANGE, "must be at least 2.3e-308 when it is not 0, got %s",
                        egc_text_of_real(number).text);
    *field = number;
    return EGC_OK;
}

static int find_choice(const egc_param *param, const char *word)
{
    for (int i = 0; param->choices && param->choices[i]; i++)
        if (strcmp(param->choices[i], word) == 0)
            return i;
    return -1;
}

static egc_status set_number(const egc_param *param, void *field, const egc_scalar *value,
                             egc_error *err)
{
    double number = value->number;
    if (value->kind == EGC_SCALAR_BOOL)
        return must_be(param, value, err);
    if (value->kind == EGC_SCALAR_TEXT) {
        int word = find_choice(param, value->text);
        if (word < 0) {
            egc_status status = egc_quantity_parse(value->text, param->quantity, &number, err);
            if (status)
                return param->choices ? must_be(param, value, err) : status;
        } else {
            number = -(word + 1.0);
        }
        if (word < 0 && !in_range(param, number))
            return must_be(param, value, err);
    } else if (!in_range(param, number)) {
        return must_be(param, value, err);
    }
    if (param->kind == EGC_PARAM_REAL)
        return set_real(field, number, err);
    if (number != floor(number))
        return must_be(param, value, err);
    *(int64_t *)field = (int64_t)number;
    return EGC_OK;
}

static egc_status set_choice(const egc_param *param, int *field, const egc_scalar *value,
                             egc_error *err)
{
    int choice = -1;
    if (value->kind == EGC_SCALAR_TEXT)
        choice = find_choice(param, value->text);
    else if (value->kind == EGC_SCALAR_BOOL && (param->flags & EGC_PARAM_SWITCH))
        choice = value->boolean;
    if (choice < 0)
        return must_be(param, value, err);
    *field = choice;
    return EGC_OK;
}

static egc_status set_bool(const egc_param *param, bool *field, const egc_scalar *value,
                           egc_error *err)
{
    bool is_word = value->kind == EGC_SCALAR_TEXT &&
                   (strcmp(value->text, "true") == 0 || strcmp(value->text, "false") == 0);
    if (value->kind != EGC_SCALAR_BOOL && !is_word)
        return must_be(param, value, err);
    *field = is_word ? value->text[0] == 't' : value->boolean;
    return EGC_OK;
}

egc_status egc_param_set(const egc_param *param, void *object, const egc_scalar *value,
                         egc_error *err)
{
    void *field = field_of(param, object);
    switch (param->kind) {
    case EGC_PARAM_REAL:
    case EGC_PARAM_INT:
        return set_number(param, field, value, err);
    case EGC_PARAM_BOOL:
        return set_bool(param, field, value, err);
    case EGC_PARAM_CHOICE:
        return set_choice(param, field, value, err);
    case EGC_PARAM_LIST: /* no scalar is one */
        return must_be(param, value, err);
    case EGC_PARAM_TEXT:
        break;
    }
    if (value->kind != EGC_SCALAR_TEXT)
        return must_be(param, value, err);
    if (strlen(value->text) >= (size_t)param->max)
        return egc_fail(err, EGC_ERROR_RANGE, "must be shorter than %zu bytes, got %zu",
                        (size_t)param->max, strlen(value->text));
    set_text(param, field, value->text);
    return EGC_OK;
}

/* ---- printing ------------------------------------------------------------------------------ */

static egc_status format_number(const egc_param *param, double value, egc_buf *out, egc_error *err)
{
    if (isnan(value))
        return egc_buf_printf(out, err, "unset");
    if (param->choices && value < 0)
        return egc_buf_printf(out, err, "%s", param->choices[(int)-value - 1]);
    char text[32];
    return egc_buf_printf(out, err, "%s", egc_text_format_real(value, text, sizeof text));
}

static egc_status format_values(const egc_param_item *item, const egc_param_list *list,
                                egc_buf *out, egc_error *err)
{
    egc_status status = egc_buf_printf(out, err, "{");
    for (size_t i = 0; i < list->n && !status; i++) {
        status = egc_buf_printf(out, err, "%s", i ? ", " : "");
        if (!status)
            status =
                egc_param_format(item->table, (const char *)list->items + i * item->size, out, err);
    }
    return status ? status : egc_buf_printf(out, err, "}");
}

static egc_status format_list(const egc_param *param, const egc_param_list *list, egc_buf *out,
                              egc_error *err)
{
    const egc_param_item *item = egc_param_item_of(param);
    if (list->n == 0)
        return egc_buf_printf(out, err, "%s", param->def_text ? param->def_text : "{}");
    if (egc_param_item_is_value(item))
        return format_values(item, list, out, err);
    egc_status status = EGC_OK;
    for (size_t i = 0; i < list->n && !status; i++) {
        status = egc_buf_printf(out, err, "%s{", i ? " " : "");
        if (!status)
            status = egc_param_format_all(item->table, (const char *)list->items + i * item->size,
                                          true, out, err);
        if (!status)
            status = egc_buf_printf(out, err, "}");
    }
    return status;
}

egc_status egc_param_format(const egc_param *param, const void *object, egc_buf *out,
                            egc_error *err)
{
    const void *field = const_field_of(param, object);
    switch (param->kind) {
    case EGC_PARAM_REAL:
        return format_number(param, *(const double *)field, out, err);
    case EGC_PARAM_INT:
        return format_number(param, (double)*(const int64_t *)field, out, err);
    case EGC_PARAM_BOOL:
        return egc_buf_printf(out, err, "%s", *(const bool *)field ? "true" : "false");
    case EGC_PARAM_CHOICE:
        return egc_buf_printf(out, err, "%s", param->choices[*(const int *)field]);
    case EGC_PARAM_LIST:
        return format_list(param, field, out, err);
    case EGC_PARAM_TEXT:
        break;
    }
    return egc_buf_printf(out, err, "%s", (const char *)field);
}

bool egc_param_changed(const egc_param *param, const void *object)
{
    const void *field = const_field_of(param, object);
    switch (param->kind) {
    case EGC_PARAM_REAL:
        return isnan(param->def) ? !isnan(*(const double *)field)
                                 : *(const double *)field != param->def;
    case EGC_PARAM_INT:
        return *(const int64_t *)field != (int64_t)param->def;
    case EGC_PARAM_BOOL:
        return *(const bool *)field != (param->def != 0);
    case EGC_PARAM_CHOICE:
        return *(const int *)field != (int)param->def;
    case EGC_PARAM_LIST:
        return ((const egc_param_list *)field)->n > 0;
    case EGC_PARAM_TEXT:
        break;
    }
    return strcmp(field, param->def_text ? param->def_text : "") != 0;
}

egc_status egc_param_format_all(const egc_param *table, const void *object, bool only_changed,
                                egc_buf *out, egc_error *err)
{
    egc_status status = EGC_OK;
    const char *separator = "";
    for (const egc_param *p = table; p && p->name && !status; p++) {
        if (only_changed && !egc_param_changed(p, object))
            continue;
        status = egc_buf_printf(out, err, "%s%s=", separator, p->name);
        if (!status)
            status = egc_param_format(p, object, out, err);
        separator = ";";
    }
    return status;
}

static egc_status append_interval(const egc_param *param, egc_buf *out, egc_error *err)
{
    char low[32], high[32];
    egc_text_format_real(param->min, low, sizeof low);
    egc_text_format_real(param->max, high, sizeof high);
    const char *noun = param->kind == EGC_PARAM_INT ? "a whole number " : "";
    bool unbounded_above = isinf(param->max);
    bool open_min = param->flags & EGC_PARAM_OPEN_MIN;
    if (isinf(param->min) && unbounded_above)
        return egc_buf_printf(out, err, "%s",
                              param->kind == EGC_PARAM_INT ? "a whole number" : "a number");
    if (unbounded_above)
        return egc_buf_printf(out, err, "%s%s %s", noun, open_min ? ">" : ">=", low);
    return egc_buf_printf(out, err, "%sin %c%s, %s%c", noun, open_min ? '(' : '[', low, high,
                          param->flags & EGC_PARAM_OPEN_MAX ? ')' : ']');
}

static egc_status append_words(const egc_param *param, const char *before, egc_buf *out,
                               egc_error *err)
{
    egc_status status = EGC_OK;
    for (int i = 0; param->choices && param->choices[i] && !status; i++) {
        const char *lead = i == 0 ? before : param->choices[i + 1] ? ", " : " or ";
        status = egc_buf_printf(out, err, "%s\"%s\"", lead, param->choices[i]);
    }
    return status;
}

static egc_status append_items(const egc_param_item *item, egc_buf *out, egc_error *err)
{
    if (!egc_param_item_is_value(item))
        return egc_buf_printf(out, err, "a list of tables");
    egc_status status = egc_buf_printf(out, err, "a list, each ");
    return status ? status : egc_param_range(item->table, out, err);
}

egc_status egc_param_range(const egc_param *param, egc_buf *out, egc_error *err)
{
    switch (param->kind) {
    case EGC_PARAM_REAL:
    case EGC_PARAM_INT: {
        egc_status status = append_interval(param, out, err);
        return status ? status : append_words(param, " or ", out, err);
    }
    case EGC_PARAM_BOOL:
        return egc_buf_printf(out, err, "true or false");
    case EGC_PARAM_CHOICE: {
        const char *before = param->flags & EGC_PARAM_SWITCH ? "true, false, " : "";
        return append_words(param, before, out, err);
    }
    case EGC_PARAM_LIST:
        return append_items(egc_param_item_of(param), out, err);
    case EGC_PARAM_TEXT:
        break;
    }
    return egc_buf_printf(out, err, "text");
}

egc_status egc_param_names(const egc_param *table, egc_buf *out, egc_error *err)
{
    egc_status status = EGC_OK;
    for (const egc_param *p = table; p && p->name && !status; p++)
        status = egc_buf_printf(out, err, "%s%s", p == table ? "" : ", ", p->name);
    return status;
}

egc_status egc_registry_fail_unknown(egc_error *err, const char *what, const char *name,
                                     const void *const *items)
{
    char valid[EGC_ERROR_LENGTH] = "";
    for (size_t i = 0; items[i]; i++) {
        const char *item = *(const char *const *)items[i];
        if (strlen(valid) + strlen(item) + 3 < sizeof valid) {
            strcat(valid, i ? ", " : "");
            strcat(valid, item);
        }
    }
    return egc_fail(err, EGC_ERROR_NAME, "unknown %s \"%s\"; valid: %s", what, name, valid);
}

egc_status egc_registry_find(const char *what, const char *name, const void *const *items,
                             void *out, egc_error *err)
{
    for (const void *const *item = items; *item; item++)
        if (strcmp(*(const char *const *)*item, name) == 0) {
            memcpy(out, item, sizeof *item);
            return EGC_OK;
        }
    return egc_registry_fail_unknown(err, what, name, items);
}
