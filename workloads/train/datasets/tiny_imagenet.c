/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiny ImageNet as distributed: train/WNID/images/WNID_N.JPEG for each of 200 classes, and
 * val/images/val_N.JPEG with the classes in val/val_annotations.txt. A label is the index of a WNID
 * in sorted order. The training set takes the classes in turn, so that its start has equally many
 * of each. The test images have no labels and are not read. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "workloads/train/datasets/dataset.h"
#include "workloads/train/datasets/jpeg.h"
#include "workloads/train/datasets/locate.h"

enum { SIZE = 64, IMAGE_BYTES = 3 * SIZE * SIZE, WNID_LENGTH = 64 };

typedef struct loader {
    const egc_dataset_type *type;
    const char *folder;
    egc_arena arena; /* names of files and classes */
    egc_buf file;    /* the last image file read */
    char **classes;
    size_t n_classes;
} loader;

/* ---- lists of files -------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Copies the names in an open folder into the arena, their addresses into list. */
static egc_status copy_names(loader *l, DIR *directory, const char *path, egc_buf *list,
                             egc_error *err)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (!entry)
            return errno ? egc_fail_errno(err, "read", path) : EGC_OK;
        if (entry->d_name[0] == '.')
            continue;
        char *name = egc_arena_strdup(&l->arena, entry->d_name);
        if (!name)
            return egc_fail_memory(err, strlen(entry->d_name));
        egc_status status = egc_buf_append(list, &name, sizeof name, err);
        if (status)
            return status;
    }
}

/* Sorted names in a folder of the data set, as an array of pointers in list. */
static egc_status list_folder(loader *l, const char *name, egc_buf *list, egc_error *err)
{
    char path[PATH_MAX];
    egc_status status = egc_locate_path(l->folder, name, path, err);
    if (status)
        return status;
    DIR *directory = opendir(path);
    if (!directory)
        return egc_locate_fail_open(l->folder, name, l->type->remedy, err);
    status = copy_names(l, directory, path, list, err);
    closedir(directory);
    if (!status)
        qsort(list->data, list->len / sizeof(char *), sizeof(char *), compare_names);
    return status;
}

static egc_status list_classes(loader *l, egc_buf *list, egc_error *err)
{
    egc_status status = list_folder(l, "train", list, err);
    if (status)
        return status;
    l->classes = (char **)list->data;
    l->n_classes = list->len / sizeof(char *);
    if (l->n_classes != l->type->classes)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s/train: has %zu folders, want %zu, one a class",
                        l->folder, l->n_classes, l->type->classes);
    return EGC_OK;
}

/* ---- images ---------------------------------------------------------------------------------- */

static egc_status read_image(loader *l, const char *name, size_t label, egc_examples *out,
                             egc_error *err)
{
    egc_buf_clear(&l->file);
    egc_status status = egc_locate_read(l->folder, name, l->type->remedy, &l->file, err);
    if (!status)
        status = egc_buf_reserve(&out->values, IMAGE_BYTES, err);
    if (status)
        return status;
    status =
        egc_jpeg_decode(l->file.data, l->file.len, SIZE, out->values.data + out->values.len, err);
    if (status)
        return egc_error_prefix(err, "%s/%s: damaged or not of the data set %s", l->folder, name,
                                l->type->name);
    out->values.len += IMAGE_BYTES;
    out->count++;
    return egc_buf_append(&out->labels, &(uint8_t){(uint8_t)label}, 1, err);
}

/* ---- training set ---------------------------------------------------------------------------- */

/* Reads the image of one class at a rank of its sorted list, if there is one. */
static egc_status read_ranked(loader *l, const egc_buf *images, size_t label, size_t rank,
                              egc_examples *out, egc_error *err)
{
    char name[PATH_MAX];
    if (rank >= images->len / sizeof(char *))
        return EGC_OK;
    const char *file = ((char *const *)images->data)[rank];
    int length = snprintf(name, sizeof name, "train/%s/images/%s", l->classes[label], file);
    if (length >= (int)sizeof name)
        return egc_fail(err, EGC_ERROR_RANGE, "the path of an image is too long");
    return read_image(l, name, label, out, err);
}

/* Reads the first image of every class, then the second of every class, and so on. */
static egc_status read_in_turn(loader *l, const egc_buf *images, size_t limit, egc_examples *out,
                               egc_error *err)
{
    egc_status status = EGC_OK;
    size_t before = SIZE_MAX;
    for (size_t rank = 0; !status && out->count < limit && out->count != before; rank++) {
        before = out->count;
        for (size_t i = 0; i < l->n_classes && out->count < limit && !status; i++)
            status = read_ranked(l, &images[i], i, rank, out, err);
    }
    return status;
}

static egc_status load_training(loader *l, size_t limit, egc_examples *out, egc_error *err)
{
    egc_buf *images = egc_calloc(l->n_classes, sizeof *images);
    if (!images)
        return egc_fail_memory(err, l->n_classes * sizeof *images);
    egc_status status = EGC_OK;
    for (size_t i = 0; i < l->n_classes && !status; i++) {
        char name[PATH_MAX];
        snprintf(name, sizeof name, "train/%s/images", l->classes[i]);
        status = list_folder(l, name, &images[i], err);
    }
    if (!status)
        status = read_in_turn(l, images, limit, out, err);
    for (size_t i = 0; i < l->n_classes; i++)
        egc_buf_fini(&images[i]);
    egc_free(images);
    return status;
}

/* ---- validation set -------------------------------------------------------------------------- */

#define ANNOTATIONS "val/val_annotations.txt"

/* Reads the image of a line: its name, its WNID, and a box that is ignored. */
static egc_status read_annotated(loader *l, const char *line, egc_examples *out, egc_error *err)
{
    char image[WNID_LENGTH], wnid[WNID_LENGTH], name[WNID_LENGTH + 16];
    if (sscanf(line, "%63s %63s", image, wnid) != 2)
        return egc_fail(err, EGC_ERROR_FORMAT, "want the name of an image and its class");
    char *key = wnid;
    char **found = bsearch(&key, l->classes, l->n_classes, sizeof key, compare_names);
    if (!found)
        return egc_fail(err, EGC_ERROR_FORMAT, "there is no class %s in train", wnid);
    snprintf(name, sizeof name, "val/images/%s", image);
    return read_image(l, name, (size_t)(found - l->classes), out, err);
}

/* Reads the images of the lines of text, which ends with a zero byte and is cut into lines. */
static egc_status read_annotations(loader *l, char *text, size_t limit, egc_examples *out,
                                   egc_error *err)
{
    if (!*text)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s/" ANNOTATIONS ": is empty", l->folder);
    while (*text && out->count < limit) {
        size_t number = out->count + 1;
        char *end = strchrnul(text, '\n'), *next = *end ? end + 1 : end;
        *end = '\0';
        egc_status status = read_annotated(l, text, out, err);
        if (status == EGC_ERROR_FORMAT)
            egc_error_prefix(err, "%s/" ANNOTATIONS ": line %zu", l->folder, number);
        if (status)
            return status;
        text = next;
    }
    return EGC_OK;
}

static egc_status load_validation(loader *l, size_t limit, egc_examples *out, egc_error *err)
{
    egc_buf text = {0};
    egc_status status = egc_locate_read(l->folder, ANNOTATIONS, l->type->remedy, &text, err);
    if (!status)
        status = egc_buf_append(&text, "", 1, err);
    if (!status)
        status = read_annotations(l, (char *)text.data, limit, out, err);
    egc_buf_fini(&text);
    return status;
}

static egc_status load(const egc_dataset_type *type, const char *folder, size_t training_limit,
                       size_t test_limit, egc_dataset *out, egc_error *err)
{
    loader l = {.type = type, .folder = folder};
    egc_buf classes = {0};
    egc_status status = list_classes(&l, &classes, err);
    if (!status)
        status = load_training(&l, training_limit, &out->training, err);
    if (!status)
        status = load_validation(&l, test_limit, &out->test, err);
    egc_buf_fini(&classes);
    egc_buf_fini(&l.file);
    egc_arena_fini(&l.arena);
    return status;
}

const egc_dataset_type egc_dataset_tiny_imagenet = {
    .name = "tiny-imagenet",
    .summary = "110,000 colour images of 64 x 64 in 200 classes, a part of ImageNet",
    .reference = "Le, Yang: Tiny ImageNet visual recognition challenge, Stanford CS 231N, 2015",
    .folder = "tiny-imagenet-200",
    .shape = {3, {3, SIZE, SIZE}},
    .classes = 200,
    .mean = {0.4802, 0.4481, 0.3975}, /* as published with many implementations */
    .deviation = {0.2770, 0.2691, 0.2821},
    .remedy = "unpack tiny-imagenet-200.zip, and set path to its folder, with "
              "train/WNID/images/*.JPEG, val/val_annotations.txt and val/images/*.JPEG, or "
              "EGC_DATA to the folder around that",
    .load = load,
};
