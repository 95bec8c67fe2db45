/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 as traces need it: quiet, with errors that name the file.
 *
 * Whatever fails must be turned into an egc_error before the next HDF5 call, because each call
 * clears the library's error stack. */
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
} egc_hdf5_file;

/* Keeps the library from printing its errors. Call before anything else. */
void egc_hdf5_quiet(void);

/* "PATH: cannot VERB: REASON" from the library's error stack: IO when the operating system
 * refused, else FORMAT. */
egc_status egc_hdf5_fail(const egc_hdf5_file *file, const char *verb, egc_error *err);

/* Closes an object of any kind. Nothing happens for 0 and below. */
void egc_hdf5_release(hid_t id);

/* ---- attributes of the root group ----------------------------------------------------------- */

egc_status egc_hdf5_has_attribute(const egc_hdf5_file *file, const char *name, bool *out,
                                  egc_error *err) EGC_MUST_CHECK;

/* A fixed-length string of fewer than room bytes; room is at most EGC_TEXT_LENGTH. FORMAT. */
egc_status egc_hdf5_get_text(const egc_hdf5_file *file, const char *name, char *out, size_t room,
                             egc_error *err) EGC_MUST_CHECK;

egc_status egc_hdf5_get_int(const egc_hdf5_file *file, const char *name, int64_t *out,
                            egc_error *err) EGC_MUST_CHECK;

egc_status egc_hdf5_put_text(const egc_hdf5_file *file, const char *name, const char *text,
                             egc_error *err) EGC_MUST_CHECK;

egc_status egc_hdf5_put_int(const egc_hdf5_file *file, const char *name, int64_t value,
                            egc_error *err) EGC_MUST_CHECK;

/* ---- data sets ------------------------------------------------------------------------------ */

#define EGC_HDF5_MAX_RANK 3

typedef struct egc_hdf5_dataset {
    hid_t id; /* to be given to egc_hdf5_release */
    H5T_class_t class;
    size_t item_bytes;
    bool variable_text;
    int rank; /* dims are filled only up to EGC_HDF5_MAX_RANK */
    hsize_t dims[EGC_HDF5_MAX_RANK];
} egc_hdf5_dataset;

/* NAME is "child" or "group/child". *out is false when there is no such object. */
egc_status egc_hdf5_has_dataset(const egc_hdf5_file *file, const char *name, bool *out,
                                egc_error *err) EGC_MUST_CHECK;

/* FORMAT when it is missing; on failure nothing is left open. */
egc_status egc_hdf5_open_dataset(const egc_hdf5_file *file, const char *name, egc_hdf5_dataset *out,
                                 egc_error *err) EGC_MUST_CHECK;

/* Reads all of it as items of a memory type. */
egc_status egc_hdf5_read(const egc_hdf5_file *file, const egc_hdf5_dataset *dataset,
                         hid_t memory_type, void *out, egc_error *err) EGC_MUST_CHECK;

/* Creates a data set of this shape, contiguous, and fills it. */
egc_status egc_hdf5_write(const egc_hdf5_file *file, const char *name, hid_t type, int rank,
                          const hsize_t *dims, const void *data, egc_error *err) EGC_MUST_CHECK;

/* A type for fixed strings of `room` bytes, terminator included. Release it. */
hid_t egc_hdf5_text_type(size_t room, H5T_cset_t charset);

/* Text that keeps an error or a table on its line. */
bool egc_hdf5_printable(const char *text);

#endif
