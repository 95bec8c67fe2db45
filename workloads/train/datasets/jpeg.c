/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes by libjpeg with integer arithmetic; its errors leave by longjmp. */
#include "workloads/train/datasets/jpeg.h"

#include <assert.h>
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h> /* requires stdio.h */

#include <jerror.h>

enum { MAX_SIZE = 256, CHANNELS = 3 };

/* State of a decoder. libjpeg reports errors by a callback that must not return. */
typedef struct decoder {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    jmp_buf escape;
    char message[JMSG_LENGTH_MAX];
} decoder;

static void on_error(j_common_ptr info)
{
    decoder *d = info->client_data;
    info->err->format_message(info, d->message);
    longjmp(d->escape, 1);
}

/* Treats truncated data as an error: libjpeg only warns (level -1) and fills the rest with grey.
 * Other warnings do not change the image. */
static void on_message(j_common_ptr info, int level)
{
    int code = info->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER))
        on_error(info);
}

static void read_planes(decoder *d, size_t size, uint8_t *out)
{
    uint8_t row[CHANNELS * MAX_SIZE];
    JSAMPROW rows[] = {row};
    for (size_t y = 0; y < size; y++) {
        jpeg_read_scanlines(&d->info, rows, 1);
        for (size_t x = 0; x < size; x++)
            for (size_t channel = 0; channel < CHANNELS; channel++)
                out[(channel * size + y) * size + x] = row[CHANNELS * x + channel];
    }
}

static egc_status decode(decoder *d, const uint8_t *data, size_t len, size_t size, uint8_t *out,
                         egc_error *err)
{
    if (setjmp(d->escape))
        return egc_fail(err, EGC_ERROR_FORMAT, "%s", d->message);
    jpeg_create_decompress(&d->info);
    jpeg_mem_src(&d->info, data, (unsigned long)len);
    jpeg_read_header(&d->info, TRUE);
    if (d->info.image_width != size || d->info.image_height != size)
        return egc_fail(err, EGC_ERROR_FORMAT, "is an image of %u x %u, want %zu x %zu",
                        d->info.image_width, d->info.image_height, size, size);
    d->info.out_color_space = JCS_RGB;
    d->info.dct_method = JDCT_ISLOW; /* exact integer arithmetic: the same bytes everywhere */
    jpeg_start_decompress(&d->info);
    read_planes(d, size, out);
    jpeg_finish_decompress(&d->info);
    return EGC_OK;
}

egc_status egc_jpeg_decode(const uint8_t *data, size_t len, size_t size, uint8_t *out,
                           egc_error *err)
{
    assert(size <= MAX_SIZE);
    decoder d = {.info.client_data = &d};
    d.info.err = jpeg_std_error(&d.errors);
    d.errors.error_exit = on_error;
    d.errors.emit_message = on_message;
    egc_status status = decode(&d, data, len, size, out, err);
    jpeg_destroy_decompress(&d.info);
    return status;
}
