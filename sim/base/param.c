/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes the fields of plain structs by the offset and kind in their rows. Every kind of
 * value is handled here and in script/point_table.c only. */
#include "base/param.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

static void *field_of(const egc_param *param, void *object)
{
    return (char *)object + param->offset;
}

const void *egc_param_field(const egc_param *param, const void *object)
{
    return (const char *)object + param->offset;
}

double egc_param_number(const egc_param *param, const void *object)
{
    const void *field = egc_param_field(param, object);
    switch (param->kind) {
    case EGC_PARAM_REAL:
        return *(const double *)field;
    case EGC_PARAM_INT:
        return (double)*(const int64_t *)field;
    case EGC_PARAM_BOOL:
        return *(const bool *)field;
    case EGC_PARAM_CHOICE:
        return *(const int *)field;
    case EGC_PARAM_LIST:
    case EGC_PARAM_TEXT:
        break;
    }
    return NAN;
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

const egc_param *egc_param_renamed(const egc_param *table, const char *name)
{
    for (; table && table->name; table++)
        if (table->formerly && strcmp(table->formerly, name) == 0)
            return table;
    return NULL;
}

/* ---- setting ------------------------------------------------------------------------------- */

/* Fails with "must be RANGE, got VALUE". */
static egc_status must_be(const egc_param *param, const egc_scalar *value, egc_error *err)
{
    egc_buf text = {0};
    egc_text_put(&text, "must be ");
    egc_param_range(param, &text);
    if (value->kind == EGC_SCALAR_TEXT)
        egc_text_put(&text, ", got \"%s\"", value->text);
    else if (value->kind == EGC_SCALAR_BOOL)
        egc_text_put(&text, ", got %s", value->boolean ? "true" : "false");
    else
        egc_text_put(&text, ", got %s", egc_text_of_real(value->number).text);
    egc_status status = egc_buf_check(&text, err);
    if (!status)
        status = egc_fail(err, EGC_ERROR_RANGE, "%s", egc_text_get(&text));
    egc_buf_fini(&text);
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

/* Words that stand for special values are stored as negative numbers. */
static egc_status set_number(const egc_param *param, void *field, const egc_scalar *value,
                             egc_error *err)
{
    double number = value->number;
    int word = value->kind == EGC_SCALAR_TEXT ? find_choice(param, value->text) : -1;
    if (value->kind == EGC_SCALAR_BOOL)
        return must_be(param, value, err);
    if (value->kind == EGC_SCALAR_TEXT && word < 0) {
        egc_status status = egc_quantity_parse(value->text, param->quantity, &number, err);
        if (status)
            return param->choices ? must_be(param, value, err) : status;
    }
    if (word >= 0)
        number = -(word + 1.0);
    else if (!in_range(param, number))
        return must_be(param, value, err);
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

/* REAL and INT. */
static void put_number(const egc_param *param, double value, egc_buf *out)
{
    if (isnan(value))
        egc_text_put(out, "unset");
    else if (param->choices && value < 0)
        egc_text_put(out, "%s", param->choices[(int)-value - 1]);
    else
        egc_text_put(out, "%s", egc_text_of_real(value).text);
}

static void put_list(const egc_param *param, const egc_param_list *list, egc_buf *out)
{
    const egc_param_item *item = egc_param_item_of(param);
    bool is_value = egc_param_item_is_value(item);
    if (list->n == 0) {
        egc_text_put(out, "%s", param->def_text ? param->def_text : "{}");
        return;
    }
    egc_text_put(out, "{");
    for (size_t i = 0; i < list->n; i++) {
        const void *object = (const char *)list->items + i * item->size;
        if (i > 0)
            egc_text_put(out, is_value ? ", " : "} {");
        if (is_value)
            egc_param_format(item->table, object, out);
        else
            egc_param_format_all(item->table, object, true, out);
    }
    egc_text_put(out, "}");
}

void egc_param_format(const egc_param *param, const void *object, egc_buf *out)
{
    const void *field = egc_param_field(param, object);
    switch (param->kind) {
    case EGC_PARAM_REAL:
    case EGC_PARAM_INT:
        put_number(param, egc_param_number(param, object), out);
        break;
    case EGC_PARAM_BOOL:
        egc_text_put(out, "%s", *(const bool *)field ? "true" : "false");
        break;
    case EGC_PARAM_CHOICE:
        egc_text_put(out, "%s", param->choices[*(const int *)field]);
        break;
    case EGC_PARAM_LIST:
        put_list(param, field, out);
        break;
    case EGC_PARAM_TEXT:
        egc_text_put(out, "%s", (const char *)field);
        break;
    }
}

bool egc_param_changed(const egc_param *param, const void *object)
{
    const void *field = egc_param_field(param, object);
    if (param->kind == EGC_PARAM_LIST)
        return ((const egc_param_list *)field)->n > 0;
    if (param->kind == EGC_PARAM_TEXT)
        return strcmp(field, param->def_text ? param->def_text : "") != 0;
    double value = egc_param_number(param, object);
    return isnan(param->def) ? !isnan(value) : value != param->def;
}

void egc_param_format_all(const egc_param *table, const void *object, bool only_changed,
                          egc_buf *out)
{
    const char *separator = "";
    for (const egc_param *p = table; p && p->name; p++) {
        if (only_changed && !egc_param_changed(p, object))
            continue;
        bool is_former = p->formerly && !only_changed;
        egc_text_put(out, "%s%s=", separator, is_former ? p->formerly : p->name);
        egc_param_format(p, object, out);
        separator = ";";
    }
}

static void put_interval(const egc_param *param, egc_buf *out)
{
    egc_real_text low = egc_text_of_real(param->min), high = egc_text_of_real(param->max);
    bool is_int = param->kind == EGC_PARAM_INT;
    if (isinf(param->min) && isinf(param->max))
        egc_text_put(out, is_int ? "a whole number" : "a number");
    else if (is_int)
        egc_text_put(out, "a whole number ");
    if (isinf(param->max) && !isinf(param->min))
        egc_text_put(out, "%s %s", param->flags & EGC_PARAM_OPEN_MIN ? ">" : ">=", low.text);
    else if (!isinf(param->max))
        egc_text_put(out, "in %c%s, %s%c", param->flags & EGC_PARAM_OPEN_MIN ? '(' : '[', low.text,
                     high.text, param->flags & EGC_PARAM_OPEN_MAX ? ')' : ']');
}

static void put_words(const egc_param *param, const char *before, egc_buf *out)
{
    for (int i = 0; param->choices && param->choices[i]; i++) {
        const char *lead = i == 0 ? before : param->choices[i + 1] ? ", " : " or ";
        egc_text_put(out, "%s\"%s\"", lead, param->choices[i]);
    }
}

void egc_param_range(const egc_param *param, egc_buf *out)
{
    const egc_param_item *item;
    switch (param->kind) {
    case EGC_PARAM_REAL:
    case EGC_PARAM_INT:
        put_interval(param, out);
        put_words(param, " or ", out);
        break;
    case EGC_PARAM_BOOL:
        egc_text_put(out, "true or false");
        break;
    case EGC_PARAM_CHOICE:
        put_words(param, param->flags & EGC_PARAM_SWITCH ? "true, false, " : "", out);
        break;
    case EGC_PARAM_LIST:
        item = egc_param_item_of(param);
        egc_text_put(out, egc_param_item_is_value(item) ? "a list, each " : "a list of tables");
        if (egc_param_item_is_value(item))
            egc_param_range(item->table, out);
        break;
    case EGC_PARAM_TEXT:
        egc_text_put(out, "text");
        break;
    }
}

void egc_param_names(const egc_param *table, egc_buf *out)
{
    for (const egc_param *p = table; p && p->name; p++)
        egc_text_put(out, "%s%s", p == table ? "" : ", ", p->name);
}
