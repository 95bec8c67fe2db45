/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/run/crash_reason.h"

#include <string.h>

enum { NOTHING, BACKTRACE, SAID, COMPLAINED };

/* What follows "[0.000000] file.cpp:48: [xbt_exception/CRITICAL] "; NULL when SimGrid does not
 * complain. */
static const char *find_complaint(const char *line)
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

static int weigh(const char *text, bool is_complaint)
{
    const char *start = text + strspn(text, " \t");
    if (begins_with(start, "->") || begins_with(start, "Backtrace") ||
        begins_with(start, "Current backtrace"))
        return BACKTRACE;
    return is_complaint ? COMPLAINED : SAID;
}

/* Of complaints the first is the cause, of other lines the last. */
static void end_line(egc_crash_reason *words)
{
    if (words->len == 0)
        return;
    words->line[words->len] = '\0';
    words->len = 0;
    const char *complaint = find_complaint(words->line);
    const char *text = complaint ? complaint : words->line;
    int weight = weigh(text, complaint != NULL);
    strcpy(words->last, words->line);
    if (weight > words->weight || (weight == SAID && words->weight == SAID))
        strcpy(words->reason, text);
    if (weight > words->weight)
        words->weight = weight;
}

void egc_crash_reason_add(egc_crash_reason *words, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (data[i] == '\n' || data[i] == '\r')
            end_line(words);
        else if (data[i] != '\0' && words->len < EGC_LINE_LENGTH - 1)
            words->line[words->len++] = data[i];
    }
}

void egc_crash_reason_end(egc_crash_reason *words)
{
    end_line(words);
}
