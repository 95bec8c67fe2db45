/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines have ranks: SimGrid's messages over other output over backtraces. SimGrid's first message
 * is the cause; of other output the last line is. */
#include "experiment/run/crash_reason.h"

#include <string.h>

enum { NOTHING, BACKTRACE, OUTPUT, SIMGRID_ERROR };

/* The text after "[0.000000] file.cpp:48: [xbt_exception/CRITICAL] ", or NULL if the line is no
 * error message of SimGrid. */
static const char *find_simgrid_error(const char *line)
{
    static const char *const marks[] = {"/CRITICAL] ", "/ERROR] "};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *mark = strstr(line, marks[i]);
        if (*line == '[' && mark)
            return mark + strlen(marks[i]);
    }
    return NULL;
}

static bool begins_with(const char *line, const char *words)
{
    return strncmp(line, words, strlen(words)) == 0;
}

static int weigh(const char *text, bool is_simgrid_error)
{
    const char *start = text + strspn(text, " \t");
    if (begins_with(start, "->") || begins_with(start, "Backtrace") ||
        begins_with(start, "Current backtrace"))
        return BACKTRACE;
    return is_simgrid_error ? SIMGRID_ERROR : OUTPUT;
}

static void end_line(egc_crash_reason *reason)
{
    if (reason->len == 0)
        return;
    reason->line[reason->len] = '\0';
    reason->len = 0;
    const char *error = find_simgrid_error(reason->line);
    const char *text = error ? error : reason->line;
    int weight = weigh(text, error != NULL);
    strcpy(reason->last, reason->line);
    if (weight > reason->weight || (weight == OUTPUT && reason->weight == OUTPUT))
        strcpy(reason->text, text);
    if (weight > reason->weight)
        reason->weight = weight;
}

void egc_crash_reason_add(egc_crash_reason *reason, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (data[i] == '\n' || data[i] == '\r')
            end_line(reason);
        else if (data[i] != '\0' && reason->len < EGC_LINE_LENGTH - 1)
            reason->line[reason->len++] = data[i];
    }
}

void egc_crash_reason_end(egc_crash_reason *reason)
{
    end_line(reason);
}
