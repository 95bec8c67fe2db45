/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text is formatted twice, first to find its length, then in place. Every CSV field is followed by
 * a comma and the end of the row replaces the last one, so that an empty first field needs no
 * state. Reals take the fewest of 15 to 17 digits that read back as the same double. */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void egc_text_put(egc_buf *out, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t length = (size_t)vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (egc_buf_reserve(out, length + 1, NULL) == EGC_OK) {
        vsnprintf((char *)out->data + out->len, length + 1, format, again);
        out->len += length;
    }
    va_end(again);
}

const char *egc_text_get(const egc_buf *text)
{
    return text->len ? (const char *)text->data : "";
}

void egc_text_put_field(egc_buf *row, const char *text)
{
    size_t plain = strcspn(text, ",\"\r\n");
    if (!text[plain]) {
        egc_buf_put(row, text, plain);
    } else {
        egc_buf_put(row, "\"", 1);
        for (size_t length; *text; text += length) {
            length = strcspn(text, "\"");
            length += text[length] == '"';
            egc_buf_put(row, text, length);
            if (text[length - 1] == '"')
                egc_buf_put(row, "\"", 1);
        }
        egc_buf_put(row, "\"", 1);
    }
    egc_buf_put(row, ",", 1);
}

void egc_text_put_real_field(egc_buf *row, double value)
{
    egc_text_put_field(row, isnan(value) ? "" : egc_text_of_real(value).text);
}

void egc_text_put_int_field(egc_buf *row, int64_t value)
{
    egc_text_put(row, "%lld,", (long long)value);
}

void egc_text_end_row(egc_buf *row)
{
    if (row->len && row->data[row->len - 1] == ',')
        row->len--;
    egc_buf_put(row, "\n", 1);
}

egc_real_text egc_text_of_real(double value)
{
    egc_real_text out;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out.text, sizeof out.text, "%.*g", digits, value);
        if (strtod(out.text, NULL) == value)
            break;
    }
    return out;
}
