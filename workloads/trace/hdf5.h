/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 for traces: quiet, and with errors that name the file.
 *
 * Errors are sticky: the first failure is kept in `status` and `err` of the file. After it, the
 * functions below do nothing and return zeros, so that a caller makes all its calls and looks at
 * `status` once. Results of HDF5 calls made directly go through egc_hdf5_check before the next
 * call, because each call clears the library's error stack. */
#ifndef EGC_WORKLOADS_TRACE_HDF5_H
#define EGC_WORKLOADS_TRACE_HDF5_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct egc_hdf5_file {
    hid_t id;         /* 0 when closed; HDF5's own identifiers are positive */
    const char *path; /* borrowed */
    egc_status status;
    egc_error *err; /* borrowed, from egc_hdf5_begin */
} egc_hdf5_file;

/* Begins a series of calls whose first error goes to err, and keeps the library from printing its
 * errors. Call before anything else. */
void egc_hdf5_begin(egc_hdf5_file *file, egc_error *err);

/* Records an HDF5 failure unless ok: "PATH: cannot VERB: REASON" from the library's error stack. IO
 * when the operating system refused, else FORMAT. True while nothing has failed. */
bool egc_hdf5_check(egc_hdf5_file *file, bool ok, const char *verb);

/* Records the error "PATH: MESSAGE" with status FORMAT. */
void egc_hdf5_refuse(egc_hdf5_file *file, const char *format, ...) EGC_PRINTF(2, 3);

/* n zeroed items, to be freed with egc_free; NULL after a failure, records MEMORY. */
void *egc_hdf5_alloc(egc_hdf5_file *file, size_t n, size_t size);

/* Closes an object of any kind. Nothing happens for 0 and below. */
void egc_hdf5_release(hid_t id);

/* ---- attributes of the root group ------------------------------------------------------------ */

bool egc_hdf5_has_attribute(egc_hdf5_file *file, const char *name);

/* A fixed-length string of fewer than room bytes; room is at most EGC_TEXT_LENGTH. FORMAT. */
void egc_hdf5_get_text(egc_hdf5_file *file, const char *name, char *out, size_t room);

/* FORMAT when it is not one integer. */
int64_t egc_hdf5_get_int(egc_hdf5_file *file, const char *name);

void egc_hdf5_put_text(egc_hdf5_file *file, const char *name, const char *text);
void egc_hdf5_put_int(egc_hdf5_file *file, const char *name, int64_t value);

/* ---- data sets ------------------------------------------------------------------------------- */

#define EGC_HDF5_MAX_RANK 3

typedef struct egc_hdf5_dataset {
    hid_t id; /* to be given to egc_hdf5_release */
    H5T_class_t class;
    size_t item_bytes;
    bool variable_text;
    int rank; /* dims are filled only up to EGC_HDF5_MAX_RANK */
    hsize_t dims[EGC_HDF5_MAX_RANK];
} egc_hdf5_dataset;

/* NAME is "child" or "group/child". */
bool egc_hdf5_has_dataset(egc_hdf5_file *file, const char *name);

/* FORMAT when it is missing. */
egc_hdf5_dataset egc_hdf5_open_dataset(egc_hdf5_file *file, const char *name);

/* Reads a part of a data set as items of memory_type: `count` items from `start`, both of the data
 * set's rank. NULL for both: all. */
void egc_hdf5_read(egc_hdf5_file *file, const egc_hdf5_dataset *dataset, const hsize_t *start,
                   const hsize_t *count, hid_t memory_type, void *out);

/* Creates a contiguous data set of this shape, and fills it. */
void egc_hdf5_write(egc_hdf5_file *file, const char *name, hid_t type, int rank,
                    const hsize_t *dims, const void *data);

/* A type for fixed strings of `room` bytes, terminator included. Release it. `verb` is for the
 * error. */
hid_t egc_hdf5_text_type(egc_hdf5_file *file, size_t room, H5T_cset_t charset, const char *verb);

/* True for text without control characters, which stays on its line of an error or a table. */
bool egc_hdf5_printable(const char *text);

#endif
