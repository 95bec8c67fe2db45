/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jansson (Lehtinen) builds and parses; this file adds one flag for all failures of a document, and
 * errors in the project's form. */
#include "base/json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/atomic_file.h"
#include "base/mem.h"

void egc_json_set(egc_json_writer *writer, json_t *object, const char *key, json_t *value)
{
    writer->failed |= json_object_set_new(object, key, value) != 0;
}

void egc_json_set_text(egc_json_writer *writer, json_t *object, const char *key, const char *text)
{
    egc_json_set(writer, object, key, egc_json_text(text));
}

void egc_json_add(egc_json_writer *writer, json_t *array, json_t *value)
{
    writer->failed |= json_array_append_new(array, value) != 0;
}

egc_status egc_json_check(const egc_json_writer *writer, const char *what, egc_error *err)
{
    return writer->failed ? egc_fail(err, EGC_ERROR_MEMORY, "out of memory for %s", what) : EGC_OK;
}

json_t *egc_json_text(const char *text)
{
    json_t *value = json_string(text);
    char *copy = value ? NULL : egc_strdup(text);
    for (char *byte = copy; byte && *byte; byte++)
        if ((unsigned char)*byte >= 0x80)
            *byte = '?';
    if (copy)
        value = json_string(copy);
    egc_free(copy);
    return value;
}

json_t *egc_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* jansson reports only that it failed: one byte stands for the unknown number that was missing. */
static void dump(egc_buf *out, const json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags);
    if (text)
        egc_buf_put(out, text, strlen(text));
    else
        egc_buf_fail(out, 1);
    free(text);
}

void egc_json_put(egc_buf *out, json_t *value)
{
    dump(out, value, JSON_COMPACT);
    json_decref(value);
}

egc_status egc_json_save(const json_t *document, const char *path, egc_error *err)
{
    egc_buf text = {0};
    dump(&text, document, JSON_INDENT(1));
    egc_buf_put(&text, "\n", 1);
    egc_status status = egc_buf_check(&text, err);
    if (!status)
        status = egc_atomic_file_save(path, text.data, text.len, err);
    egc_buf_fini(&text);
    return status;
}

egc_status egc_json_load(const char *path, json_t **out, egc_error *err)
{
    json_error_t where;
    *out = json_load_file(path, 0, &where);
    if (*out)
        return EGC_OK;
    if (!egc_path_exists(path))
        return egc_fail_errno(err, "read", path);
    return egc_fail(err, EGC_ERROR_FORMAT, "%s:%d: %s", path, where.line, where.text);
}
