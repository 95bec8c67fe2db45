/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map from texts to positions in an array: points by run_id, groups by training key. */
#ifndef EGC_EXPERIMENT_SPEC_INDEX_H
#define EGC_EXPERIMENT_SPEC_INDEX_H

#include <stddef.h>

#include "base/json/json.h"

#define EGC_INDEX_NONE ((size_t)-1)

typedef struct egc_index {
    json_t *map; /* texts to integers */
    egc_json_writer json;
} egc_index; /* zeroed is empty */

/* Adds a text unless it is there. Returns its position: that of the first call with this text. */
size_t egc_index_add(egc_index *index, const char *text, size_t position);

/* The position of a text, or EGC_INDEX_NONE; text may be NULL. */
size_t egc_index_find(const egc_index *index, const char *text);

/* MEMORY if any text could not be added. */
egc_status egc_index_check(const egc_index *index, egc_error *err) EGC_MUST_CHECK;

/* Frees the memory and leaves the index empty. */
void egc_index_fini(egc_index *index);

#endif
