/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "experiment/results/csv.h"

void egc_text_put(egc_text *text, const char *format, ...)
{
    if (text->status)
        return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t length = (size_t)vsnprintf(NULL, 0, format, args);
    va_end(args);
    text->status = egc_buf_reserve(&text->buf, length + 1, text->err);
    if (!text->status) {
        vsnprintf((char *)text->buf.data + text->buf.len, length + 1, format, again);
        text->buf.len += length;
    }
    va_end(again);
}

void egc_text_quote(egc_text *text, const char *label)
{
    egc_text_put(text, "'");
    for (const char *c = label; *c; c++) {
        if (*c == '\'')
            egc_text_put(text, "''");
        else
            egc_text_put(text, "%c", iscntrl((unsigned char)*c) ? ' ' : *c);
    }
    egc_text_put(text, "'");
}

void egc_text_row(egc_text *text, const double *values, size_t n_values, const char *label)
{
    for (size_t i = 0; i < n_values && !text->status; i++)
        text->status = egc_csv_real(&text->buf, values[i], text->err);
    if (!text->status)
        text->status = egc_csv_text(&text->buf, label, text->err);
    if (!text->status)
        text->status = egc_csv_end(&text->buf, text->err);
}

void egc_text_fini(egc_text *text)
{
    egc_buf_fini(&text->buf);
}
