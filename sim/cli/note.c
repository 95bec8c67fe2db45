/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes are one line each, whatever the names and paths in them hold: egc_error_one_line escapes
 * control characters. */
#include "cli/note.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

enum { NOTE_LENGTH = PATH_MAX + EGC_ERROR_LENGTH };

void egc_note(const char *format, ...)
{
    char text[NOTE_LENGTH + 1], line[NOTE_LENGTH];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    egc_error_one_line(text, line, sizeof line);
    fprintf(stderr, "egc-sim: %s\n", line);
}

int egc_note_error(const egc_error *err)
{
    egc_note("%s", err->message);
    return EGC_EXIT_FAILED;
}

int egc_note_flush_stdout(void)
{
    static int reason; /* stdout itself keeps no errno */
    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && !reason)
        reason = errno ? errno : EIO;
    return reason;
}
