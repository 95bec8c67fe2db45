/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jansson's objects are hash tables with text keys. A key need not be UTF-8, hence the _nocheck. */
#include "experiment/spec/index.h"

size_t egc_index_find(const egc_index *index, const char *text)
{
    const json_t *found = text ? json_object_get(index->map, text) : NULL;
    return found ? (size_t)json_integer_value(found) : EGC_INDEX_NONE;
}

size_t egc_index_add(egc_index *index, const char *text, size_t position)
{
    size_t found = egc_index_find(index, text);
    if (found != EGC_INDEX_NONE)
        return found;
    if (!index->map)
        index->map = json_object();
    index->json.failed |=
        json_object_set_new_nocheck(index->map, text, json_integer((json_int_t)position)) != 0;
    return position;
}

egc_status egc_index_check(const egc_index *index, egc_error *err)
{
    return egc_json_check(&index->json, "an index", err);
}

void egc_index_fini(egc_index *index)
{
    json_decref(index->map);
    *index = (egc_index){0};
}
