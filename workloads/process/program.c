/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the program with posix_spawn, its standard input and output on one end of a socket pair,
 * and moves bytes with poll, so that no call waits longer than the time limit. */
#include "workloads/process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MS_FOR_STATUS = 1000, /* wait for the exit status after the output was closed */
    MS_TO_END = 2000,     /* from the end of the input to being killed */
    MS_BETWEEN_POLLS = 1,
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- starting -------------------------------------------------------------------------------- */

/* The program must not inherit the signals that this process ignores or blocks. */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    int failed = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    if (!failed)
        failed = posix_spawnattr_setsigmask(attributes, &none);
    return failed ? failed : posix_spawnattr_setsigdefault(attributes, &usual);
}

/* The program gets the socket and stderr, and no other file of this process: an inherited lock
 * would outlive it. */
static int set_files(posix_spawn_file_actions_t *actions, int fd)
{
    int failed = posix_spawn_file_actions_adddup2(actions, fd, STDIN_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(actions, fd, STDOUT_FILENO);
    return failed ? failed : posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
}

static int spawn(const char *command, int fd, pid_t *pid)
{
    char shell[] = "sh", option[] = "-c";
    char *const arguments[] = {shell, option, (char *)(uintptr_t)command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = set_files(&actions, fd);
        if (!failed)
            failed = set_signals(&attributes);
        if (!failed)
            failed = posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

egc_status egc_program_start(const char *command, double limit_s, egc_program *out, egc_error *err)
{
    int ends[2];
    *out = (egc_program){.command = command, .fd = -1, .limit_s = limit_s, .err = err};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return egc_fail_errno(err, "make a socket for", command);
    out->fd = ends[0];
    int failed = spawn(command, ends[1], &out->pid);
    close(ends[1]);
    if (failed) {
        close(out->fd);
        out->fd = -1;
        errno = failed;
        return egc_fail_errno(err, "start", command);
    }
    return EGC_OK;
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* True when the program ends within `ms` milliseconds; pid is then 0. */
static bool await_end(egc_program *program, int64_t ms, int *wait_status)
{
    for (int64_t deadline = now_ms() + ms;;) {
        pid_t ended = waitpid(program->pid, wait_status, WNOHANG);
        if (ended == program->pid || (ended < 0 && errno != EINTR)) {
            program->pid = 0;
            return ended > 0;
        }
        if (now_ms() >= deadline)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = MS_BETWEEN_POLLS * 1000000}, NULL);
    }
}

static void describe_end(egc_program *program, char *out, size_t room)
{
    int status = 0;
    if (!await_end(program, MS_FOR_STATUS, &status))
        snprintf(out, room, "closed its output");
    else if (WIFSIGNALED(status))
        snprintf(out, room, "was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(out, room, "ended with exit status %d", WEXITSTATUS(status));
}

/* Records that the program ended after `done` of `len` bytes of an answer. */
static void fail_ended(egc_program *program, const char *name, size_t done, size_t len)
{
    char end[128];
    describe_end(program, end, sizeof end);
    program->status =
        egc_fail(program->err, EGC_ERROR_IO, "\"%s\" %s when it had sent %zu of %zu bytes of %s",
                 program->command, end, done, len, name);
}

static void fail_late(egc_program *program, const char *verb, const char *name, size_t done,
                      size_t len)
{
    program->status = egc_fail(program->err, EGC_ERROR_IO,
                               "\"%s\" %s only %zu of %zu bytes of %s within %g s (limit)",
                               program->command, verb, done, len, name, program->limit_s);
}

void egc_program_fail(egc_program *program, egc_status status, const char *format, ...)
{
    char text[EGC_ERROR_LENGTH];
    va_list arguments;
    if (program->status)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    program->status = egc_fail(program->err, status, "\"%s\": %s", program->command, text);
}

void egc_program_stop(egc_program *program)
{
    int status;
    if (program->fd >= 0)
        close(program->fd);
    program->fd = -1;
    if (program->pid > 0 && !await_end(program, MS_TO_END, &status) && program->pid > 0) {
        kill(-program->pid, SIGKILL); /* the shell and its children */
        while (waitpid(program->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    program->pid = 0;
}

/* ---- exchanges ------------------------------------------------------------------------------- */

void egc_program_begin(egc_program *program, egc_error *err)
{
    program->status = EGC_OK;
    program->err = err;
    program->deadline_ms = now_ms() + (int64_t)(program->limit_s * 1000);
}

/* False when the time is up. */
static bool await_ready(const egc_program *program, short events)
{
    for (;;) {
        int64_t left = program->deadline_ms - now_ms();
        struct pollfd wanted = {.fd = program->fd, .events = events};
        int ready = poll(&wanted, 1, left < 0 ? 0 : left > 60000 ? 60000 : (int)left);
        if (ready > 0)
            return true;
        if (left <= 0)
            return false;
    }
}

static bool is_transient(void)
{
    return errno == EINTR || errno == EAGAIN;
}

void egc_program_send(egc_program *program, const void *bytes, size_t len, const char *name)
{
    for (size_t done = 0; done < len && !program->status;) {
        if (!await_ready(program, POLLOUT)) {
            fail_late(program, "took", name, done, len);
            return;
        }
        ssize_t n =
            send(program->fd, (const char *)bytes + done, len - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && !is_transient())
            return; /* it has ended: receiving its answer will fail and tell how */
        done += n > 0 ? (size_t)n : 0;
    }
}

void egc_program_receive(egc_program *program, void *bytes, size_t len, const char *name)
{
    for (size_t done = 0; done < len && !program->status;) {
        if (!await_ready(program, POLLIN)) {
            fail_late(program, "sent", name, done, len);
            return;
        }
        ssize_t n = recv(program->fd, (char *)bytes + done, len - done, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && !is_transient()))
            fail_ended(program, name, done, len);
        done += n > 0 ? (size_t)n : 0;
    }
}
