/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The IDX loader on small files in the true format, whole and damaged. */
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "support/test.h"
#include "workloads/train/datasets/dataset.h"

enum { PIXELS = 28 * 28, TRAIN = 5, TEST = 3 };

static const char *const FILES[] = {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
                                    "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"};
static char folder[] = "train-idx-XXXXXX";
static egc_error err;

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Header numbers, then `len` bytes of value (place * 3 + 1) % 10, or of the labels' 0..9. */
static void write_idx(const char *name, const uint32_t *header, int n_header, size_t len)
{
    gzFile file = gzopen(path_of(name), "wb");
    assert_non_null(file);
    for (int i = 0; i < n_header; i++)
        for (int shift = 24; shift >= 0; shift -= 8)
            gzputc(file, (int)(header[i] >> shift & 0xff));
    for (size_t i = 0; i < len; i++)
        gzputc(file, (int)((i * 3 + 1) % 10));
    assert_int_equal(gzclose(file), Z_OK);
}

static void write_images(const char *name, uint32_t count)
{
    write_idx(name, (uint32_t[]){0x803, count, 28, 28}, 4, (size_t)count * PIXELS);
}

static void write_labels(const char *name, uint32_t count)
{
    write_idx(name, (uint32_t[]){0x801, count}, 2, count);
}

static int write_good_files(void **state)
{
    (void)state;
    write_images(FILES[0], TRAIN);
    write_labels(FILES[1], TRAIN);
    write_images(FILES[2], TEST);
    write_labels(FILES[3], TEST);
    return 0;
}

static egc_status load(size_t training_limit, size_t test_limit, egc_dataset *out)
{
    return egc_dataset_load(egc_dataset_types()[0], folder, training_limit, test_limit, out, &err);
}

/* message follows "FOLDER/" */
static void expect_failure(egc_status status, const char *message)
{
    egc_dataset dataset;
    char expected[EGC_ERROR_LENGTH];
    snprintf(expected, sizeof expected, "%s/%s", folder, message);
    assert_fails(load(EGC_EXAMPLES_ALL, EGC_EXAMPLES_ALL, &dataset), err, status, expected);
}

static void train_idx__whole(void **state)
{
    (void)state;
    egc_dataset dataset;
    assert_ok(load(EGC_EXAMPLES_ALL, EGC_EXAMPLES_ALL, &dataset), err);
    assert_int_equal(dataset.training.count, TRAIN);
    assert_int_equal(dataset.test.count, TEST);
    float values[PIXELS];
    assert_int_equal(egc_dataset_get(&dataset, &dataset.training, 2, values), 7);
    /* pixel 1 of example 2 is byte 1569 of the images: (1569 * 3 + 1) % 10 = 8 */
    assert_close((double)values[1], (8 / 255.0 - 0.2860406) / 0.3530242, 1e-5);
    egc_dataset_fini(&dataset);
}

static void train_idx__limits(void **state)
{
    (void)state;
    egc_dataset dataset;
    assert_ok(load(2, 1, &dataset), err);
    assert_int_equal(dataset.training.count, 2);
    assert_int_equal(dataset.training.values.len, 2 * PIXELS);
    assert_int_equal(dataset.test.count, 1);
    egc_dataset_fini(&dataset);
}

static void train_idx__missing(void **state)
{
    (void)state;
    egc_dataset dataset;
    char expected[EGC_ERROR_LENGTH];
    unlink(path_of(FILES[2]));
    snprintf(expected, sizeof expected,
             "t10k-images-idx3-ubyte.gz is not in %s: install the Debian package "
             "dataset-fashion-mnist, or set path to a folder with the four .gz files of the data "
             "set",
             folder);
    assert_fails(load(EGC_EXAMPLES_ALL, EGC_EXAMPLES_ALL, &dataset), err, EGC_ERROR_IO, expected);
}

static void train_idx__wrong_magic(void **state)
{
    (void)state;
    write_labels(FILES[0], TRAIN);
    expect_failure(EGC_ERROR_FORMAT, "train-images-idx3-ubyte.gz: damaged or not of the data set "
                                     "fashion-mnist: ends after 13 of 16 bytes of header");
    write_idx(FILES[0], (uint32_t[]){0x801, 9}, 2, 9);
    expect_failure(EGC_ERROR_FORMAT, "train-images-idx3-ubyte.gz: damaged or not of the data set "
                                     "fashion-mnist: starts with 0x00000801, want 0x00000803");
}

static void train_idx__wrong_dimension(void **state)
{
    (void)state;
    write_idx(FILES[2], (uint32_t[]){0x803, TEST, 28, 32}, 4, TEST * 28 * 32);
    expect_failure(EGC_ERROR_FORMAT, "t10k-images-idx3-ubyte.gz: damaged or not of the data set "
                                     "fashion-mnist: dimension 3 is 32, want 28");
}

static void train_idx__fewer_images_than_promised(void **state)
{
    (void)state;
    write_idx(FILES[0], (uint32_t[]){0x803, 0xffffffffu, 28, 28}, 4, 100);
    expect_failure(EGC_ERROR_FORMAT,
                   "train-images-idx3-ubyte.gz: damaged or not of the data set fashion-mnist: "
                   "ends after 100 of 3367254359280 bytes of images");
}

static void train_idx__more_images_than_promised(void **state)
{
    (void)state;
    write_idx(FILES[0], (uint32_t[]){0x803, TRAIN, 28, 28}, 4, TRAIN * PIXELS + 1);
    expect_failure(EGC_ERROR_FORMAT,
                   "train-images-idx3-ubyte.gz: damaged or not of the data set fashion-mnist: "
                   "holds more bytes than its header says");
}

/* The compressed file itself ends too early: in the data, or in the checksum behind them. */
static void train_idx__truncated(void **state)
{
    (void)state;
    FILE *file = fopen(path_of(FILES[1]), "rb");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    assert_int_equal(truncate(path_of(FILES[1]), size - 6), 0);
    expect_failure(EGC_ERROR_FORMAT, "train-labels-idx1-ubyte.gz: damaged or not of the data set "
                                     "fashion-mnist: broken gzip data or wrong checksum");
    assert_int_equal(truncate(path_of(FILES[1]), 10), 0);
    expect_failure(EGC_ERROR_FORMAT, "train-labels-idx1-ubyte.gz: damaged or not of the data set "
                                     "fashion-mnist: ends after 0 of 8 bytes of header");
}

static void train_idx__flipped_bit(void **state)
{
    (void)state;
    FILE *file = fopen(path_of(FILES[1]), "r+b");
    fseek(file, -8, SEEK_END); /* the checksum */
    int byte = fgetc(file);
    fseek(file, -8, SEEK_END);
    fputc(byte ^ 1, file);
    fclose(file);
    expect_failure(EGC_ERROR_FORMAT, "train-labels-idx1-ubyte.gz: damaged or not of the data set "
                                     "fashion-mnist: broken gzip data or wrong checksum");
}

static void train_idx__counts_differ(void **state)
{
    (void)state;
    egc_dataset dataset;
    char expected[EGC_ERROR_LENGTH];
    write_labels(FILES[3], TEST + 1);
    snprintf(expected, sizeof expected,
             "%s: t10k-images-idx3-ubyte.gz has 3 images, but t10k-labels-idx1-ubyte.gz has 4 "
             "labels",
             folder);
    assert_fails(load(EGC_EXAMPLES_ALL, EGC_EXAMPLES_ALL, &dataset), err, EGC_ERROR_FORMAT,
                 expected);
}

static void train_idx__wrong_label(void **state)
{
    (void)state;
    write_idx(FILES[3], (uint32_t[]){0x801, TEST}, 2, 0);
    gzFile file = gzopen(path_of(FILES[3]), "ab");
    gzwrite(file, "\x01\x02\x0a", TEST);
    gzclose(file);
    expect_failure(EGC_ERROR_FORMAT, "t10k-labels-idx1-ubyte.gz: label 2 is 10, want 0 to 9");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        unlink(path_of(FILES[i]));
    return rmdir(folder);
}

#define TEST_WITH_FILES(test) cmocka_unit_test_setup(test, write_good_files)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_FILES(train_idx__whole),
        TEST_WITH_FILES(train_idx__limits),
        TEST_WITH_FILES(train_idx__missing),
        TEST_WITH_FILES(train_idx__wrong_magic),
        TEST_WITH_FILES(train_idx__wrong_dimension),
        TEST_WITH_FILES(train_idx__fewer_images_than_promised),
        TEST_WITH_FILES(train_idx__more_images_than_promised),
        TEST_WITH_FILES(train_idx__truncated),
        TEST_WITH_FILES(train_idx__flipped_bit),
        TEST_WITH_FILES(train_idx__counts_differ),
        TEST_WITH_FILES(train_idx__wrong_label),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
