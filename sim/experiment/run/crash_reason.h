/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a process's output says why it ended: SimGrid's first complaint, or the last line that is
 * not part of a backtrace. Zeroed is nothing said. */
#ifndef EGC_EXPERIMENT_RUN_CRASH_REASON_H
#define EGC_EXPERIMENT_RUN_CRASH_REASON_H

#include <stdbool.h>
#include <stddef.h>

#define EGC_LINE_LENGTH 512 /* of longer ones, the beginning */

typedef struct egc_crash_reason {
    char line[EGC_LINE_LENGTH]; /* under way */
    size_t len;
    char last[EGC_LINE_LENGTH];   /* line with something in it */
    char reason[EGC_LINE_LENGTH]; /* the most telling line */
    int weight;                   /* how telling it is */
} egc_crash_reason;

/* Takes the next piece of output, cut anywhere. */
void egc_crash_reason_add(egc_crash_reason *words, const char *data, size_t len);

/* There is no more: what came after the last line end is a line too. */
void egc_crash_reason_end(egc_crash_reason *words);

#endif
