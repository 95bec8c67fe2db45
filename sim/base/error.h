/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How every function of egc-sim reports failure.
 *
 * A function that can fail returns an egc_status and takes, as its last argument, an egc_error
 * owned by the caller. `return egc_fail(err, EGC_ERROR_RANGE, ...)` is the only way to fail. The
 * message is one line: what was got and what would be valid. A layer that knows *where* the fault
 * lies prepends that with egc_error_prefix(), so that the user reads
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

/* The text on one line: control characters as \n, \t or \x1b, all else as it is; it ends with "..."
 * when it is cut. room must be at least 8. */
void egc_error_one_line(const char *text, char *out, size_t room);

/* Writes the message, on one line whatever its arguments hold, into err and returns status. err may
 * be NULL when the caller needs only the status. status must not be EGC_OK. */
egc_status egc_fail(egc_error *err, egc_status status, const char *format, ...) EGC_PRINTF(3, 4);

/* EGC_ERROR_MEMORY with the number of bytes that could not be had. */
egc_status egc_fail_memory(egc_error *err, unsigned long long bytes);

/* EGC_ERROR_IO with strerror(errno): "PATH: cannot VERB: REASON". */
egc_status egc_fail_errno(egc_error *err, const char *verb, const char *path);

/* The first of many names, for messages: "a, b, c", or "a, b, ..." when there are more than fit.
 * Zeroed is empty. */
typedef struct egc_error_names {
    char text[204];
    bool more;
} egc_error_names;
void egc_error_names_add(egc_error_names *some, const char *name);

/* Puts "WHERE: " before the message in err. Does nothing if err is NULL or EGC_OK. Returns the
 * status held in err, so that a caller can write `return egc_error_prefix(err, ...)`. */
egc_status egc_error_prefix(egc_error *err, const char *format, ...) EGC_PRINTF(2, 3);

#endif
