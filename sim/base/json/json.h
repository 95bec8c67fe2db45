/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON documents: trees of jansson's json_t, built without a check after each step.
 *
 * A value that found no memory is NULL. The setters below take NULL for object and value, free the
 * value, and mark the writer, so that egc_json_check at the end finds every failure. The
 * readers of jansson take NULL too, so that json_object_get(json_object_get(a, "b"), "c") needs one
 * check. */
#ifndef EGC_BASE_JSON_JSON_H
#define EGC_BASE_JSON_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

typedef struct egc_json_writer {
    bool failed;
} egc_json_writer; /* zeroed is ready */

/* Sets a member of an object. Takes value. */
void egc_json_set(egc_json_writer *writer, json_t *object, const char *key, json_t *value);

/* egc_json_set with egc_json_text(text). */
void egc_json_set_text(egc_json_writer *writer, json_t *object, const char *key, const char *text);

/* Appends an item to an array. Takes value. */
void egc_json_add(egc_json_writer *writer, json_t *array, json_t *value);

/* EGC_OK, or MEMORY "out of memory for WHAT" if any step failed. */
egc_status egc_json_check(const egc_json_writer *writer, const char *what,
                          egc_error *err) EGC_MUST_CHECK;

/* A string. Bytes above 127 become '?' if the text is not UTF-8. NULL: no memory. */
json_t *egc_json_text(const char *text);

/* A number, or null if value is NaN or infinite. NULL: no memory. */
json_t *egc_json_real(double value);

/* Appends a value as compact JSON and takes it. NULL marks the buffer as failed. */
void egc_json_put(egc_buf *out, json_t *value);

/* Writes a document, indented by one space, as an atomic file. IO; MEMORY. */
egc_status egc_json_save(const json_t *document, const char *path, egc_error *err) EGC_MUST_CHECK;

/* Reads a document. The caller frees *out by json_decref. IO; FORMAT, with the line. */
egc_status egc_json_load(const char *path, json_t **out, egc_error *err) EGC_MUST_CHECK;

#endif
