/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/run/training_cache.h"

#include <sys/statvfs.h>
#include <unistd.h>

static egc_path folder_of(const char *spool)
{
    return egc_path_of("%s/learning", spool);
}

static egc_path path_of(const char *spool, const char *key)
{
    return egc_path_of("%s/learning/%s", spool, key);
}

egc_status egc_learning_files_remove(const char *spool, egc_error *err)
{
    return egc_folder_remove(folder_of(spool).text, err);
}

void egc_learning_file_remove(const char *spool, const char *key)
{
    egc_path path = path_of(spool, key);
    unlink(path.text);
    unlink(egc_path_of("%s" EGC_DRAFT, path.text).text);
}

bool egc_learning_file_exists(const char *spool, const char *key)
{
    return egc_path_exists(path_of(spool, key).text);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Of what room there is a log takes a small part, so that rows do not lack it. */
static bool leaves_room(const egc_learning_file *file, size_t more)
{
    const double share = 1. / 16;
    struct statvfs disk;
    if (fstatvfs(file->draft.fd, &disk) != 0)
        return false;
    double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    return (double)(file->len + more) <= share * (free_bytes + (double)file->len);
}

static bool append(void *arg, const void *data, size_t len)
{
    egc_learning_file *file = arg;
    egc_error lost; /* with the log */
    if (leaves_room(file, len) && egc_draft_write(&file->draft, data, len, &lost) == EGC_OK) {
        file->len += len;
        return true;
    }
    egc_draft_discard(&file->draft);
    return false;
}

static void start_log(egc_learning_file *file, const char *spool, const char *key,
                      egc_training_config *config)
{
    egc_error lost;
    if (egc_folder_make(folder_of(spool).text, &lost) ||
        egc_draft_open(&file->draft, path_of(spool, key).text, &lost))
        return;
    file->writer = (egc_learning_writer){.key = key, .append = append, .arg = file};
    config->log = &file->writer;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void use_log(egc_learning_file *file, const char *spool, const char *key,
                    egc_training_config *config)
{
    egc_error unusable;
    if (egc_bytes_map(path_of(spool, key).text, &file->bytes, &unusable) == EGC_OK &&
        egc_learning_reader_open(&file->reader, key, file->bytes.data, file->bytes.len,
                                 &unusable) == EGC_OK)
        config->replay = &file->reader;
}

/* ---------------------------------------------------------------------------------------------- */

void egc_learning_file_open(egc_learning_file *file, const char *spool, const char *key,
                            egc_learning_role role, egc_training_config *config)
{
    *file = (egc_learning_file){.draft.fd = -1};
    if (role == EGC_LEARNS_FIRST)
        start_log(file, spool, key, config);
    if (role == EGC_LEARNS_BY_LOG)
        use_log(file, spool, key, config);
}

void egc_learning_file_close(egc_learning_file *file)
{
    egc_error lost;
    egc_status committed =
        file->writer.is_complete ? egc_draft_commit(&file->draft, &lost) : EGC_OK;
    (void)committed;
    egc_draft_discard(&file->draft);
    egc_learning_writer_fini(&file->writer);
    egc_bytes_unmap(&file->bytes);
}
