/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CIFAR-10 loader on small files in the true format, whole and damaged, and where data sets are
 * looked for. */
#include "train_folder.h"
#include "workloads/train/datasets/locate.h"

enum { IMAGE = 3 * 32 * 32, RECORD = 1 + IMAGE, PER_FILE = 2 };

#define REMEDY                                                                                     \
    "unpack the binary version of the data set, cifar-10-binary.tar.gz, and set path to its "      \
    "folder, with data_batch_1.bin to data_batch_5.bin and test_batch.bin of 30,730,000 bytes "    \
    "each, or EGC_DATA to the folder around that"

/* Example e of the data set has the label 3 e mod 10, and bytes e + 10 channel + row. */
static void write_records(const char *name, int first, int count, size_t len)
{
    static uint8_t bytes[PER_FILE * RECORD + 1];
    uint8_t *byte = bytes;
    for (int e = first; e < first + count; e++) {
        *byte++ = (uint8_t)(3 * e % 10);
        for (int i = 0; i < IMAGE; i++)
            *byte++ = (uint8_t)(e + 10 * (i / 1024) + i / 32 % 32);
    }
    write_file(name, bytes, len);
}

static int write_good_files(void **state)
{
    if (make_folder(state))
        return -1;
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "data_batch_%d.bin", i + 1);
        write_records(name, i * PER_FILE, PER_FILE, PER_FILE * RECORD);
    }
    write_records("test_batch.bin", 10, PER_FILE, PER_FILE * RECORD);
    return 0;
}

static egc_status load(const char *path, size_t training, size_t test, egc_dataset *out)
{
    return egc_dataset_load(dataset_type("cifar10"), path, training, test, out, &err);
}

/* The mean and deviation of a plane, as published. */
static void check_pixel(float got, int byte, double mean, double deviation)
{
    assert_close((double)got, (byte / 255.0 - mean) / deviation, 1e-5);
}

static void train_cifar10__whole(void **state)
{
    (void)state;
    egc_dataset dataset;
    assert_ok(load(folder, EGC_EXAMPLES_ALL, EGC_EXAMPLES_ALL, &dataset), err);
    assert_int_equal(dataset.training.count, 5 * PER_FILE);
    assert_int_equal(dataset.test.count, PER_FILE);
    float values[IMAGE];
    assert_int_equal(egc_dataset_get(&dataset, &dataset.training, 7, values), 1);
    check_pixel(values[0], 7, 0.4914, 0.2470);
    check_pixel(values[1024 + 32 * 5], 7 + 10 + 5, 0.4822, 0.2435);
    check_pixel(values[IMAGE - 1], 7 + 20 + 31, 0.4465, 0.2616);
    assert_int_equal(egc_dataset_get(&dataset, &dataset.test, 1, values), 3);
    egc_dataset_fini(&dataset);
}

/* Three examples are in the first two files; the others are not looked at. */
static void train_cifar10__limits(void **state)
{
    (void)state;
    egc_dataset dataset;
    assert_int_equal(unlink(path_of("data_batch_3.bin")), 0);
    assert_ok(load(folder, 3, 1, &dataset), err);
    assert_int_equal(dataset.training.count, 3);
    assert_int_equal(dataset.training.values.len, 3 * IMAGE);
    assert_int_equal(dataset.test.count, 1);
    egc_dataset_fini(&dataset);
}

static void expect(egc_status status, const char *format)
{
    char expected[EGC_ERROR_LENGTH];
    egc_dataset dataset;
    snprintf(expected, sizeof expected, format, folder);
    assert_fails(load(folder, EGC_EXAMPLES_ALL, EGC_EXAMPLES_ALL, &dataset), err, status, expected);
}

static void train_cifar10__missing(void **state)
{
    (void)state;
    assert_int_equal(unlink(path_of("data_batch_4.bin")), 0);
    expect(EGC_ERROR_IO, "data_batch_4.bin is not in %s: " REMEDY);
}

static void train_cifar10__damaged(void **state)
{
    (void)state;
    write_records("test_batch.bin", 0, PER_FILE, PER_FILE * RECORD - 1);
    expect(EGC_ERROR_FORMAT,
           "%s/test_batch.bin: damaged or not of the data set cifar10: ends after "
           "3072 of the 3073 bytes of an example");
    write_records("test_batch.bin", 0, PER_FILE, PER_FILE * RECORD + 1);
    expect(EGC_ERROR_FORMAT,
           "%s/test_batch.bin: damaged or not of the data set cifar10: ends after "
           "1 of the 3073 bytes of an example");
    write_file("test_batch.bin", "", 0);
    expect(EGC_ERROR_FORMAT, "%s/test_batch.bin: damaged or not of the data set cifar10: is empty");
    uint8_t wrong[RECORD] = {10};
    write_file("data_batch_2.bin", wrong, sizeof wrong);
    expect(EGC_ERROR_FORMAT, "%s/data_batch_2.bin: damaged or not of the data set cifar10: label 2 "
                             "is 10, want 0 to 9");
}

/* ---- where data sets are --------------------------------------------------------------------- */

static void check_place(const char *chosen, const char *path, const char *tried)
{
    egc_location found;
    assert_ok(egc_locate_find(chosen, "cifar-10-batches-bin", &found, &err), err);
    assert_string_equal(found.path, path);
    assert_string_equal(found.tried, tried);
}

static void train_cifar10__places(void **state)
{
    (void)state;
    const char *system_place = EGC_DATA_SYSTEM "/cifar-10-batches-bin";
    check_place("", system_place, "");
    check_place("here", "here", "");
    egc_locate_set_root(folder);
    check_place("", system_place, path_of("cifar-10-batches-bin"));
    make_sub_folder("cifar-10-batches-bin");
    check_place("", path_of("cifar-10-batches-bin"), "");
    check_place("here", "here", "");
    egc_locate_set_root("");
    check_place("", system_place, "");
    egc_locate_set_root(folder);
    egc_locate_set_root(NULL);
    check_place("", system_place, "");
}

/* It is said where the files were looked for: at both places, or where the folder was found. */
static void train_cifar10__missing_under_root(void **state)
{
    (void)state;
    egc_dataset dataset;
    char expected[EGC_ERROR_LENGTH];
    if (access(EGC_DATA_SYSTEM "/cifar-10-batches-bin", F_OK) == 0)
        skip();
    egc_locate_set_root(folder);
    snprintf(expected, sizeof expected,
             "there is no %s/cifar-10-batches-bin: data_batch_1.bin is not in " EGC_DATA_SYSTEM
             "/cifar-10-batches-bin: " REMEDY,
             folder);
    assert_fails(load("", 1, 1, &dataset), err, EGC_ERROR_IO, expected);
    make_sub_folder("cifar-10-batches-bin");
    snprintf(expected, sizeof expected,
             "data_batch_1.bin is not in %s/cifar-10-batches-bin: " REMEDY, folder);
    assert_fails(load("", 1, 1, &dataset), err, EGC_ERROR_IO, expected);
    egc_locate_set_root(NULL);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, write_good_files, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(train_cifar10__whole),   TEST(train_cifar10__limits),
        TEST(train_cifar10__missing), TEST(train_cifar10__damaged),
        TEST(train_cifar10__places),  TEST(train_cifar10__missing_under_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
