/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tries the user's folder, then the system's, and words the errors of missing files. */
#include "workloads/train/datasets/locate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *user_root;

void egc_locate_set_root(const char *root)
{
    user_root = root && root[0] ? root : NULL;
}

static egc_status check_length(int length, egc_error *err)
{
    if (length < PATH_MAX)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_RANGE, "path must be shorter than %d bytes, got %d", PATH_MAX,
                    length);
}

egc_status egc_locate_path(const char *folder, const char *file, char *out, egc_error *err)
{
    return check_length(snprintf(out, PATH_MAX, "%s/%s", folder, file), err);
}

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

egc_status egc_locate_find(const char *chosen, const char *name, egc_location *out, egc_error *err)
{
    *out = (egc_location){0};
    if (chosen[0])
        return check_length(snprintf(out->path, PATH_MAX, "%s", chosen), err);
    if (user_root) {
        egc_status status = egc_locate_path(user_root, name, out->path, err);
        if (status || is_folder(out->path))
            return status;
        memcpy(out->tried, out->path, sizeof out->tried);
    }
    return egc_locate_path(EGC_DATA_SYSTEM, name, out->path, err);
}

egc_status egc_locate_explain(const egc_location *folder, egc_status status, egc_error *err)
{
    if (status == EGC_ERROR_IO && folder->tried[0])
        egc_error_prefix(err, "there is no %s", folder->tried);
    return status;
}

egc_status egc_locate_fail_open(const char *folder, const char *file, const char *remedy,
                                egc_error *err)
{
    char path[PATH_MAX];
    if (errno == ENOENT || errno == ENOTDIR)
        return egc_fail(err, EGC_ERROR_IO, "%s is not in %s: %s", file, folder, remedy);
    egc_status status = egc_locate_path(folder, file, path, err);
    return status ? status : egc_fail_errno(err, "open", path);
}

egc_status egc_locate_read(const char *folder, const char *file, const char *remedy, egc_buf *out,
                           egc_error *err)
{
    char path[PATH_MAX];
    egc_status status = egc_locate_path(folder, file, path, err);
    if (!status && access(path, R_OK) != 0)
        status = egc_locate_fail_open(folder, file, remedy, err);
    return status ? status : egc_buf_read_file(out, path, err);
}
