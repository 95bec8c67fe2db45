/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An open trace: checked completely when opened, then read one gradient at a time. */
#ifndef EGC_WORKLOADS_TRACE_FILE_H
#define EGC_WORKLOADS_TRACE_FILE_H

#include "workloads/trace/format.h"
#include "workloads/trace/hdf5.h"
#include "workloads/workload.h"

typedef struct egc_trace_file {
    char *path;
    egc_hdf5_file file;
    char model[EGC_LAYER_NAME];
    egc_trace_note note;
    egc_layer *layers;
    size_t n_layers;
    size_t n_params;
    size_t workers;
    uint64_t steps; /* complete steps, at least 1 */

    egc_hdf5_dataset gradients;
    egc_hdf5_dataset loss;            /* id 0 when no losses were recorded */
    hsize_t chunk[EGC_HDF5_MAX_RANK]; /* shape of a chunk of gradients; zeros when they are
                                         contiguous */
    bool whole_chunks;                /* each gradient is one chunk of native floats */
} egc_trace_file;

/* IO, FORMAT, MEMORY; the message starts with the path. On failure nothing is left open. */
egc_status egc_trace_file_open(const char *path, egc_trace_file *out,
                               egc_error *err) EGC_MUST_CHECK;

/* Reads the gradient of worker at step, n_params floats, and the loss (NAN when none was recorded;
 * loss may be NULL). step and worker must be within the trace. IO, FORMAT. */
egc_status egc_trace_file_read(egc_trace_file *trace, uint64_t step, size_t worker, float *gradient,
                               double *loss, egc_error *err) EGC_MUST_CHECK;

enum { EGC_TRACE_SAMPLES = 16 };

/* The number of gradients in a sample: all, or at most EGC_TRACE_SAMPLES. */
size_t egc_trace_file_samples(const egc_trace_file *trace);

/* Step and worker of the i-th gradient of the sample: evenly spaced, first and last included. */
void egc_trace_file_sample(const egc_trace_file *trace, size_t i, uint64_t *step, size_t *worker);

/* Accepts a zeroed one. */
void egc_trace_file_close(egc_trace_file *trace);

#endif
