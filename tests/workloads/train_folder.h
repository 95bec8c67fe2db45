/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scratch folder for the files of a data set. */
#ifndef EGC_TEST_TRAIN_FOLDER_H
#define EGC_TEST_TRAIN_FOLDER_H

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"
#include "workloads/train/datasets/dataset.h"

static char folder[] = "train-data-XXXXXX";
static egc_error err;

/* FOLDER/NAME, valid until four calls later. */
static inline const char *path_of(const char *name)
{
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline void make_sub_folder(const char *name)
{
    assert_int_equal(mkdir(path_of(name), 0700), 0);
}

static inline void write_file(const char *name, const void *data, size_t len)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static inline const egc_dataset_type *dataset_type(const char *name)
{
    for (const egc_dataset_type *const *type = egc_dataset_types(); *type; type++)
        if (strcmp((*type)->name, name) == 0)
            return *type;
    fail_msg("no data set %s", name);
    return NULL;
}

static inline int remove_one(const char *path, const struct stat *found, int flag, struct FTW *at)
{
    (void)found, (void)flag, (void)at;
    return remove(path);
}

static inline int make_folder(void **state)
{
    (void)state;
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
