/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages are formatted into a buffer of their own first, since an argument may point into the
 * message that is replaced. */
#include "base/error.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SPELT_MAX = sizeof "\\x1b" };

/* Writes a byte, or its escape if it is a control character. Returns the length. */
static size_t spell(unsigned char byte, char out[SPELT_MAX])
{
    bool is_control = byte < ' ' || byte == 0x7f;
    const char *format = byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : "\\x%02x";
    return (size_t)snprintf(out, SPELT_MAX, is_control ? format : "%c", byte);
}

void egc_error_one_line(const char *text, char *out, size_t room)
{
    size_t used = 0;
    for (; *text; text++) {
        char spelt[SPELT_MAX];
        size_t length = spell((unsigned char)*text, spelt);
        if (used + length >= room) {
            memcpy(out + room - sizeof "...", "...", sizeof "...");
            return;
        }
        memcpy(out + used, spelt, length);
        used += length;
    }
    out[used] = '\0';
}

/* text has one byte more than out, so that egc_error_one_line marks a cut. */
static void format_message(char *out, const char *format, va_list args)
{
    char text[EGC_ERROR_LENGTH + 1];
    vsnprintf(text, sizeof text, format, args);
    egc_error_one_line(text, out, EGC_ERROR_LENGTH);
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

void egc_error_names_add(egc_error_names *some, const char *name)
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
