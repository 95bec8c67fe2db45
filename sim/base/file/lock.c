/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flock(2) on DIR/.lock, a file that holds the writer's process id. Children inherit the lock, so
 * that the folder of a killed run is free only when no child of it can write there any more. */
#include "base/file/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file/path.h"

/* One second in all: children of a killed run die with it, but not in the same instant. */
enum { ATTEMPTS = 40, PAUSE_NS = 25 * 1000 * 1000 };

static egc_path lock_path(const char *dir)
{
    return egc_path_of("%s/.lock", dir);
}

static egc_status fail_locked(const char *dir, int lock, egc_error *err)
{
    char pid[32] = {0};
    ssize_t len = pread(lock, pid, sizeof pid - 1, 0);
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "%s: process %ld is writing results there; wait for it or choose another --out",
                    dir, len > 0 ? strtol(pid, NULL, 10) : 0L);
}

/* False if the previous holder removed the file between our open and our lock: it removes the file
 * before it lets go. */
static bool is_current(int lock, const char *path)
{
    struct stat mine, there;
    return fstat(lock, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

static egc_status write_pid(int lock, const char *path, egc_error *err)
{
    char pid[32];
    int len = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
    if (ftruncate(lock, 0) == 0 && pwrite(lock, pid, (size_t)len, 0) == len)
        return EGC_OK;
    return egc_fail_errno(err, "write", path);
}

egc_status egc_lock_take(const char *dir, int *out, egc_error *err)
{
    egc_path path = lock_path(dir);
    egc_status status = EGC_OK;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int lock = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock < 0)
            return egc_fail_errno(err, "write", path.text);
        bool locked = flock(lock, LOCK_EX | LOCK_NB) == 0;
        if (locked && is_current(lock, path.text)) {
            *out = lock;
            status = write_pid(lock, path.text, err);
            if (status)
                egc_lock_release(dir, lock);
            return status;
        }
        status = locked || errno == EWOULDBLOCK ? fail_locked(dir, lock, err)
                                                : egc_fail_errno(err, "lock", path.text);
        close(lock);
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    return status;
}

void egc_lock_release(const char *dir, int lock)
{
    unlink(lock_path(dir).text);
    close(lock);
}
