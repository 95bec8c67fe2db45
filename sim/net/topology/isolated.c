/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child writes its result to one memfd and its output to another, so that no pipe can fill up
 * and block it. */
#include "net/topology/isolated.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit code after main has returned, unlikely for a child that exits by itself. */
enum { RETURNED = 97 };

static egc_status write_all(int fd, const void *data, size_t len, egc_error *err)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = write(fd, (const char *)data + done, len - done);
        if (n < 0 && errno != EINTR)
            return egc_fail_errno(err, "write", "a child's result");
        done += n > 0 ? (size_t)n : 0;
    }
    return EGC_OK;
}

/* The result file holds an egc_error, then the bytes of *out. */
static void run_in_child(egc_isolated_main main, void *arg, int result, int prints)
{
    const struct rlimit no_core = {0, 0};
    egc_buf out = {0};
    egc_error err = {0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(prints, STDOUT_FILENO);
    dup2(prints, STDERR_FILENO);
    egc_status status = main(arg, &out, &err);
    if (!write_all(result, &err, sizeof err, NULL) && !status)
        status = write_all(result, out.data, out.len, NULL);
    _exit(RETURNED);
}

static egc_status read_result(int fd, egc_buf *out, egc_error *err)
{
    egc_error failure;
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < (off_t)sizeof failure || pread(fd, &failure, sizeof failure, 0) != sizeof failure)
        return egc_fail(err, EGC_ERROR_IO, "a child process could not hand back its result");
    if (failure.status) {
        if (err)
            *err = failure;
        return failure.status;
    }
    size_t len = (size_t)size - sizeof failure;
    egc_status status = egc_buf_reserve(out, len, err);
    if (status)
        return status;
    for (size_t done = 0; done < len;) {
        ssize_t n = pread(fd, out->data + out->len, len - done, (off_t)(sizeof failure + done));
        if (n <= 0)
            return egc_fail_errno(err, "read", "a child's result");
        out->len += (size_t)n;
        done += (size_t)n;
    }
    return EGC_OK;
}

/* SimGrid prints the reason first; other lines follow it. */
static egc_status report(int prints, int how, egc_error *err)
{
    static const char *const empty_words[] = {
        "Parse error at ", "Uncaught exception std::invalid_argument: ",
        "Uncaught exception simgrid::ParseError: ", "Uncaught exception std::out_of_range: "};
    char text[512];
    ssize_t n = pread(prints, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    const char *reason = text;
    for (size_t i = 0; i < sizeof empty_words / sizeof *empty_words; i++)
        if (strncmp(reason, empty_words[i], strlen(empty_words[i])) == 0)
            reason += strlen(empty_words[i]);
    if (*reason)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s", reason);
    return egc_fail(err, EGC_ERROR_FORMAT, "SimGrid ended with wait status %d and said nothing",
                    how);
}

egc_status egc_isolated_run(egc_isolated_main main, void *arg, egc_buf *out, egc_error *err)
{
    int how = 0;
    egc_status status = EGC_OK;
    int result = memfd_create("result", MFD_CLOEXEC), prints = memfd_create("prints", MFD_CLOEXEC);
    fflush(NULL);
    pid_t child = result < 0 || prints < 0 ? -1 : fork();
    if (child == 0)
        run_in_child(main, arg, result, prints);
    if (child < 0) {
        status = egc_fail_errno(err, "start", "a child process");
        goto done;
    }
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(how) && WEXITSTATUS(how) == RETURNED)
        status = read_result(result, out, err);
    else
        status = report(prints, how, err);
done:
    if (result >= 0)
        close(result);
    if (prints >= 0)
        close(prints);
    return status;
}
