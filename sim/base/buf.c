/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The buffer doubles its capacity when it is full, so that n appended bytes cost O(n) copies. */
#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

egc_status egc_buf_reserve(egc_buf *buf, size_t more, egc_error *err)
{
    if (buf->missing)
        return egc_buf_check(buf, err);
    if (buf->capacity - buf->len >= more)
        return EGC_OK;
    size_t needed = more > SIZE_MAX - buf->len ? SIZE_MAX : buf->len + more;
    size_t capacity = buf->capacity ? buf->capacity : 64;
    while (capacity < needed && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    uint8_t *data = capacity < needed ? NULL : egc_calloc(capacity, 1);
    if (!data) {
        buf->missing = needed;
        return egc_buf_check(buf, err);
    }
    if (buf->len)
        memcpy(data, buf->data, buf->len);
    egc_free(buf->data);
    buf->data = data;
    buf->capacity = capacity;
    return EGC_OK;
}

void egc_buf_put(egc_buf *buf, const void *data, size_t len)
{
    if (egc_buf_reserve(buf, len, NULL) || len == 0)
        return;
    memcpy(buf->data + buf->len, data, len);
    buf->len += len;
}

void egc_buf_fail(egc_buf *buf, size_t bytes)
{
    buf->missing = bytes;
}

egc_status egc_buf_check(const egc_buf *buf, egc_error *err)
{
    return buf->missing ? egc_fail_memory(err, buf->missing) : EGC_OK;
}

egc_status egc_buf_append(egc_buf *buf, const void *data, size_t len, egc_error *err)
{
    egc_buf_put(buf, data, len);
    return egc_buf_check(buf, err);
}

egc_status egc_buf_read_file(egc_buf *buf, const char *path, egc_error *err)
{
    enum { CHUNK_BYTES = 1 << 16 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return egc_fail_errno(err, "open", path);
    egc_status status = EGC_OK;
    for (size_t got = CHUNK_BYTES; got == CHUNK_BYTES && !status; buf->len += got) {
        status = egc_buf_reserve(buf, CHUNK_BYTES, err);
        got = status ? 0 : fread(buf->data + buf->len, 1, CHUNK_BYTES, file);
    }
    if (!status && ferror(file))
        status = egc_fail_errno(err, "read", path);
    fclose(file);
    return status;
}

void egc_buf_clear(egc_buf *buf)
{
    buf->len = buf->missing = 0;
}

void egc_buf_fini(egc_buf *buf)
{
    egc_free(buf->data);
    *buf = (egc_buf){0};
}

egc_status egc_reader_take(egc_reader *reader, size_t len, const uint8_t **out, egc_error *err)
{
    if (egc_reader_left(reader) < len)
        return egc_fail(err, EGC_ERROR_FORMAT, "message ends early: %zu bytes wanted, %zu left",
                        len, egc_reader_left(reader));
    *out = reader->next;
    reader->next += len;
    return EGC_OK;
}
