/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training without compression whose gradients are recorded. */
#ifndef EGC_CLI_TRACE_RECORD_H
#define EGC_CLI_TRACE_RECORD_H

#include "workloads/workload.h"

typedef struct egc_record_options {
    const char *path;
    int64_t steps; /* of training */
    int64_t workers;
    int64_t seed;
    int64_t every; /* training steps from one recorded step to the next */
    const egc_workload_type *workload;
    void *workload_params;
} egc_record_options;

/* Chooses the workload train with its defaults. MEMORY. */
egc_status egc_record_options_init(egc_record_options *options, egc_error *err) EGC_MUST_CHECK;

/* "KEY=VALUE" for a parameter of the workload. NAME, RANGE, FORMAT. */
egc_status egc_record_options_set(egc_record_options *options, const char *assignment,
                                  egc_error *err) EGC_MUST_CHECK;

void egc_record_options_fini(egc_record_options *options);

egc_status egc_record(const egc_record_options *options, egc_error *err) EGC_MUST_CHECK;

#endif
