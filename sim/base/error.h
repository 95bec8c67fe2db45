/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors: the only way in which functions of egc-sim report failure.
 *
 * A function that can fail returns an egc_status and takes, as its last argument, an egc_error that
 * the caller owns. It fails by `return egc_fail(err, EGC_ERROR_RANGE, ...)`. The message is one
 * line with the value received and the valid values. A caller that knows the place prepends it by
 * egc_error_prefix, so that the user reads
 *     compare.lua:12: method.ratio: must be in (0, 1], got 1.5
 */
#ifndef EGC_BASE_ERROR_H
#define EGC_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/public.h"

#if defined(__GNUC__)
#define EGC_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define EGC_PRINTF(format_index, first)
#endif

/* Copies text to out as one line: control characters become \n, \t or \x1b. A text longer than room
 * - 1 bytes is cut and ends with "...". room is at least 8. */
void egc_error_one_line(const char *text, char *out, size_t room);

/* Writes the message into err, as one line whatever its arguments contain, and returns status,
 * which must not be EGC_OK. err may be NULL if the caller needs only the status. */
egc_status egc_fail(egc_error *err, egc_status status, const char *format, ...) EGC_PRINTF(3, 4);

/* Fails with MEMORY and the number of bytes that could not be allocated. */
egc_status egc_fail_memory(egc_error *err, unsigned long long bytes);

/* Fails with IO and strerror(errno): "PATH: cannot VERB: REASON". */
egc_status egc_fail_errno(egc_error *err, const char *verb, const char *path);

/* A list of names for a message: "a, b, c", or "a, b, ..." if not all fit. Zeroed is empty. */
typedef struct egc_error_names {
    char text[204];
    bool more;
} egc_error_names;
void egc_error_names_add(egc_error_names *some, const char *name);

/* Puts "WHERE: " before the message in err and returns its status, so that a caller can write
 * `return egc_error_prefix(err, ...)`. Does nothing if err is NULL or holds EGC_OK. */
egc_status egc_error_prefix(egc_error *err, const char *format, ...) EGC_PRINTF(2, 3);

#endif
