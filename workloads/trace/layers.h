/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The group /layers of a trace: names, shapes, and what each layer costs to compute. */
#ifndef EGC_WORKLOADS_TRACE_LAYERS_H
#define EGC_WORKLOADS_TRACE_LAYERS_H

#include "workloads/trace/hdf5.h"
#include "workloads/workload.h"

/* *layers is the caller's to egc_free. FORMAT, IO, MEMORY. */
egc_status egc_trace_layers_read(const egc_hdf5_file *file, egc_layer **layers, size_t *n_layers,
                                 egc_error *err) EGC_MUST_CHECK;

/* Times are left out when no layer knows them. */
egc_status egc_trace_layers_write(const egc_hdf5_file *file, const egc_layer *layers,
                                  size_t n_layers, egc_error *err) EGC_MUST_CHECK;

#endif
