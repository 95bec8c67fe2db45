/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/trace_fixture.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

const egc_layer toy_layers[TOY_LAYERS] = {
    {.name = "embed.weight",
     .shape = {5, 2},
     .count = 10,
     .forward_flops = 20,
     .backward_flops = 40,
     .forward_s = 1e-3,
     .backward_s = 2e-3},
    {.name = "head.bias",
     .shape = {3},
     .count = 3,
     .forward_flops = 3,
     .backward_flops = 6,
     .forward_s = NAN,
     .backward_s = 1e-4},
};

const egc_trace_note toy_note = {
    .dataset = "toys", .optimizer = "sgd lr=0.1", .source = "the tests", .batch = 32, .every = 10};

static char folder[] = "/tmp/egc-trace-XXXXXX";

const char *scratch_path(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

int scratch_create(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

int scratch_remove(void **state)
{
    (void)state;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            unlink(scratch_path(entry->d_name));
    closedir(dir);
    return rmdir(folder);
}

void toy_gradient(uint64_t step, size_t worker, float *out)
{
    for (uint32_t i = 0; i < TOY_PARAMS; i++) {
        uint32_t bits = (uint32_t)(step * 1000 + worker * 100 + i) * 2654435761u;
        if (i == 7)
            bits = 0x7fc00000u | (uint32_t)step; /* NaN with a payload */
        memcpy(&out[i], &bits, sizeof bits);
    }
}

void toy_write(const char *path)
{
    egc_error err = {0};
    egc_trace_writer *writer;
    float gradient[TOY_PARAMS];
    assert_ok(egc_trace_writer_new(path, "toy", toy_layers, TOY_LAYERS, TOY_WORKERS, &toy_note,
                                   &writer, &err),
              err);
    for (uint64_t step = 0; step < TOY_STEPS; step++)
        for (size_t worker = 0; worker < TOY_WORKERS; worker++) {
            toy_gradient(step, worker, gradient);
            assert_ok(egc_trace_writer_append(writer, step, worker, gradient,
                                              (double)step + 0.1 * (double)worker, &err),
                      err);
        }
    assert_ok(egc_trace_writer_close(writer, &err), err);
}

hid_t toy_edit(const char *path)
{
    toy_write(path);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
    H5Pclose(access);
    assert_true(file > 0);
    return file;
}

void replace_attribute(hid_t file, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    assert_true(H5Adelete(file, name) >= 0);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, value) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

void replace_dataset(hid_t file, const char *name, hid_t type, int rank, const hsize_t *dims,
                     const void *data)
{
    hid_t space = H5Screate_simple(rank, dims, NULL);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
}
