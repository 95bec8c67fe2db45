/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A private mmap of the whole file: rows of gigabytes are read without a copy. */
#include "base/file/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

void egc_mapping_close(egc_mapping *mapping)
{
    if (mapping->len)
        munmap((void *)(uintptr_t)mapping->data, mapping->len);
    *mapping = (egc_mapping){0};
}
