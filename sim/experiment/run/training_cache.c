/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log is written beside its name and takes it when complete, so that a reader never finds part of
 * one. Errors are dropped here, because a point without a log trains. */
#include "experiment/run/training_cache.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file/mapping.h"
#include "base/file/path.h"

static egc_path folder_of(const char *spool)
{
    return egc_path_of("%s/learning", spool);
}

static egc_path path_of(const char *spool, const char *key)
{
    return egc_path_of("%s/learning/%s", spool, key);
}

egc_status egc_training_cache_clear(const char *spool, egc_error *err)
{
    return egc_path_remove_folder(folder_of(spool).text, err);
}

void egc_training_cache_remove(const char *spool, const char *key)
{
    egc_path path = path_of(spool, key);
    unlink(path.text);
    unlink(egc_path_of("%s" EGC_STAGED_SUFFIX, path.text).text);
}

bool egc_training_cache_has(const char *spool, const char *key)
{
    return egc_path_exists(path_of(spool, key).text);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* True if the log stays within a small share of the free space, so that rows find room. */
static bool leaves_room(const egc_training_cache *file, size_t more)
{
    const double share = 1. / 16;
    struct statvfs disk;
    if (fstatvfs(file->staged.fd, &disk) != 0)
        return false;
    double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    return (double)(file->len + more) <= share * (free_bytes + (double)file->len);
}

static bool append(void *arg, const void *data, size_t len)
{
    egc_training_cache *file = arg;
    egc_error ignored;
    if (leaves_room(file, len) &&
        egc_atomic_file_write(&file->staged, data, len, &ignored) == EGC_OK) {
        file->len += len;
        return true;
    }
    egc_atomic_file_discard(&file->staged);
    return false;
}

static void start_log(egc_training_cache *file, const char *spool, const char *key,
                      egc_train_config *config)
{
    egc_error ignored;
    if (egc_path_make_folder(folder_of(spool).text, &ignored) ||
        egc_atomic_file_open(&file->staged, path_of(spool, key).text, &ignored))
        return;
    file->writer = (egc_training_log_writer){.key = key, .append = append, .arg = file};
    config->log = &file->writer;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void use_log(egc_training_cache *file, const char *spool, const char *key,
                    egc_train_config *config)
{
    egc_error ignored;
    if (egc_mapping_open(path_of(spool, key).text, &file->bytes, &ignored) == EGC_OK &&
        egc_training_log_reader_open(&file->reader, key, file->bytes.data, file->bytes.len,
                                     &ignored) == EGC_OK)
        config->replay = &file->reader;
}

/* ---------------------------------------------------------------------------------------------- */

void egc_training_cache_open(egc_training_cache *file, const char *spool, const char *key,
                             egc_training_role role, egc_train_config *config)
{
    *file = (egc_training_cache){.staged.fd = -1};
    if (role == EGC_TRAINING_LOGGED)
        start_log(file, spool, key, config);
    if (role == EGC_TRAINING_REPLAYED)
        use_log(file, spool, key, config);
}

void egc_training_cache_close(egc_training_cache *file)
{
    egc_error ignored;
    egc_status committed =
        file->writer.is_complete ? egc_atomic_file_commit(&file->staged, &ignored) : EGC_OK;
    (void)committed;
    egc_atomic_file_discard(&file->staged);
    egc_training_log_writer_fini(&file->writer);
    egc_mapping_close(&file->bytes);
}
