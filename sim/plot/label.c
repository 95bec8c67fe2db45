/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot/label.h"

#include <stdio.h>
#include <string.h>

enum { LABEL_BYTES = 34 }; /* wider ones squeeze the figure */

/* True when "a=1;b=2" has the item "b=2". */
static bool has_item(const char *params, const char *item, size_t length)
{
    for (const char *p = params; *p; p += strcspn(p, ";"), p += *p == ';')
        if (strcspn(p, ";") == length && memcmp(p, item, length) == 0)
            return true;
    return false;
}

typedef struct item {
    const char *text;
    int length;
    size_t holders; /* series that have it */
} item;

static size_t count_holders(const egc_series *series, size_t n, const item *wanted)
{
    size_t holders = 0;
    for (size_t i = 0; i < n; i++)
        holders += has_item(series[i].params, wanted->text, (size_t)wanted->length);
    return holders;
}

/* True when every series of the method, and there are several, has the item. */
static bool is_common(const egc_series *series, size_t n, const char *method, const item *one)
{
    size_t namesakes = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(series[i].method, method) != 0)
            continue;
        if (!has_item(series[i].params, one->text, (size_t)one->length))
            return false;
        namesakes++;
    }
    return namesakes > 1;
}

/* Whether series of the same method and parameters differ in algorithm, in exchange. */
static void compare_twins(const egc_series *series, size_t n, const egc_series *one,
                          bool *algorithm, bool *exchange)
{
    *algorithm = *exchange = false;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(series[i].method, one->method) != 0 ||
            strcmp(series[i].params, one->params) != 0)
            continue;
        *algorithm |= strcmp(series[i].algorithm, one->algorithm) != 0;
        *exchange |= strcmp(series[i].exchange, one->exchange) != 0;
    }
}

enum { MAX_ITEMS = 32 };

/* What tells a series from the others, the rarest first: it may be cut. What most series have says
 * little, and what all of the same method have nothing. */
static size_t telling_items(const egc_series *series, size_t n, const egc_series *one,
                            item items[MAX_ITEMS])
{
    size_t n_items = 0;
    for (const char *p = one->params; *p && n_items < MAX_ITEMS; p += *p == ';') {
        item next = {.text = p, .length = (int)strcspn(p, ";")};
        p += next.length;
        next.holders = count_holders(series, n, &next);
        bool in_most = n > 2 && 2 * next.holders > n;
        if (in_most || is_common(series, n, one->method, &next))
            continue;
        size_t at = n_items++;
        for (; at > 0 && items[at - 1].holders > next.holders; at--)
            items[at] = items[at - 1];
        items[at] = next;
    }
    return n_items;
}

static const char *full_label(const egc_series *series, size_t n, const egc_series *one,
                              egc_arena *arena)
{
    item items[MAX_ITEMS];
    size_t n_items = telling_items(series, n, one, items);
    const char *label = one->method;
    for (size_t i = 0; i < n_items && label; i++)
        label = egc_arena_printf(arena, "%s %.*s", label, items[i].length, items[i].text);
    bool algorithm, exchange;
    compare_twins(series, n, one, &algorithm, &exchange);
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
