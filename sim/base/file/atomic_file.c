/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rename(2) replaces a file in one step, and fdatasync(2) before it makes a full disk fail while
 * the old file is still there. */
#include "base/file/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static egc_status fail_write(const egc_atomic_file *file, egc_error *err)
{
    return egc_fail_errno(err, "write", file->path.text);
}

/* Replaces a path by the end of its chain of links, whether or not that exists. False, with errno,
 * if the chain has no end or is too long for a path with EGC_STAGED_SUFFIX. */
static bool follow_links(egc_path *path)
{
    enum { LINKS_MAX = 40 };
    struct stat info;
    for (int i = 0; lstat(path->text, &info) == 0 && S_ISLNK(info.st_mode); i++) {
        char to[PATH_MAX] = {0};
        const char *slash = strrchr(path->text, '/');
        errno = ELOOP;
        if (i == LINKS_MAX || readlink(path->text, to, sizeof to - 1) < 0)
            return false;
        int folder_len = *to != '/' && slash ? (int)(slash + 1 - path->text) : 0;
        *path = egc_path_of("%.*s%s", folder_len, path->text, to);
    }
    errno = ENAMETOOLONG;
    return strlen(path->text) + sizeof EGC_STAGED_SUFFIX <= sizeof path->text;
}

/* The descriptor of this program's output or error output if it goes to this file; -1 otherwise. */
static int output_to(const struct stat *file)
{
    struct stat info;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &info) == 0 && info.st_dev == file->st_dev && info.st_ino == file->st_ino)
            return fd;
    return -1;
}

/* Fills in all but fd. The system follows the links to a file that is written directly, since those
 * of /dev/fd lead to no path. */
static egc_status name_paths(egc_atomic_file *file, const char *path, egc_error *err)
{
    struct stat info;
    *file = (egc_atomic_file){.path = egc_path_of("%s", path), .fd = -1, .output = -1};
    file->target = file->staged = file->path;
    if (stat(path, &info) == 0) {
        errno = EISDIR;
        if (S_ISDIR(info.st_mode))
            return fail_write(file, err);
        file->output = output_to(&info);
        file->is_direct = !S_ISREG(info.st_mode) || file->output >= 0;
        if (file->is_direct)
            return EGC_OK;
    }
    if (!follow_links(&file->target))
        return fail_write(file, err);
    file->staged = egc_path_of("%s%s", file->target.text, EGC_STAGED_SUFFIX);
    return EGC_OK;
}

static egc_status open_staged(egc_atomic_file *file, egc_error *err)
{
    if (file->output >= 0) {
        fflush(NULL);
        file->fd = fcntl(file->output, F_DUPFD_CLOEXEC, 0);
    } else {
        file->fd = open(file->staged.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    return file->fd >= 0 ? EGC_OK : fail_write(file, err);
}

/* A pipe is not opened: its reader would see the end of its input. */
egc_status egc_atomic_file_try(const char *path, egc_error *err)
{
    egc_atomic_file file;
    egc_status status = name_paths(&file, path, err);
    if (status || file.is_direct)
        return status || access(path, W_OK) == 0 ? status : fail_write(&file, err);
    status = open_staged(&file, err);
    egc_atomic_file_discard(&file);
    return status;
}

egc_status egc_atomic_file_open(egc_atomic_file *file, const char *path, egc_error *err)
{
    egc_status status = name_paths(file, path, err);
    return status ? status : open_staged(file, err);
}

egc_status egc_atomic_file_write(egc_atomic_file *file, const void *data, size_t len,
                                 egc_error *err)
{
    for (const char *next = data; len > 0;) {
        ssize_t written = write(file->fd, next, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail_write(file, err);
        next += written;
        len -= (size_t)written;
    }
    return EGC_OK;
}

egc_status egc_atomic_file_copy(egc_atomic_file *file, const char *path, off_t offset,
                                egc_error *err)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return errno == ENOENT ? EGC_OK : egc_fail_errno(err, "read", path);
    ssize_t sent;
    do
        sent = sendfile(file->fd, from, &offset, 1 << 30);
    while (sent > 0 || (sent < 0 && errno == EINTR));
    egc_status status = sent < 0 ? fail_write(file, err) : EGC_OK;
    close(from);
    return status;
}

egc_status egc_atomic_file_sync(egc_atomic_file *file, egc_error *err)
{
    return file->is_direct || fdatasync(file->fd) == 0 ? EGC_OK : fail_write(file, err);
}

static void remove_staged(const egc_atomic_file *file)
{
    if (!file->is_direct)
        unlink(file->staged.text);
}

egc_status egc_atomic_file_commit(egc_atomic_file *file, egc_error *err)
{
    int fd = file->fd;
    file->fd = -1;
    if (close(fd) == 0 && (file->is_direct || rename(file->staged.text, file->target.text) == 0))
        return EGC_OK;
    egc_status status = fail_write(file, err);
    remove_staged(file);
    return status;
}

void egc_atomic_file_discard(egc_atomic_file *file)
{
    if (file->fd < 0)
        return;
    close(file->fd);
    remove_staged(file);
    file->fd = -1;
}

egc_status egc_atomic_file_end(egc_atomic_file *file, egc_status status, egc_error *err)
{
    if (!status)
        status = egc_atomic_file_sync(file, err);
    if (!status)
        status = egc_atomic_file_commit(file, err);
    egc_atomic_file_discard(file);
    return status;
}

egc_status egc_atomic_file_save(const char *path, const void *data, size_t len, egc_error *err)
{
    egc_atomic_file file;
    egc_status status = egc_atomic_file_open(&file, path, err);
    if (!status)
        status = egc_atomic_file_write(&file, data, len, err);
    return egc_atomic_file_end(&file, status, err);
}
