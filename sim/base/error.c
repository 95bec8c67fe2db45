/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* vsnprintf that marks a cut message instead of ending it in the middle of a word unseen. */
static void format_message(char *out, const char *format, va_list args)
{
    int length = vsnprintf(out, EGC_ERROR_LENGTH, format, args);
    if (length >= EGC_ERROR_LENGTH)
        memcpy(out + EGC_ERROR_LENGTH - 4, "...", 4);
}

egc_status egc_fail(egc_error *err, egc_status status, const char *format, ...)
{
    assert(status != EGC_OK);
    if (!err)
        return status;
    char message[EGC_ERROR_LENGTH]; /* format's arguments may point into err->message */
    va_list args;
    va_start(args, format);
    format_message(message, format, args);
    va_end(args);
    err->status = status;
    memcpy(err->message, message, sizeof message);
    return status;
}

egc_status egc_fail_memory(egc_error *err, unsigned long long bytes)
{
    return egc_fail(err, EGC_ERROR_MEMORY, "out of memory: %llu bytes could not be allocated",
                    bytes);
}

egc_status egc_fail_errno(egc_error *err, const char *verb, const char *path)
{
    return egc_fail(err, EGC_ERROR_IO, "%s: cannot %s: %s", path, verb, strerror(errno));
}

void egc_some_names_add(egc_some_names *some, const char *name)
{
    size_t used = strlen(some->text), room = sizeof some->text - strlen(", ...");
    if (some->more)
        return;
    some->more = used + strlen(", ") + strlen(name) >= room;
    snprintf(some->text + used, sizeof some->text - used, "%s%s", used ? ", " : "",
             some->more ? "..." : name);
}

egc_status egc_error_prefix(egc_error *err, const char *format, ...)
{
    if (!err)
        return EGC_ERROR_MEMORY;
    if (err->status == EGC_OK)
        return EGC_OK;
    char where[EGC_ERROR_LENGTH];
    va_list args;
    va_start(args, format);
    format_message(where, format, args);
    va_end(args);
    return egc_fail(err, err->status, "%s: %s", where, err->message);
}
