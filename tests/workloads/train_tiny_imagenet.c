/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Tiny ImageNet loader on a small data set in the true format, made of JPEG files that libjpeg
 * writes here, whole and damaged. */
#include <stdio.h>

#include <jpeglib.h> /* needs stdio.h in front */

#include "train_folder.h"

enum { SIZE = 64, PLANE = SIZE * SIZE, IMAGE = 3 * PLANE, CLASSES = 200 };

#define REMEDY                                                                                     \
    "unpack tiny-imagenet-200.zip, and set path to its folder, with train/WNID/images/*.JPEG, "    \
    "val/val_annotations.txt and val/images/*.JPEG, or EGC_DATA to the folder around that"

/* A left half of one colour and a right half of another: JPEG keeps both to a few units. Of one
 * component, grey. */
static void write_jpeg(const char *name, int size, int components, const uint8_t *left,
                       const uint8_t *right)
{
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct info = {.err = jpeg_std_error(&errors)};
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    jpeg_create_compress(&info);
    jpeg_stdio_dest(&info, file);
    info.image_width = info.image_height = (JDIMENSION)size;
    info.input_components = components;
    info.in_color_space = components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 95, TRUE);
    jpeg_start_compress(&info, TRUE);
    uint8_t row[IMAGE];
    JSAMPROW rows[] = {row};
    for (int x = 0; x < size; x++)
        memcpy(row + components * x, x < size / 2 ? left : right, (size_t)components);
    for (int y = 0; y < size; y++)
        jpeg_write_scanlines(&info, rows, 1);
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    fclose(file);
}

static const uint8_t RED[] = {200, 30, 40}, BLUE[] = {20, 60, 220}, GREY[] = {90}, LIGHT[] = {180};

/* Class c of the sorted names; written in another order. */
static const char *wnid(int class)
{
    static char name[16];
    snprintf(name, sizeof name, "n%08d", 1000 + class * 7);
    return name;
}

static const char *train_name(int class, int number)
{
    static char name[64];
    snprintf(name, sizeof name, "train/%s/images/%s_%d.JPEG", wnid(class), wnid(class), number);
    return name;
}

static void make_class(int class)
{
    char name[64];
    snprintf(name, sizeof name, "train/%s", wnid(class));
    make_sub_folder(name);
    snprintf(name, sizeof name, "train/%s/images", wnid(class));
    make_sub_folder(name);
    write_jpeg(train_name(class, 0), SIZE, 3, class % 2 ? RED : BLUE, class % 2 ? BLUE : RED);
}

/* One image of each class, a second of class 3, in grey, and two to test with. */
static int write_good_files(void **state)
{
    if (make_folder(state))
        return -1;
    make_sub_folder("train");
    for (int i = 0; i < CLASSES; i++)
        make_class((i * 77 + 5) % CLASSES);
    write_jpeg(train_name(3, 1), SIZE, 1, GREY, LIGHT);
    make_sub_folder("val");
    make_sub_folder("val/images");
    write_jpeg("val/images/val_0.JPEG", SIZE, 3, RED, BLUE);
    write_jpeg("val/images/val_1.JPEG", SIZE, 3, BLUE, RED);
    char lines[128];
    snprintf(lines, sizeof lines, "val_0.JPEG\t%s\t0\t32\t44\t62\n", wnid(199));
    snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "val_1.JPEG\t%s\t5\t6\t7\t8\n",
             wnid(10));
    write_file("val/val_annotations.txt", lines, strlen(lines));
    return 0;
}

static egc_status load(size_t training, size_t test, egc_dataset *out)
{
    return egc_dataset_load(dataset_type("tiny-imagenet"), folder, training, test, out, &err);
}

/* JPEG is lossy: within 4 of the colour that was written. */
static void check_colours(const egc_examples *examples, size_t index, const uint8_t *left,
                          const uint8_t *right)
{
    const uint8_t *bytes = examples->values.data + index * IMAGE;
    for (int channel = 0; channel < 3; channel++)
        for (int x = 0; x < SIZE; x += SIZE - 1) {
            const int want = (x ? right : left)[channel];
            assert_in_range(bytes[channel * PLANE + 40 * SIZE + x] + 4, want, want + 8);
        }
}

static void train_tiny_imagenet__whole(void **state)
{
    (void)state;
    egc_dataset dataset;
    assert_ok(load(EGC_EXAMPLES_ALL, EGC_EXAMPLES_ALL, &dataset), err);
    assert_int_equal(dataset.classes, CLASSES);
    assert_int_equal(dataset.training.count, CLASSES + 1);
    for (size_t i = 0; i < CLASSES; i++) {
        assert_int_equal(dataset.training.labels.data[i], i);
        check_colours(&dataset.training, i, i % 2 ? RED : BLUE, i % 2 ? BLUE : RED);
    }
    assert_int_equal(dataset.training.labels.data[CLASSES], 3);
    check_colours(&dataset.training, CLASSES, (uint8_t[]){90, 90, 90}, (uint8_t[]){180, 180, 180});
    assert_int_equal(dataset.test.count, 2);
    assert_int_equal(dataset.test.labels.data[0], 199);
    assert_int_equal(dataset.test.labels.data[1], 10);
    check_colours(&dataset.test, 1, BLUE, RED);
    static float values[IMAGE];
    assert_int_equal(egc_dataset_get(&dataset, &dataset.test, 0, values), 199);
    const uint8_t byte = dataset.test.values.data[2 * PLANE];
    assert_close((double)values[2 * PLANE], (byte / 255.0 - 0.3975) / 0.2821, 1e-5);
    egc_dataset_fini(&dataset);
}

static void train_tiny_imagenet__limits(void **state)
{
    (void)state;
    egc_dataset dataset;
    assert_ok(load(30, 1, &dataset), err);
    assert_int_equal(dataset.training.count, 30);
    assert_int_equal(dataset.training.labels.data[29], 29);
    assert_int_equal(dataset.test.count, 1);
    egc_dataset_fini(&dataset);
}

/* %s is the folder. */
static void expect(egc_status status, const char *format)
{
    char expected[EGC_ERROR_LENGTH];
    egc_dataset dataset;
    snprintf(expected, sizeof expected, format, folder);
    assert_fails(load(EGC_EXAMPLES_ALL, EGC_EXAMPLES_ALL, &dataset), err, status, expected);
}

static void train_tiny_imagenet__missing(void **state)
{
    (void)state;
    assert_int_equal(unlink(path_of("val/images/val_1.JPEG")), 0);
    expect(EGC_ERROR_IO, "val/images/val_1.JPEG is not in %s: " REMEDY);
    assert_int_equal(unlink(path_of("val/val_annotations.txt")), 0);
    expect(EGC_ERROR_IO, "val/val_annotations.txt is not in %s: " REMEDY);
    assert_int_equal(rename(path_of("train/n00001000/images"), path_of("train/n00001000/i")), 0);
    expect(EGC_ERROR_IO, "train/n00001000/images is not in %s: " REMEDY);
    assert_int_equal(rename(path_of("train/n00001000"), path_of("train/.n00001000")), 0);
    expect(EGC_ERROR_FORMAT, "%s/train: has 199 folders, want 200, one a class");
    assert_int_equal(rename(path_of("train"), path_of("elsewhere")), 0);
    expect(EGC_ERROR_IO, "train is not in %s: " REMEDY);
}

static void train_tiny_imagenet__damaged_images(void **state)
{
    (void)state;
    const char *name = "train/n00001000/images/n00001000_0.JPEG";
    struct stat found;
    assert_int_equal(stat(path_of(name), &found), 0);
    assert_int_equal(truncate(path_of(name), found.st_size - 100), 0);
    expect(EGC_ERROR_FORMAT, "%s/train/n00001000/images/n00001000_0.JPEG: damaged or not of the "
                             "data set tiny-imagenet: Premature end of JPEG file");
    write_file(name, "not a JPEG file", 15);
    expect(EGC_ERROR_FORMAT,
           "%s/train/n00001000/images/n00001000_0.JPEG: damaged or not of the data set "
           "tiny-imagenet: Not a JPEG file: starts with 0x6e 0x6f");
    write_file(name, "", 0);
    expect(EGC_ERROR_FORMAT, "%s/train/n00001000/images/n00001000_0.JPEG: damaged or not of the "
                             "data set tiny-imagenet: Empty input file");
    write_jpeg(name, 32, 3, RED, BLUE);
    expect(EGC_ERROR_FORMAT, "%s/train/n00001000/images/n00001000_0.JPEG: damaged or not of the "
                             "data set tiny-imagenet: is an image of 32 x 32, want 64 x 64");
}

static void train_tiny_imagenet__wrong_annotations(void **state)
{
    (void)state;
    write_file("val/val_annotations.txt", "val_0.JPEG\tn00001000\t0\nval_1.JPEG\n", 34);
    expect(EGC_ERROR_FORMAT, "%s/val/val_annotations.txt: line 2: want the name of an image and "
                             "its class");
    write_file("val/val_annotations.txt", "val_0.JPEG\tn00001001\t0\n", 23);
    expect(EGC_ERROR_FORMAT,
           "%s/val/val_annotations.txt: line 1: there is no class n00001001 in train");
    write_file("val/val_annotations.txt", "", 0);
    expect(EGC_ERROR_FORMAT, "%s/val/val_annotations.txt: is empty");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, write_good_files, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(train_tiny_imagenet__whole),
        TEST(train_tiny_imagenet__limits),
        TEST(train_tiny_imagenet__missing),
        TEST(train_tiny_imagenet__damaged_images),
        TEST(train_tiny_imagenet__wrong_annotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
