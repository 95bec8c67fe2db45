/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The group /layers of a trace: names, shapes, and the cost of computing each layer. */
#ifndef EGC_WORKLOADS_TRACE_LAYERS_H
#define EGC_WORKLOADS_TRACE_LAYERS_H

#include "workloads/trace/hdf5.h"
#include "workloads/workload.h"

/* *layers is the caller's to egc_free, and NULL after a failure, which file->status tells: FORMAT,
 * IO, MEMORY. */
void egc_trace_layers_read(egc_hdf5_file *file, egc_layer **layers, size_t *n_layers);

/* Times are left out when no layer knows them. Errors as above. */
void egc_trace_layers_write(egc_hdf5_file *file, const egc_layer *layers, size_t n_layers);

#endif
