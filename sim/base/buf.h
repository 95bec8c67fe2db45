/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growable run of bytes, and a cursor that reads one safely. */
#ifndef EGC_BASE_BUF_H
#define EGC_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct egc_buf {
    uint8_t *data;
    size_t len;
    size_t capacity;
} egc_buf; /* zeroed is empty and ready */

/* Room for at least `more` bytes after len. MEMORY. */
egc_status egc_buf_reserve(egc_buf *buf, size_t more, egc_error *err) EGC_MUST_CHECK;

/* Appends len bytes. MEMORY. */
egc_status egc_buf_append(egc_buf *buf, const void *data, size_t len,
                          egc_error *err) EGC_MUST_CHECK;

/* Appends formatted text, not counting a terminator (one is kept after len). MEMORY. */
egc_status egc_buf_printf(egc_buf *buf, egc_error *err, const char *format, ...)
    EGC_PRINTF(3, 4) EGC_MUST_CHECK;

/* Appends what is in the file. IO; MEMORY. */
egc_status egc_buf_read_file(egc_buf *buf, const char *path, egc_error *err) EGC_MUST_CHECK;

/* Empties it and keeps the memory. */
void egc_buf_clear(egc_buf *buf);

void egc_buf_fini(egc_buf *buf);

/* A cursor over bytes it does not own. Reading past the end is an error, never undefined. */
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

/* Borrows the next len bytes, or FORMAT when there are fewer. */
egc_status egc_reader_take(egc_reader *reader, size_t len, const uint8_t **out,
                           egc_error *err) EGC_MUST_CHECK;

#endif
