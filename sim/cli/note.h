/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of egc-sim to its user. stdout carries data and tables only; everything else is a note
 * on stderr. */
#ifndef EGC_CLI_NOTE_H
#define EGC_CLI_NOTE_H

#include "base/error.h"

enum egc_exit {
    EGC_EXIT_DONE = 0,
    EGC_EXIT_FAILED = 1, /* an error, or a point of a sweep that failed */
    EGC_EXIT_USAGE = 2,  /* the command line is not valid */
};

/* Prints "egc-sim: ...\n" on stderr; control characters are escaped. */
void egc_note(const char *format, ...) EGC_PRINTF(1, 2);

/* Prints the message of err as a note. Returns EGC_EXIT_FAILED. */
int egc_note_error(const egc_error *err);

/* Flushes stdout. Returns 0, or the errno of the first flush that failed. */
int egc_note_flush_stdout(void);

#endif
