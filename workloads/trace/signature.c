/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The superblock that opens an HDF5 file, version 3 (HDF5 File Format Specification 3.0, II.A):
 *
 *      0  signature          8  version        9  bytes of an offset   10  bytes of a length
 *     11  consistency flags 12  base address  20  extension address    28  end-of-file address
 *     36  root group        44  checksum      48  end
 *
 * Only version 3 is accepted. It comes with metadata that carries checksums everywhere, so that
 * the library notices damage; on damaged files of the older formats it reads out of bounds. */
#include "workloads/trace/signature.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const uint8_t signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

enum {
    VERSION_AT = 8,
    OFFSET_BYTES_AT = 9,
    FLAGS_AT = 11,
    END_AT = 28,
    SUPERBLOCK_BYTES = 48,
    VERSION_WITH_CHECKSUMS = 3,
    FLAG_SWMR_WRITE = 4, /* "single writer, multiple readers": readable while it is written */
};

static uint64_t little_endian(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static egc_status read_head(const char *path, uint8_t *head, size_t *len, egc_error *err)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return egc_fail_errno(err, "open", path);
    *len = fread(head, 1, SUPERBLOCK_BYTES, file);
    egc_status status = ferror(file) ? egc_fail_errno(err, "read", path) : EGC_OK;
    fclose(file);
    return status;
}

static egc_status check_head(const char *path, const uint8_t *head, size_t len, uint64_t file_bytes,
                             egc_error *err)
{
    if (len < sizeof signature || memcmp(head, signature, sizeof signature) != 0)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: not an HDF5 file", path);
    if (len > VERSION_AT && head[VERSION_AT] != VERSION_WITH_CHECKSUMS)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "%s: HDF5 superblock version %d, must be %d, which has checksums (in "
                        "h5py: File(path, \"w\", libver=\"v110\"))",
                        path, head[VERSION_AT], VERSION_WITH_CHECKSUMS);
    uint64_t end = len < SUPERBLOCK_BYTES ? SUPERBLOCK_BYTES : little_endian(head + END_AT);
    if (file_bytes < end)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: truncated: %llu of %llu bytes are there", path,
                        (unsigned long long)file_bytes, (unsigned long long)end);
    if (head[OFFSET_BYTES_AT] != 8)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: HDF5 offsets must be 8 bytes, got %d", path,
                        head[OFFSET_BYTES_AT]);
    return EGC_OK;
}

egc_status egc_trace_signature_check(const char *path, bool *recording, egc_error *err)
{
    struct stat info;
    uint8_t head[SUPERBLOCK_BYTES] = {0};
    size_t len = 0;
    if (stat(path, &info) != 0)
        return egc_fail_errno(err, "open", path);
    if (!S_ISREG(info.st_mode)) /* opening a pipe would wait for its writer */
        return egc_fail(err, EGC_ERROR_IO, "%s: not a regular file", path);
    egc_status status = read_head(path, head, &len, err);
    if (!status)
        status = check_head(path, head, len, (uint64_t)info.st_size, err);
    *recording = head[FLAGS_AT] & FLAG_SWMR_WRITE;
    return status;
}
