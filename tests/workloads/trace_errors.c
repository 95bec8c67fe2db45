/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every way a trace can be wrong ends in one line that says so, and never in a crash. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/rng.h"
#include "support/test.h"
#include "workloads/trace/info.h"
#include "workloads/trace_fixture.h"
#include "workloads/workload.h"

/* HDF5 1.10 loses memory of its own when it rejects damage. That no handle stays open is tested
 * below. LeakSanitizer asks for this by name. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static const char *toy(void)
{
    return scratch_path("toy.h5");
}

/* "PATH: message" of the toy trace. */
static const char *at_toy(const char *message)
{
    static char text[EGC_ERROR_LENGTH];
    snprintf(text, sizeof text, "%s: %s", toy(), message);
    return text;
}

#define assert_toy_fails(status, message)                                                          \
    do {                                                                                           \
        egc_error err_ = {0};                                                                      \
        egc_trace_info info_;                                                                      \
        assert_fails(egc_trace_info_init(&info_, toy(), &err_), err_, status, at_toy(message));    \
    } while (0)

static void write_file(const char *path, const void *data, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, len, file), len);
    fclose(file);
}

static egc_buf read_file(const char *path)
{
    egc_buf bytes = {0};
    egc_error err = {0};
    char block[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;)
        assert_ok(egc_buf_append(&bytes, block, n, &err), err);
    fclose(file);
    return bytes;
}

/* ---- what the request asks for -------------------------------------------------------------- */

static egc_status open_workload(const char *path, size_t workers, uint64_t steps, egc_error *err)
{
    const egc_workload_type *type;
    egc_workload *workload = NULL;
    egc_workload_request request = {.workers = workers, .steps = steps};
    egc_scalar file = {.kind = EGC_SCALAR_TEXT, .text = path};
    assert_int_equal(egc_workload_find("trace", &type, err), EGC_OK);
    void *params = calloc(1, type->params_size);
    egc_param_init(type->params, params);
    assert_int_equal(egc_param_set(egc_param_find(type->params, "file"), params, &file, err), 0);
    egc_status status = egc_workload_new(type, params, &request, &workload, err);
    free(params);
    egc_workload_free(workload);
    return status;
}

static void trace_errors__says_what_the_trace_lacks(void **state)
{
    (void)state;
    egc_error err;
    toy_write(toy());
    assert_fails(open_workload("", 1, 1, &err), err, EGC_ERROR_RANGE,
                 "file: must name a recorded trace, got \"\"");
    assert_fails(open_workload(toy(), 4, 5, &err), err, EGC_ERROR_RANGE,
                 at_toy("holds 3 workers, 4 were asked for (cycle = true repeats them)"));
    assert_fails(open_workload(toy(), 3, 6, &err), err, EGC_ERROR_RANGE,
                 at_toy("holds 5 steps, 6 were asked for (cycle = true repeats them)"));
}

/* ---- what is no trace ----------------------------------------------------------------------- */

static void trace_errors__rejects_other_files(void **state)
{
    (void)state;
    egc_error err;
    egc_trace_info info;
    assert_fails(egc_trace_info_init(&info, "/nowhere/x.h5", &err), err, EGC_ERROR_IO,
                 "/nowhere/x.h5: cannot open: No such file or directory");
    assert_fails(egc_trace_info_init(&info, "/tmp", &err), err, EGC_ERROR_IO,
                 "/tmp: not a regular file");
    assert_fails(egc_trace_info_init(&info, "/dev/zero", &err), err, EGC_ERROR_IO,
                 "/dev/zero: not a regular file");
    write_file(toy(), "step,loss\n", 10);
    assert_toy_fails(EGC_ERROR_FORMAT, "not an HDF5 file");
    write_file(toy(), "", 0);
    assert_toy_fails(EGC_ERROR_FORMAT, "not an HDF5 file");
}

static void trace_errors__rejects_a_pipe_without_waiting(void **state)
{
    (void)state;
    unlink(toy());
    assert_int_equal(mkfifo(toy(), 0600), 0);
    assert_toy_fails(EGC_ERROR_IO, "not a regular file");
    unlink(toy());
}

static void trace_errors__rejects_hdf5_without_checksums(void **state)
{
    (void)state;
    hid_t file = H5Fcreate(toy(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT,
                     "HDF5 superblock version 0, must be 3, which has checksums (in h5py: "
                     "File(path, \"w\", libver=\"v110\"))");
}

static void trace_errors__rejects_unlabelled_hdf5(void **state)
{
    (void)state;
    hid_t file = toy_edit(toy());
    H5Adelete(file, "format");
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT, "not a trace: no attribute \"format\"");
}

static void trace_errors__rejects_other_formats_and_versions(void **state)
{
    (void)state;
    hid_t file = toy_edit(toy());
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 4);
    replace_attribute(file, "format", text, "kers");
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT, "not a trace: format must be \"egc-trace\", got \"kers\"");
    file = toy_edit(toy());
    replace_attribute(file, "version", H5T_NATIVE_INT, &(int){2});
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT, "trace version must be 1, got 2");
    file = toy_edit(toy());
    replace_attribute(file, "version", text, "1.0");
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT, "attribute \"version\" must be one integer");
    H5Tclose(text);
}

static void trace_errors__rejects_variable_length_text(void **state)
{
    (void)state;
    const char *name = "toy";
    hid_t file = toy_edit(toy());
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    replace_attribute(file, "model", text, &name);
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT, "attribute \"model\" must be one fixed-length string (in "
                                       "h5py: numpy.bytes_(text))");
    const char *names[] = {"a", "b"};
    file = toy_edit(toy());
    replace_dataset(file, "layers/name", text, 1, (hsize_t[]){2}, names);
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT, "layers/name must be a list of fixed-length strings (in "
                                       "h5py: numpy.array(names, dtype=\"S\"))");
    H5Tclose(text);
}

static void trace_errors__rejects_long_and_unprintable_text(void **state)
{
    (void)state;
    char name[80];
    memset(name, 'x', sizeof name);
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, sizeof name);
    hid_t file = toy_edit(toy());
    replace_attribute(file, "model", text, name);
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT,
                     "attribute \"model\" must be printable text of at most 63 bytes");
    H5Tset_size(text, 4);
    file = toy_edit(toy());
    replace_attribute(file, "model", text, "a\nb");
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT,
                     "attribute \"model\" must be printable text of at most 63 bytes");
    file = toy_edit(toy());
    replace_dataset(file, "layers/name", text, 1, (hsize_t[]){2}, "abc\0\0\0\0\0");
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT, "layers/name[1] must be printable text of 1 to 63 bytes");
    H5Tclose(text);
}

/* ---- data sets that do not fit -------------------------------------------------------------- */

static const float zeros[TOY_STEPS * TOY_WORKERS * (TOY_PARAMS + 1)];

/* Replaces one data set of the toy trace by numbers of this type and shape. */
static void spoil(const char *name, hid_t type, int rank, const hsize_t *dims, const void *data)
{
    hid_t file = toy_edit(toy());
    replace_dataset(file, name, type, rank, dims, data);
    H5Fclose(file);
}

static void trace_errors__rejects_wrong_gradients(void **state)
{
    (void)state;
    const char *wanted = "gradients must be float32 [steps, workers, parameters]";
    spoil("gradients", H5T_NATIVE_FLOAT, 3, (hsize_t[]){5, 3, 14}, zeros);
    assert_toy_fails(EGC_ERROR_FORMAT, "layers hold 13 parameters in all, gradients have 14");
    spoil("gradients", H5T_NATIVE_FLOAT, 2, (hsize_t[]){5, 13}, zeros);
    assert_toy_fails(EGC_ERROR_FORMAT, wanted);
    spoil("gradients", H5T_NATIVE_DOUBLE, 3, (hsize_t[]){1, 3, 13}, zeros);
    assert_toy_fails(EGC_ERROR_FORMAT, wanted);
    spoil("gradients", H5T_NATIVE_INT, 3, (hsize_t[]){5, 3, 13}, zeros);
    assert_toy_fails(EGC_ERROR_FORMAT, wanted);
    spoil("gradients", H5T_NATIVE_FLOAT, 3, (hsize_t[]){0, 3, 13}, zeros);
    assert_toy_fails(EGC_ERROR_FORMAT, "holds no complete step");
    spoil("gradients", H5T_NATIVE_FLOAT, 3, (hsize_t[]){5, 0, 13}, zeros);
    assert_toy_fails(EGC_ERROR_FORMAT, "gradients of 0 workers");
}

static void trace_errors__rejects_wrong_loss(void **state)
{
    (void)state;
    spoil("loss", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){5, 2}, zeros);
    assert_toy_fails(EGC_ERROR_FORMAT, "loss must be floats [steps, 3 workers]");
}

static void trace_errors__rejects_wrong_layers(void **state)
{
    (void)state;
    const uint64_t hole[] = {5, 0, 2, 0, 3, 0, 0, 0}, none[8] = {0};
    spoil("layers/shape", H5T_NATIVE_UINT64, 2, (hsize_t[]){2, 4}, hole);
    assert_toy_fails(EGC_ERROR_FORMAT, "layers/shape[0] must be dimensions of at least 1, padded "
                                       "with zeros at the end");
    spoil("layers/shape", H5T_NATIVE_UINT64, 2, (hsize_t[]){2, 4}, none);
    assert_toy_fails(EGC_ERROR_FORMAT, "layers/shape[0] must be dimensions of at least 1, padded "
                                       "with zeros at the end");
    spoil("layers/shape", H5T_NATIVE_UINT64, 2, (hsize_t[]){1, 4}, none);
    assert_toy_fails(EGC_ERROR_FORMAT,
                     "layers/shape must be integers [2 layers, 1 to 4 dimensions]");
    spoil("layers/forward_flops", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){2}, (double[]){1, -2});
    assert_toy_fails(EGC_ERROR_FORMAT, "layers/forward_flops[1] must be in [0, inf), got -2");
    spoil("layers/backward_s", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){3}, zeros);
    assert_toy_fails(EGC_ERROR_FORMAT, "layers/backward_s must be numbers [2 layers]");
    hid_t file = toy_edit(toy());
    H5Ldelete(file, "layers/backward_flops", H5P_DEFAULT);
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT, "data set \"layers/backward_flops\" is missing");
}

static void trace_errors__rejects_huge_shapes(void **state)
{
    (void)state;
    const uint64_t overflowing[] = {1ull << 40, 1ull << 40, 0, 0, 3, 0, 0, 0};
    const uint64_t large[] = {1ull << 63, 0, 0, 0, 1ull << 63, 0, 0, 0};
    spoil("layers/shape", H5T_NATIVE_UINT64, 2, (hsize_t[]){2, 4}, overflowing);
    assert_toy_fails(EGC_ERROR_FORMAT, "layers/shape[0] must be dimensions of at least 1, padded "
                                       "with zeros at the end");
    spoil("layers/shape", H5T_NATIVE_UINT64, 2, (hsize_t[]){2, 4}, large);
    assert_toy_fails(EGC_ERROR_FORMAT, "layers hold too many parameters to count");
}

/* HDF5 would give zeros. */
static void trace_errors__rejects_gradients_never_written(void **state)
{
    (void)state;
    hid_t file = toy_edit(toy());
    H5Ldelete(file, "loss", H5P_DEFAULT);
    hid_t gradients = H5Dopen2(file, "gradients", H5P_DEFAULT);
    assert_true(H5Dset_extent(gradients, (hsize_t[]){6, 3, 13}) >= 0);
    H5Dclose(gradients);
    H5Fclose(file);
    assert_toy_fails(EGC_ERROR_FORMAT,
                     "no gradient of worker 0 at step 5 (never written, or the file is damaged)");
}

/* ---- damage --------------------------------------------------------------------------------- */

static void trace_errors__rejects_every_truncation(void **state)
{
    (void)state;
    toy_write(toy());
    egc_buf whole = read_file(toy());
    for (size_t len = 0; len < whole.len; len++) {
        char message[128];
        snprintf(message, sizeof message, "truncated: %zu of %zu bytes are there", len,
                 len < 48 ? (size_t)48 : whole.len);
        write_file(toy(), whole.data, len);
        assert_toy_fails(EGC_ERROR_FORMAT, len < 8 ? "not an HDF5 file" : message);
    }
    egc_buf_fini(&whole);
}

/* Damage is noticed, or does not matter to what is read; it is never a crash. */
static void trace_errors__survives_flipped_bytes(void **state)
{
    (void)state;
    enum { TRIALS = 4000 };
    uint64_t random = 20240607;
    size_t n_noticed = 0;
    toy_write(toy());
    egc_buf whole = read_file(toy()), damaged = {0};
    egc_error err = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        egc_trace_info info;
        egc_buf_clear(&damaged);
        assert_ok(egc_buf_append(&damaged, whole.data, whole.len, &err), err);
        for (uint64_t n = 1 + egc_rng_next(&random) % 4; n > 0; n--)
            damaged.data[egc_rng_next(&random) % whole.len] ^=
                (uint8_t)(1 + egc_rng_next(&random) % 255);
        write_file(toy(), damaged.data, damaged.len);
        if (egc_trace_info_init(&info, toy(), &err)) {
            n_noticed++;
            assert_null(strchr(err.message, '\n'));
            assert_ptr_equal(strstr(err.message, toy()), err.message);
        } else {
            egc_trace_info_fini(&info);
        }
    }
    assert_true(n_noticed > TRIALS / 10);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    egc_buf_fini(&damaged);
    egc_buf_fini(&whole);
}

static void trace_errors__survives_each_failing_allocation(void **state)
{
    (void)state;
    egc_error err = {0};
    egc_trace_info info;
    egc_status status;
    long countdown = 0;
    toy_write(toy());
    for (;; countdown++) {
        egc_mem_fail_after(countdown);
        status = egc_trace_info_init(&info, toy(), &err);
        egc_mem_fail_after(-1);
        if (!status)
            break;
        assert_int_equal(status, EGC_ERROR_MEMORY);
    }
    egc_trace_info_fini(&info);
    assert_true(countdown > 5);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* ---- recording ------------------------------------------------------------------------------ */

static egc_status start(const char *path, const egc_layer *layers, size_t n_layers, size_t workers,
                        egc_trace_writer **out, egc_error *err)
{
    return egc_trace_writer_new(path, "toy", layers, n_layers, workers, &toy_note, out, err);
}

static void trace_errors__records_in_order_only(void **state)
{
    (void)state;
    egc_error err = {0};
    egc_trace_writer *writer;
    float g[TOY_PARAMS] = {0};
    assert_ok(start(toy(), toy_layers, TOY_LAYERS, 2, &writer, &err), err);
    assert_fails(egc_trace_writer_append(writer, 1, 0, g, 0, &err), err, EGC_ERROR_RANGE,
                 at_toy("step must be 0, of which 0 of 2 workers are recorded, got 1"));
    assert_fails(egc_trace_writer_append(writer, 0, 2, g, 0, &err), err, EGC_ERROR_RANGE,
                 at_toy("worker must be below 2, got 2"));
    assert_ok(egc_trace_writer_append(writer, 0, 1, g, 0, &err), err);
    assert_fails(egc_trace_writer_append(writer, 0, 1, g, 0, &err), err, EGC_ERROR_RANGE,
                 at_toy("worker 1 of step 0 is recorded already"));
    assert_ok(egc_trace_writer_close(writer, &err), err);
    assert_toy_fails(EGC_ERROR_FORMAT, "holds no complete step");
}

static void trace_errors__refuses_what_a_trace_cannot_hold(void **state)
{
    (void)state;
    egc_error err;
    egc_trace_writer *writer;
    egc_layer large[] = {toy_layers[0], toy_layers[1]};
    large[1].count = (1u << 30) - 1 - 9;
    assert_fails(start(toy(), large, 2, 1, &writer, &err), err, EGC_ERROR_RANGE,
                 "a trace must have 1 to 1073741823 parameters (a gradient is one HDF5 chunk of "
                 "less than 4 GiB); layer 1 has 1073741814, those before it 10");
    assert_fails(start(toy(), large, 0, 1, &writer, &err), err, EGC_ERROR_RANGE,
                 "a trace must have 1 to 65536 layers, got 0");
    assert_fails(start(toy(), toy_layers, TOY_LAYERS, 0, &writer, &err), err, EGC_ERROR_RANGE,
                 "a trace must have at least 1 worker, got 0");
}

static void trace_errors__says_why_it_cannot_create(void **state)
{
    (void)state;
    egc_error err;
    egc_trace_writer *writer;
    assert_fails(start("/nowhere/x.h5", toy_layers, TOY_LAYERS, 1, &writer, &err), err,
                 EGC_ERROR_IO, "/nowhere/x.h5: cannot create: No such file or directory");
    assert_fails(start("/proc/x.h5", toy_layers, TOY_LAYERS, 1, &writer, &err), err, EGC_ERROR_IO,
                 "/proc/x.h5: cannot create: No such file or directory");
}

/* Appends until the file system of 1 MiB that holds path is full. */
static void fill_up(const char *path)
{
    const egc_layer layer = {.name = "a", .shape = {20000}, .count = 20000};
    static float gradient[20000];
    egc_error err = {0};
    egc_trace_writer *writer;
    egc_trace_info info;
    egc_status status = EGC_OK;
    char message[EGC_ERROR_LENGTH];
    uint64_t step = 0;
    assert_ok(start(path, &layer, 1, 1, &writer, &err), err);
    while (!status && step < 20)
        status = egc_trace_writer_append(writer, step++, 0, gradient, 0, &err);
    assert_int_equal(status, EGC_ERROR_IO);
    snprintf(message, sizeof message, "%s: cannot write: No space left on device", path);
    assert_string_equal(err.message, message);
    (void)!egc_trace_writer_close(writer, &err);
    assert_ok(egc_trace_info_init(&info, path, &err), err);
    assert_int_equal(info.steps, step - 1);
    egc_trace_info_fini(&info);
}

/* In a mount namespace of this process, so that nothing stays behind whatever happens. */
static bool mount_small(const char *folder)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", folder, "tmpfs", 0, "size=1m") == 0;
}

static void trace_errors__says_when_the_disk_is_full(void **state)
{
    (void)state;
    char folder[256], path[300];
    snprintf(folder, sizeof folder, "%s", scratch_path("disk"));
    snprintf(path, sizeof path, "%s/full.h5", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    if (!mount_small(folder)) {
        print_message("skipped: no small file system can be mounted here: %s\n", strerror(errno));
        rmdir(folder);
        skip();
    }
    fill_up(path);
    assert_int_equal(umount(folder), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_errors__says_what_the_trace_lacks),
        cmocka_unit_test(trace_errors__rejects_other_files),
        cmocka_unit_test(trace_errors__rejects_a_pipe_without_waiting),
        cmocka_unit_test(trace_errors__rejects_hdf5_without_checksums),
        cmocka_unit_test(trace_errors__rejects_unlabelled_hdf5),
        cmocka_unit_test(trace_errors__rejects_other_formats_and_versions),
        cmocka_unit_test(trace_errors__rejects_variable_length_text),
        cmocka_unit_test(trace_errors__rejects_long_and_unprintable_text),
        cmocka_unit_test(trace_errors__rejects_wrong_gradients),
        cmocka_unit_test(trace_errors__rejects_wrong_loss),
        cmocka_unit_test(trace_errors__rejects_wrong_layers),
        cmocka_unit_test(trace_errors__rejects_huge_shapes),
        cmocka_unit_test(trace_errors__rejects_gradients_never_written),
        cmocka_unit_test(trace_errors__rejects_every_truncation),
        cmocka_unit_test(trace_errors__survives_flipped_bytes),
        cmocka_unit_test(trace_errors__survives_each_failing_allocation),
        cmocka_unit_test(trace_errors__records_in_order_only),
        cmocka_unit_test(trace_errors__refuses_what_a_trace_cannot_hold),
        cmocka_unit_test(trace_errors__says_why_it_cannot_create),
        cmocka_unit_test(trace_errors__says_when_the_disk_is_full),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
