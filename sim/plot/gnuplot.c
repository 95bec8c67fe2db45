/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/param.h"

/* ---- formats ------------------------------------------------------------------------------- */

static const egc_terminal svg = {"svg", "svg background rgb 'white' font 'sans-serif,14'", 1, ""};
static const egc_terminal png = {
    "png", "pngcairo font 'sans,14' fontscale 1.6 linewidth 1.6 pointscale 1.6", 2, ""};
static const egc_terminal pdf = {"pdf", "pdfcairo font 'sans,14' fontscale 0.72", 0.01, "in"};

egc_status egc_terminal_find(const char *name, const egc_terminal **out, egc_error *err)
{
    static const egc_terminal *const terminals[] = {&svg, &png, &pdf, NULL};
    for (const egc_terminal *const *t = terminals; *t; t++)
        if (strcmp((*t)->name, name) == 0) {
            *out = *t;
            return EGC_OK;
        }
    return egc_fail_unknown(err, "format", name, (const void *const *)terminals);
}

/* ---- axes ---------------------------------------------------------------------------------- */

enum { STEPS_PER_DECADE = 3 };

/* The i-th number of ..., 0.1, 0.2, 0.5, 1 (i = 0), 2, 5, 10, ... */
static double round_number(int i)
{
    static const double mantissa[STEPS_PER_DECADE] = {1, 2, 5};
    int decade = (int)floor((double)i / STEPS_PER_DECADE);
    return mantissa[i - decade * STEPS_PER_DECADE] * pow(10, decade);
}

void egc_gnuplot_log_axis(egc_text *script, char axis, double low, double high)
{
    int first = (int)floor(log10(low)) * STEPS_PER_DECADE;
    while (round_number(first + 1) <= low * (1 + 1e-9))
        first++;
    int last = first + 1;
    while (round_number(last) < high * (1 - 1e-9))
        last++;
    bool only_decades = last - first > 3 * STEPS_PER_DECADE;
    egc_text_put(script, "set logscale %c\nset %crange [%g:%g]\nset %ctics (", axis, axis,
                 round_number(first), round_number(last), axis);
    for (int i = first; i <= last; i++)
        if (!only_decades || i % STEPS_PER_DECADE == 0)
            egc_text_put(script, "'%g' %g, ", round_number(i), round_number(i));
    egc_text_put(script, "'' %g 1)\n", round_number(first));
}

static egc_unit_choice choose_unit(const egc_unit_choice *units, double largest)
{
    size_t i = 0;
    while (units[i + 1].symbol && units[i + 1].size <= largest)
        i++;
    return units[i];
}

egc_unit_choice egc_unit_of_seconds(double largest)
{
    static const egc_unit_choice units[] = {{1e-6, "us"}, {1e-3, "ms"}, {1, "s"}, {0, NULL}};
    return choose_unit(units, largest);
}

egc_unit_choice egc_unit_of_bytes(double largest)
{
    static const egc_unit_choice units[] = {{1, "B"},    {1e3, "kB"},  {1e6, "MB"},
                                            {1e9, "GB"}, {1e12, "TB"}, {0, NULL}};
    return choose_unit(units, largest);
}

/* ---- running ------------------------------------------------------------------------------- */

static egc_status spawn(const char *dir, const char *script, int stderr_fd, pid_t *pid,
                        egc_error *err)
{
    /* -d: the user's own start-up file must not change our figures. */
    char *const argv[] = {"gnuplot", "-d", (char *)script, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, dir);
    posix_spawn_file_actions_adddup2(&actions, stderr_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, stderr_fd, STDERR_FILENO);
    int failure = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure == ENOENT)
        return egc_fail(err, EGC_ERROR_IO,
                        "gnuplot was not found; install it, on Debian with: apt-get install "
                        "gnuplot-nox");
    return failure ? egc_fail(err, EGC_ERROR_IO, "gnuplot cannot be run: %s", strerror(failure))
                   : EGC_OK;
}

/* Reads to the end, so that gnuplot never blocks, and keeps the last bytes. */
static void read_complaint(int fd, char *out, size_t room)
{
    char chunk[256];
    size_t len = 0;
    for (ssize_t got; (got = read(fd, chunk, sizeof chunk)) > 0;) {
        size_t excess = len + (size_t)got >= room ? len + (size_t)got - (room - 1) : 0;
        len -= excess;
        memmove(out, out + excess, len);
        memcpy(out + len, chunk, (size_t)got);
        len += (size_t)got;
    }
    out[len] = '\0';
}

/* gnuplot prints the line, a caret under it, and then what is wrong. */
static const char *last_line(char *text)
{
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] == '\n')
        text[--end] = '\0';
    const char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

egc_status egc_gnuplot_run(const char *dir, const char *script, egc_error *err)
{
    int ends[2], exited = 0;
    char complaint[EGC_ERROR_LENGTH / 2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return egc_fail_errno(err, "open a pipe for", script);
    egc_status status = spawn(dir, script, ends[1], &pid, err);
    close(ends[1]);
    if (!status) {
        read_complaint(ends[0], complaint, sizeof complaint);
        while (waitpid(pid, &exited, 0) < 0 && errno == EINTR)
            ;
        if (exited != 0)
            status = egc_fail(err, EGC_ERROR_IO, "%s/%s: gnuplot failed: %s", dir, script,
                              last_line(complaint));
    }
    close(ends[0]);
    return status;
}
