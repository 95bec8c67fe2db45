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

typedef enum egc_status {
    EGC_OK = 0,
    EGC_ERROR_RANGE,       /* a value outside what is valid */
    EGC_ERROR_NAME,        /* a name nobody registered; the message lists the right ones */
    EGC_ERROR_UNSUPPORTED, /* each part is valid, the combination makes no sense */
    EGC_ERROR_FORMAT,      /* bytes or a file that are not what they should be */
    EGC_ERROR_IO,          /* the operating system refused; the message carries its reason */
    EGC_ERROR_MEMORY,      /* an allocation failed */
    EGC_ERROR_NONFINITE,   /* NaN or Inf where a number is needed */
    EGC_ERROR_SIMULATION,  /* deadlock or a lost peer inside the simulated cluster */
    EGC_ERROR_TIMEOUT,     /* the simulated time limit was reached */
} egc_status;

#define EGC_ERROR_LENGTH 2048

typedef struct egc_error {
    egc_status status;
    char message[EGC_ERROR_LENGTH]; /* always terminated; truncated with "..." when too long */
} egc_error;

#if defined(__GNUC__)
#define EGC_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#define EGC_MUST_CHECK __attribute__((warn_unused_result))
#else
#define EGC_PRINTF(format_index, first)
#define EGC_MUST_CHECK
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
