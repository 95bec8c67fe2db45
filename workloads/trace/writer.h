/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records a trace step by step. The file can be read at any moment, even after the recording
 * process was killed: it then contains the completed steps. */
#ifndef EGC_WORKLOADS_TRACE_WRITER_H
#define EGC_WORKLOADS_TRACE_WRITER_H

#include "workloads/trace/format.h"
#include "workloads/workload.h"

typedef struct egc_trace_writer egc_trace_writer;

/* Creates or replaces the file. *out is the caller's, to be given to egc_trace_writer_close. RANGE
 * when there is nothing to record or too much, IO, MEMORY. */
egc_status egc_trace_writer_new(const char *path, const char *model, const egc_layer *layers,
                                size_t n_layers, size_t workers, const egc_trace_note *note,
                                egc_trace_writer **out, egc_error *err) EGC_MUST_CHECK;

/* Steps come in order from 0; within a step, each worker once, in any order. Loss NAN means not
 * known. RANGE for another order, IO. */
egc_status egc_trace_writer_append(egc_trace_writer *writer, uint64_t step, size_t worker,
                                   const float *gradient, double loss,
                                   egc_error *err) EGC_MUST_CHECK;

/* Closes the file and frees the writer, on failure too. IO. Accepts NULL. */
egc_status egc_trace_writer_close(egc_trace_writer *writer, egc_error *err) EGC_MUST_CHECK;

#endif
