/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growable run of bytes, and a cursor that reads bytes safely.
 *
 * Writers need no check after each append: once an allocation has failed, the buffer is marked and
 * every further append does nothing, so that one egc_buf_check at the end is enough. All functions
 * with a "put" in their name work this way (base/text.h, base/bits.h). */
#ifndef EGC_BASE_BUF_H
#define EGC_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct egc_buf {
    uint8_t *data;
    size_t len;
    size_t capacity;
    size_t missing; /* bytes of the allocation that failed; 0: none did */
} egc_buf;          /* zeroed is empty and ready; the owner calls egc_buf_fini */

/* Makes room for at least `more` bytes after len. MEMORY, also if an earlier append failed. */
egc_status egc_buf_reserve(egc_buf *buf, size_t more, egc_error *err) EGC_MUST_CHECK;

/* Appends len bytes. */
void egc_buf_put(egc_buf *buf, const void *data, size_t len);

/* Marks the buffer as failed for want of `bytes` bytes, at least 1. */
void egc_buf_fail(egc_buf *buf, size_t bytes);

/* EGC_OK, or MEMORY if any append since the last egc_buf_clear failed. */
egc_status egc_buf_check(const egc_buf *buf, egc_error *err) EGC_MUST_CHECK;

/* egc_buf_put and egc_buf_check in one call. */
egc_status egc_buf_append(egc_buf *buf, const void *data, size_t len,
                          egc_error *err) EGC_MUST_CHECK;

/* Appends the bytes of a file. IO; MEMORY. */
egc_status egc_buf_read_file(egc_buf *buf, const char *path, egc_error *err) EGC_MUST_CHECK;

/* Empties the buffer, forgets a failed append and keeps the memory. */
void egc_buf_clear(egc_buf *buf);

/* Frees the memory and leaves the buffer empty and ready. */
void egc_buf_fini(egc_buf *buf);

/* A cursor over bytes that it does not own. Reading past the end is an error, never undefined. */
typedef struct egc_reader {
    const uint8_t *next;
    const uint8_t *end;
} egc_reader;

static inline egc_reader egc_reader_of(const void *data, size_t len)
{
    const uint8_t *bytes = (const uint8_t *)data;
    return (egc_reader){bytes, len ? bytes + len : bytes};
}

static inline size_t egc_reader_left(const egc_reader *reader)
{
    return (size_t)(reader->end - reader->next);
}

/* Sets *out to the next len bytes, which stay the property of their owner, and moves past them.
 * FORMAT if fewer are left. */
egc_status egc_reader_take(egc_reader *reader, size_t len, const uint8_t **out,
                           egc_error *err) EGC_MUST_CHECK;

#endif
