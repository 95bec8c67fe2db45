/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hashes up to 1024 pieces of 4 KiB, evenly spaced over the file. */
#include "workloads/trace/hash.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/rng.h"

enum { PIECE_BYTES = 4096, PIECES = 1024 };

/* Index of the i-th of n pieces chosen from `all`, the first and the last among them. */
static uint64_t chosen(uint64_t i, uint64_t n, uint64_t all)
{
    return n < all ? i * (all - 1) / (n - 1) : i;
}

static uint64_t hash_pieces(int file, uint64_t size)
{
    char bytes[PIECE_BYTES];
    uint64_t all = (size + PIECE_BYTES - 1) / PIECE_BYTES, n = all < PIECES ? all : PIECES;
    uint64_t hash = egc_hash(EGC_HASH_START, &size, sizeof size);
    for (uint64_t i = 0; i < n; i++) {
        ssize_t len = pread(file, bytes, sizeof bytes, (off_t)(chosen(i, n, all) * PIECE_BYTES));
        if (len < 0)
            return 0;
        hash = egc_hash(hash, bytes, (size_t)len);
    }
    return hash;
}

uint64_t egc_trace_hash(const char *path)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* opening a pipe must not block */
    if (file < 0)
        return 0;
    struct stat info;
    bool is_regular = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    uint64_t hash = is_regular ? hash_pieces(file, (uint64_t)info.st_size) : 0;
    close(file);
    return hash;
}
