/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text and CSV, appended to an egc_buf.
 *
 * No function here returns a status: an append that finds no memory marks the buffer, and the
 * writer calls egc_buf_check once, when the text is complete. */
#ifndef EGC_BASE_TEXT_H
#define EGC_BASE_TEXT_H

#include <stdint.h>

#include "base/buf.h"

/* Appends formatted text. A terminator, which len does not count, follows it. */
void egc_text_put(egc_buf *out, const char *format, ...) EGC_PRINTF(2, 3);

/* The text of a buffer that egc_text_put was the last to write to, or "" if it is empty. Valid
 * until the next append. */
const char *egc_text_get(const egc_buf *text);

/* ---- CSV (RFC 4180), for numbers '.' as decimal point, lines ended by \n --------------------- */

/* Each appends one field and a comma. Text is quoted if it has to be. NAN is an empty field. */
void egc_text_put_field(egc_buf *row, const char *text);
void egc_text_put_real_field(egc_buf *row, double value);
void egc_text_put_int_field(egc_buf *row, int64_t value);

/* Ends the row: a line feed takes the place of the comma after the last field. */
void egc_text_end_row(egc_buf *row);

/* ---- numbers --------------------------------------------------------------------------------- */

/* The shortest decimal that reads back as the same double, as a value, to stand among the arguments
 * of a format: egc_text_of_real(x).text. */
typedef struct egc_real_text {
    char text[32];
} egc_real_text;
egc_real_text egc_text_of_real(double value);

#endif
