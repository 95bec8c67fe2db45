/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usage: make-trace KIND FILE
 *
 * Writes a small trace of 2 workers and 4 steps: a sound one ("good"), one with a NaN and two Inf
 * in the gradient of worker 1 at step 2 ("nonfinite"), one with zeros in their places ("zeroed"),
 * or one whose layers hold more parameters than its gradients ("layers"). */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "workloads/trace/writer.h"

enum { WORKERS = 2, STEPS = 4, FIRST = 60, SECOND = 40, PARAMS = FIRST + SECOND };

static const egc_layer layers[] = {
    {.name = "body.weight",
     .shape = {12, 5},
     .count = FIRST,
     .forward_flops = 2e6,
     .backward_flops = 4e6,
     .forward_s = NAN,
     .backward_s = NAN},
    {.name = "head.weight",
     .shape = {4, 10},
     .count = SECOND,
     .forward_flops = 1e6,
     .backward_flops = 2e6,
     .forward_s = NAN,
     .backward_s = NAN},
};

/* No two values have the same magnitude. */
static void fill(float *gradient, size_t step, size_t worker)
{
    for (size_t i = 0; i < PARAMS; i++) {
        float magnitude = (float)(1 + (i * 37 + step * 11 + worker * 53) % 101) / 1000;
        gradient[i] = i % 3 ? magnitude : -magnitude;
    }
}

/* What replaces three values of the second layer. */
typedef struct blemish {
    const char *kind;
    float values[3];
} blemish;

static const blemish blemishes[] = {
    {"nonfinite", {NAN, INFINITY, -INFINITY}},
    {"zeroed", {0, 0, 0}},
};

static const blemish *find_blemish(const char *kind)
{
    for (size_t i = 0; i < sizeof blemishes / sizeof *blemishes; i++)
        if (strcmp(blemishes[i].kind, kind) == 0)
            return &blemishes[i];
    return NULL;
}

static egc_status write_steps(egc_trace_writer *writer, const blemish *damage, egc_error *err)
{
    float gradient[PARAMS];
    egc_status status = EGC_OK;
    for (size_t step = 0; step < STEPS && !status; step++)
        for (size_t worker = 0; worker < WORKERS && !status; worker++) {
            fill(gradient, step, worker);
            if (damage && step == 2 && worker == 1)
                memcpy(gradient + FIRST + 3, damage->values, sizeof damage->values);
            status = egc_trace_writer_append(writer, step, worker, gradient, 1.0, err);
        }
    return status;
}

static egc_status write_trace(const char *path, const blemish *damage, egc_error *err)
{
    egc_trace_note note = {.batch = 1, .every = 1};
    egc_trace_writer *writer;
    egc_status status = egc_trace_writer_new(path, "made", layers, 2, WORKERS, &note, &writer, err);
    if (status)
        return status;
    status = write_steps(writer, damage, err);
    egc_error at_close;
    egc_status closed = egc_trace_writer_close(writer, status ? &at_close : err);
    return status ? status : closed;
}

/* Puts gradients of one parameter less in the place of the recorded ones. */
static int shorten_gradients(const char *path)
{
    static const float zeros[STEPS][WORKERS][PARAMS - 1];
    hsize_t dims[] = {STEPS, WORKERS, PARAMS - 1};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
    hid_t space = H5Screate_simple(3, dims, NULL);
    herr_t removed = H5Ldelete(file, "gradients", H5P_DEFAULT);
    hid_t dataset = H5Dcreate2(file, "gradients", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT,
                               H5P_DEFAULT);
    herr_t written = H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(access);
    return removed < 0 || written < 0 || H5Fclose(file) < 0;
}

int main(int argc, char **argv)
{
    egc_error err = {0};
    if (argc != 3) {
        fputs("usage: make-trace good|nonfinite|zeroed|layers FILE\n", stderr);
        return 2;
    }
    if (write_trace(argv[2], find_blemish(argv[1]), &err)) {
        fprintf(stderr, "make-trace: %s\n", err.message);
        return 1;
    }
    return strcmp(argv[1], "layers") == 0 && shorten_gradients(argv[2]);
}
