/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- paths and folders ----------------------------------------------------------------------- */

egc_path egc_path_of(const char *format, ...)
{
    egc_path path;
    va_list args;
    va_start(args, format);
    vsnprintf(path.text, sizeof path.text, format, args);
    va_end(args);
    return path;
}

egc_status egc_path_check(const char *folder, egc_error *err)
{
    size_t len = strlen(folder), max = PATH_MAX - EGC_PATH_TAIL;
    if (len == 0)
        return egc_fail(err, EGC_ERROR_RANGE, "the folder for results must have a name");
    if (len > max)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "path of a results folder must have at most %zu bytes, got %zu", max, len);
    return EGC_OK;
}

bool egc_path_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static egc_status make_one(const char *path, egc_error *err)
{
    if (mkdir(path, 0777) == 0)
        return EGC_OK;
    int reason = errno;
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return EGC_OK;
    if (reason == EEXIST)
        return egc_fail(err, EGC_ERROR_IO, "%s: is not a folder", path);
    errno = reason;
    return egc_fail_errno(err, "make the folder", path);
}

egc_status egc_path_make_folder(const char *path, egc_error *err)
{
    egc_path part = egc_path_of("%s", path);
    egc_status status = EGC_OK;
    for (char *slash = strchr(part.text + 1, '/'); slash && !status;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = make_one(part.text, err);
        *slash = '/';
    }
    return status ? status : make_one(path, err);
}

/* Calls act for each entry of a folder. A folder that is not there has none. */
static egc_status for_each_entry(const char *path, egc_status (*act)(const char *, egc_error *),
                                 egc_error *err)
{
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT ? EGC_OK : egc_fail_errno(err, "open", path);
    egc_status status = EGC_OK;
    struct dirent *entry;
    while (!status && (errno = 0, entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = act(egc_path_of("%s/%s", path, entry->d_name).text, err);
    if (!status && errno)
        status = egc_fail_errno(err, "read", path);
    closedir(folder);
    return status;
}

static egc_status remove_with(const char *path,
                              egc_status (*remove_entry)(const char *, egc_error *), egc_error *err)
{
    egc_status status = for_each_entry(path, remove_entry, err);
    if (!status && rmdir(path) != 0 && errno != ENOENT)
        status = egc_fail_errno(err, "remove", path);
    return status;
}

static egc_status remove_file(const char *path, egc_error *err)
{
    return unlink(path) == 0 ? EGC_OK : egc_fail_errno(err, "remove", path);
}

egc_status egc_path_remove_folder(const char *path, egc_error *err)
{
    return remove_with(path, remove_file, err);
}

static egc_status remove_draft(const char *path, egc_error *err)
{
    const char *ending = strrchr(path, '.');
    return ending && strcmp(ending, EGC_STAGED_SUFFIX) == 0 ? egc_path_remove_folder(path, err)
                                                            : EGC_OK;
}

egc_status egc_path_remove_staged(const char *path, egc_error *err)
{
    return for_each_entry(path, remove_draft, err);
}

egc_status egc_path_remove_tree(const char *path, egc_error *err)
{
    return remove_with(path, egc_path_remove_folder, err);
}

/* ---- drafts ---------------------------------------------------------------------------------- */

enum { LINKS_MAX = 40 };

static bool is_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

/* To where links lead, whether or not anything is there. False, with errno, when nowhere. */
static bool follow_links(egc_path *path)
{
    for (int i = 0; is_link(path->text); i++) {
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

/* Where this program's output goes already, or its notes: that descriptor; otherwise -1. */
static int output_to(const struct stat *file)
{
    struct stat info;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &info) == 0 && info.st_dev == file->st_dev && info.st_ino == file->st_ino)
            return fd;
    return -1;
}

/* What is no plain file of its own is written to as it is. Links to it are left to the system:
 * those of /dev/fd lead to no path. */
static egc_status name_paths(egc_atomic_file *staged, const char *path, egc_error *err)
{
    struct stat info;
    *staged = (egc_atomic_file){.path = egc_path_of("%s", path), .fd = -1, .output = -1};
    staged->target = staged->staged = staged->path;
    if (stat(path, &info) == 0) {
        errno = EISDIR;
        if (S_ISDIR(info.st_mode))
            return egc_fail_errno(err, "write", path);
        staged->output = output_to(&info);
        staged->is_at_once = !S_ISREG(info.st_mode) || staged->output >= 0;
        if (staged->is_at_once)
            return EGC_OK;
    }
    if (!follow_links(&staged->target))
        return egc_fail_errno(err, "write", path);
    staged->staged = egc_path_of("%s%s", staged->target.text, EGC_STAGED_SUFFIX);
    return EGC_OK;
}

static egc_status open_draft(egc_atomic_file *staged, egc_error *err)
{
    if (staged->output >= 0) {
        fflush(NULL);
        staged->fd = fcntl(staged->output, F_DUPFD_CLOEXEC, 0);
    } else {
        staged->fd = open(staged->staged.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    return staged->fd >= 0 ? EGC_OK : egc_fail_errno(err, "write", staged->path.text);
}

egc_status egc_atomic_file_try(const char *path, egc_error *err)
{
    egc_atomic_file staged;
    egc_status status = name_paths(&staged, path, err);
    if (status || staged.is_at_once) /* whoever reads a pipe would see it opened and closed */
        return status || access(path, W_OK) == 0 ? status : egc_fail_errno(err, "write", path);
    status = open_draft(&staged, err);
    egc_atomic_file_discard(&staged);
    return status;
}

egc_status egc_atomic_file_open(egc_atomic_file *staged, const char *path, egc_error *err)
{
    egc_status status = name_paths(staged, path, err);
    return status ? status : open_draft(staged, err);
}

egc_status egc_atomic_file_write(egc_atomic_file *staged, const void *data, size_t len,
                                 egc_error *err)
{
    for (const char *next = data; len > 0;) {
        ssize_t written = write(staged->fd, next, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return egc_fail_errno(err, "write", staged->path.text);
        next += written;
        len -= (size_t)written;
    }
    return EGC_OK;
}

egc_status egc_atomic_file_copy(egc_atomic_file *staged, const char *path, off_t offset,
                                egc_error *err)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return errno == ENOENT ? EGC_OK : egc_fail_errno(err, "read", path);
    ssize_t sent;
    do
        sent = sendfile(staged->fd, from, &offset, 1 << 30);
    while (sent > 0 || (sent < 0 && errno == EINTR));
    egc_status status = sent < 0 ? egc_fail_errno(err, "write", staged->path.text) : EGC_OK;
    close(from);
    return status;
}

egc_status egc_atomic_file_sync(egc_atomic_file *staged, egc_error *err)
{
    if (staged->is_at_once || fdatasync(staged->fd) == 0)
        return EGC_OK;
    return egc_fail_errno(err, "write", staged->path.text);
}

static void remove_draft_file(const egc_atomic_file *staged)
{
    if (!staged->is_at_once)
        unlink(staged->staged.text);
}

egc_status egc_atomic_file_commit(egc_atomic_file *staged, egc_error *err)
{
    int fd = staged->fd;
    staged->fd = -1;
    if (close(fd) == 0 &&
        (staged->is_at_once || rename(staged->staged.text, staged->target.text) == 0))
        return EGC_OK;
    egc_status status = egc_fail_errno(err, "write", staged->path.text);
    remove_draft_file(staged);
    return status;
}

void egc_atomic_file_discard(egc_atomic_file *staged)
{
    if (staged->fd < 0)
        return;
    close(staged->fd);
    remove_draft_file(staged);
    staged->fd = -1;
}

egc_status egc_atomic_file_end(egc_atomic_file *staged, egc_status status, egc_error *err)
{
    if (!status)
        status = egc_atomic_file_sync(staged, err);
    if (!status)
        status = egc_atomic_file_commit(staged, err);
    egc_atomic_file_discard(staged);
    return status;
}

egc_status egc_atomic_file_save(const char *path, const void *data, size_t len, egc_error *err)
{
    egc_atomic_file staged;
    egc_status status = egc_atomic_file_open(&staged, path, err);
    if (!status)
        status = egc_atomic_file_write(&staged, data, len, err);
    return egc_atomic_file_end(&staged, status, err);
}

/* ---- mapping --------------------------------------------------------------------------------- */

egc_status egc_mapping_open(const char *path, egc_mapping *out, egc_error *err)
{
    *out = (egc_mapping){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? EGC_OK : egc_fail_errno(err, "read", path);
    egc_status status = EGC_OK;
    struct stat info;
    if (fstat(fd, &info) != 0) {
        status = egc_fail_errno(err, "read", path);
    } else if (info.st_size > 0) {
        void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED)
            status = egc_fail_errno(err, "read", path);
        else
            *out = (egc_mapping){data, (size_t)info.st_size};
    }
    close(fd);
    return status;
}

void egc_mapping_close(egc_mapping *bytes)
{
    if (bytes->len)
        munmap((void *)(uintptr_t)bytes->data, bytes->len);
    *bytes = (egc_mapping){0};
}
