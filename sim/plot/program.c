/* SPDX-License-Identifier: GPL-3.0-or-later */
/* posix_spawn(3) with both outputs of the child in one pipe; its last line is the error message. */
#include "plot/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static egc_status spawn(const char *dir, char *const *argv, const char *package, int stderr_fd,
                        pid_t *pid, egc_error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, dir);
    posix_spawn_file_actions_adddup2(&actions, stderr_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, stderr_fd, STDERR_FILENO);
    int failure = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure == ENOENT)
        return egc_fail(err, EGC_ERROR_IO,
                        "%s was not found; install it, on Debian with: apt-get install %s", argv[0],
                        package);
    return failure ? egc_fail(err, EGC_ERROR_IO, "%s cannot be run: %s", argv[0], strerror(failure))
                   : EGC_OK;
}

/* Reads to the end, so that the program never blocks on a full pipe, and keeps the last bytes. */
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

/* gnuplot prints the faulty line, a caret under it, and then the error. */
static const char *last_line(char *text)
{
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] == '\n')
        text[--end] = '\0';
    const char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

egc_status egc_program_run(const char *dir, char *const *argv, const char *package,
                           const char *input, egc_error *err)
{
    int ends[2], exited = 0;
    char complaint[EGC_ERROR_LENGTH / 2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return egc_fail_errno(err, "open a pipe for", input);
    egc_status status = spawn(dir, argv, package, ends[1], &pid, err);
    close(ends[1]);
    if (!status) {
        read_complaint(ends[0], complaint, sizeof complaint);
        while (waitpid(pid, &exited, 0) < 0 && errno == EINTR)
            ;
        if (exited != 0)
            status = egc_fail(err, EGC_ERROR_IO, "%s/%s: %s failed: %s", dir, input, argv[0],
                              last_line(complaint));
    }
    close(ends[0]);
    return status;
}
