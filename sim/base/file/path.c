/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One walk over the entries of a folder, called with the action for an entry, removes folders. A
 * results folder is two levels deep, so nothing here needs to recurse. */
#include "base/file/path.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

typedef egc_status (*entry_action)(const char *path, egc_error *err);

/* Calls act for each entry of a folder; a folder that does not exist has none. */
static egc_status for_each_entry(const char *path, entry_action act, egc_error *err)
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

static egc_status remove_with(const char *path, entry_action remove_entry, egc_error *err)
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

static egc_status remove_if_staged(const char *path, egc_error *err)
{
    const char *ending = strrchr(path, '.');
    bool is_staged = ending && strcmp(ending, EGC_STAGED_SUFFIX) == 0;
    return is_staged ? egc_path_remove_folder(path, err) : EGC_OK;
}

egc_status egc_path_remove_staged(const char *path, egc_error *err)
{
    return for_each_entry(path, remove_if_staged, err);
}

egc_status egc_path_remove_tree(const char *path, egc_error *err)
{
    return remove_with(path, egc_path_remove_folder, err);
}
