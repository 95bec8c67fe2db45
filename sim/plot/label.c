/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A label is the method and its rarest parameters, since a parameter that most series share tells
 * nothing. Long labels are cut, and equal ones numbered. */
#include "plot/label.h"

#include <stdio.h>
#include <string.h>

enum { LABEL_BYTES = 34 /* longer ones squeeze the figure */, MAX_ITEMS = 32 };

/* One "name=value" of a series' parameters. */
typedef struct item {
    const char *text;
    size_t length;
    size_t n_series; /* series with the item */
} item;

/* True if "a=1;b=2" has the item "b=2". */
static bool has_item(const char *params, const item *wanted)
{
    for (const char *p = params; *p; p += strcspn(p, ";"), p += *p == ';')
        if (strcspn(p, ";") == wanted->length && memcmp(p, wanted->text, wanted->length) == 0)
            return true;
    return false;
}

/* Counts the series that have the item. *is_common: all series of the method have it, and there are
 * at least two. */
static size_t count_series(const egc_series *series, size_t n, const char *method,
                           const item *wanted, bool *is_common)
{
    size_t n_series = 0, of_method = 0, of_method_with = 0;
    for (size_t i = 0; i < n; i++) {
        bool has = has_item(series[i].params, wanted), same = !strcmp(series[i].method, method);
        n_series += has;
        of_method += same;
        of_method_with += same && has;
    }
    *is_common = of_method > 1 && of_method_with == of_method;
    return n_series;
}

/* Fills in the items that tell a series from the others, the rarest first, and returns how many. */
static size_t telling_items(const egc_series *series, size_t n, const egc_series *one,
                            item items[MAX_ITEMS])
{
    size_t n_items = 0;
    for (const char *p = one->params; *p && n_items < MAX_ITEMS; p += *p == ';') {
        item next = {.text = p, .length = strcspn(p, ";")};
        bool is_common;
        p += next.length;
        next.n_series = count_series(series, n, one->method, &next, &is_common);
        if (is_common || (n > 2 && 2 * next.n_series > n))
            continue;
        size_t at = n_items++;
        for (; at > 0 && items[at - 1].n_series > next.n_series; at--)
            items[at] = items[at - 1];
        items[at] = next;
    }
    return n_items;
}

/* The method, its telling items, and the algorithm and the exchange if series with the same method
 * and parameters differ in them. NULL: no memory. */
static const char *full_label(const egc_series *series, size_t n, const egc_series *one,
                              egc_arena *arena)
{
    item items[MAX_ITEMS];
    size_t n_items = telling_items(series, n, one, items);
    const char *label = one->method;
    for (size_t i = 0; i < n_items && label; i++)
        label = egc_arena_printf(arena, "%s %.*s", label, (int)items[i].length, items[i].text);
    bool algorithm = false, exchange = false;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(series[i].method, one->method) && !strcmp(series[i].params, one->params)) {
            algorithm |= strcmp(series[i].algorithm, one->algorithm) != 0;
            exchange |= strcmp(series[i].exchange, one->exchange) != 0;
        }
    if (label && algorithm)
        label = egc_arena_printf(arena, "%s %s", label, one->algorithm);
    if (label && exchange)
        label = egc_arena_printf(arena, "%s %s", label, one->exchange);
    return label;
}

/* Cuts at the start of a UTF-8 character. */
static const char *shorten(const char *label, egc_arena *arena)
{
    if (strlen(label) <= LABEL_BYTES)
        return label;
    int cut = LABEL_BYTES - 3;
    while (cut > 0 && ((unsigned char)label[cut] & 0xC0) == 0x80)
        cut--;
    return egc_arena_printf(arena, "%.*s...", cut, label);
}

static bool is_taken(const egc_series *series, size_t n, const char *label)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(series[i].label, label) == 0)
            return true;
    return false;
}

egc_status egc_label_series(egc_series *series, size_t n, egc_arena *arena, egc_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *label = full_label(series, n, &series[i], arena);
        const char *base = label ? shorten(label, arena) : NULL;
        label = base;
        for (int again = 2; label && is_taken(series, i, label); again++)
            label = egc_arena_printf(arena, "%s #%d", base, again);
        if (!label)
            return egc_fail_memory(err, LABEL_BYTES);
        series[i].label = label;
    }
    return EGC_OK;
}
