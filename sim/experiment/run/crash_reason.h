/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the line of a process's output that tells why it ended: SimGrid's first error message, or
 * the last line that is not part of a backtrace. */
#ifndef EGC_EXPERIMENT_RUN_CRASH_REASON_H
#define EGC_EXPERIMENT_RUN_CRASH_REASON_H

#include <stdbool.h>
#include <stddef.h>

#define EGC_LINE_LENGTH 512 /* longer lines are cut */

typedef struct egc_crash_reason {
    char line[EGC_LINE_LENGTH]; /* incomplete line */
    size_t len;                 /* of it */
    char last[EGC_LINE_LENGTH]; /* last line that was not empty */
    char text[EGC_LINE_LENGTH]; /* the reason; "" if nothing was printed */
    int weight;                 /* rank of text among the kinds of lines */
} egc_crash_reason;             /* zeroed is ready */

/* Adds a piece of output; pieces need not end with a line. */
void egc_crash_reason_add(egc_crash_reason *words, const char *data, size_t len);

/* Ends the output: text after the last line end is a line too. */
void egc_crash_reason_end(egc_crash_reason *words);

#endif
