/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small trace in a scratch folder, and ways to spoil it. */
#ifndef EGC_TRACE_FIXTURE_H
#define EGC_TRACE_FIXTURE_H

#include <hdf5.h>
#include <stdint.h>

#include "workloads/trace/writer.h"

enum { TOY_LAYERS = 2, TOY_PARAMS = 13, TOY_WORKERS = 3, TOY_STEPS = 5 };

extern const egc_layer toy_layers[TOY_LAYERS];
extern const egc_trace_note toy_note;

/* The path of a file called name in a folder made for this run; valid until the next call. */
const char *scratch_path(const char *name);

/* cmocka group set-up and tear-down of that folder. */
int scratch_create(void **state);
int scratch_remove(void **state);

/* What the toy trace holds: a different bit pattern at each place, NaNs among them. */
void toy_gradient(uint64_t step, size_t worker, float *out);

/* Writes the toy trace. */
void toy_write(const char *path);

/* Opens it for changes with HDF5; close with H5Fclose. */
hid_t toy_edit(const char *path);

/* Replace what is there by one of this type and shape, filled with zeros. */
void replace_attribute(hid_t file, const char *name, hid_t type, const void *value);
void replace_dataset(hid_t file, const char *name, hid_t type, int rank, const hsize_t *dims,
                     const void *data);

#endif
