/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/files.h"

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

egc_status egc_folder_make(const char *path, egc_error *err)
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
    for (struct dirent *entry; !status && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = act(egc_path_of("%s/%s", path, entry->d_name).text, err);
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

egc_status egc_folder_remove(const char *path, egc_error *err)
{
    return remove_with(path, remove_file, err);
}

static egc_status remove_draft(const char *path, egc_error *err)
{
    const char *ending = strrchr(path, '.');
    return ending && strcmp(ending, EGC_DRAFT) == 0 ? egc_folder_remove(path, err) : EGC_OK;
}

egc_status egc_folder_remove_drafts(const char *path, egc_error *err)
{
    return for_each_entry(path, remove_draft, err);
}

egc_status egc_folder_remove_all(const char *path, egc_error *err)
{
    return remove_with(path, egc_folder_remove, err);
}

/* ---- drafts ---------------------------------------------------------------------------------- */

egc_status egc_draft_open(egc_draft *draft, const char *path, egc_error *err)
{
    draft->path = egc_path_of("%s", path);
    draft->draft = egc_path_of("%s" EGC_DRAFT, path);
    draft->fd = open(draft->draft.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return draft->fd >= 0 ? EGC_OK : egc_fail_errno(err, "write", path);
}

egc_status egc_draft_write(egc_draft *draft, const void *data, size_t len, egc_error *err)
{
    for (const char *next = data; len > 0;) {
        ssize_t written = write(draft->fd, next, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return egc_fail_errno(err, "write", draft->path.text);
        next += written;
        len -= (size_t)written;
    }
    return EGC_OK;
}

egc_status egc_draft_copy(egc_draft *draft, const char *path, off_t offset, egc_error *err)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return errno == ENOENT ? EGC_OK : egc_fail_errno(err, "read", path);
    ssize_t sent;
    do
        sent = sendfile(draft->fd, from, &offset, 1 << 30);
    while (sent > 0 || (sent < 0 && errno == EINTR));
    egc_status status = sent < 0 ? egc_fail_errno(err, "write", draft->path.text) : EGC_OK;
    close(from);
    return status;
}

egc_status egc_draft_sync(egc_draft *draft, egc_error *err)
{
    return fdatasync(draft->fd) == 0 ? EGC_OK : egc_fail_errno(err, "write", draft->path.text);
}

egc_status egc_draft_commit(egc_draft *draft, egc_error *err)
{
    int fd = draft->fd;
    draft->fd = -1;
    if (close(fd) == 0 && rename(draft->draft.text, draft->path.text) == 0)
        return EGC_OK;
    egc_status status = egc_fail_errno(err, "write", draft->path.text);
    unlink(draft->draft.text);
    return status;
}

void egc_draft_discard(egc_draft *draft)
{
    if (draft->fd < 0)
        return;
    close(draft->fd);
    unlink(draft->draft.text);
    draft->fd = -1;
}

/* ---- mapping --------------------------------------------------------------------------------- */

egc_status egc_bytes_map(const char *path, egc_bytes *out, egc_error *err)
{
    *out = (egc_bytes){0};
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
            *out = (egc_bytes){data, (size_t)info.st_size};
    }
    close(fd);
    return status;
}

void egc_bytes_unmap(egc_bytes *bytes)
{
    if (bytes->len)
        munmap((void *)(uintptr_t)bytes->data, bytes->len);
    *bytes = (egc_bytes){0};
}
